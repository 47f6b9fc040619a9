"""What waits while a new host works on the `init` that the client has repeated."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any
from unittest import mock

from .support import GUARD, AsyncTestCase, FakeHost

from mobiletracker import AsyncMobileTracker  # isort: skip

CONFIG: Any = {"api_url": "https://api.example.com", "x_api_key": "key"}
ERROR = {
    "code": 1003,
    "message": "The backend answered 503",
    "data": {"code": "SESSION_CREATION_FAILED", "retryable": True},
}

FIRST = {"errors": {"init": ERROR}, "diesAt": 2, "answersFirst": True}
"""A host that finds no session, and dies after one more call."""


def second(opens_at: str) -> dict[str, Any]:
    """The host after it: the `init` that is repeated finds no session either, as soon as this method was called."""
    return {"gate": {"method": "init", "opensAt": opens_at, "error": ERROR}}


def names(fake: FakeHost, life: int) -> list[str]:
    """The events that a host got by `track`, and the methods of its other calls."""
    return [call["params"]["eventName"] if call["method"] == "track" else call["method"] for call in fake.lives[life]]


async def in_time(*calls: Awaitable[Any]) -> list[Any]:
    """What the calls come to."""
    return await asyncio.wait_for(asyncio.gather(*calls), GUARD)


class SetupHoldTests(AsyncTestCase):
    async def recovering(self, *lives: dict[str, Any]) -> tuple[AsyncMobileTracker, FakeHost]:
        """A tracker whose second host works on the repeated `init`."""
        tracker, fake = self.fake_async(FIRST, *lives)
        with self.assertRaisesCode("SESSION_CREATION_FAILED"):
            await tracker.init("925", CONFIG)
        await tracker.track("A")
        await tracker.track("B")
        return tracker, fake

    async def test_waits(self) -> None:
        """The next `init` waits for the end of that one and runs by itself; calls after it wait too."""
        tracker, fake = await self.recovering(second("host.subscribe"))

        calls: list[Awaitable[Any]] = [tracker.init("925", CONFIG), tracker.analytics.track("C"), tracker.track("D")]
        tracker.on("log", lambda _: None)  # It is the link's own call, and opens the gate.
        await in_time(*calls)

        self.assertEqual(names(fake, 1), ["init", "B", "host.subscribe", "init", "analytics.track", "D"])

    async def test_urgent(self) -> None:
        """Some calls do not wait, and nor does what was called before them."""
        urgent: dict[str, Callable[[AsyncMobileTracker], Awaitable[Any]]] = {
            "setCredentials": lambda tracker: tracker.set_credentials("key-2"),
            "setConsent": lambda tracker: tracker.set_consent("denied"),
            "reset": lambda tracker: tracker.reset(),
            "host.shutdown": lambda tracker: tracker.shutdown(),
        }
        root = self.folder
        for method, call in urgent.items():
            with self.subTest(method):
                self.folder = root / method
                self.folder.mkdir()
                tracker, fake = await self.recovering(second(method))

                initialized, tracked = tracker.init("925", CONFIG), tracker.track("C")
                called = call(tracker)
                with self.assertRaisesCode("SESSION_CREATION_FAILED"):
                    await in_time(initialized)
                await in_time(tracked, called)

                self.assertEqual(names(fake, 1), ["init", "B", "init", "C", method])

    async def test_death(self) -> None:
        """What waits goes to the next host if this one dies, in its order."""
        tracker, fake = await self.recovering({**second("never"), "diesAt": 3}, {})

        calls: list[Awaitable[Any]] = [tracker.init("925", CONFIG), tracker.track("C")]
        tracker.on("log", lambda _: None)
        await in_time(*calls)

        self.assertEqual(names(fake, 1), ["init", "B", "host.subscribe"])
        self.assertEqual(names(fake, 2), ["init", "host.subscribe", "init", "C"])

    async def test_not_overdue_because_of_the_last_host(self) -> None:
        """What waits, and the last host has not answered, gives this host its time."""
        tracker, fake = self.fake_async({"errors": {"init": ERROR}, "diesAt": 2}, second("host.subscribe"))
        with self.assertRaisesCode("SESSION_CREATION_FAILED"):
            await tracker.init("925", CONFIG)

        may_go_on = threading.Event()

        def pause(_: object) -> None:
            may_go_on.wait()

        tracker._channel.link.io.post(pause)  # Then the host gets both before it dies.
        calls: list[Awaitable[Any]] = [tracker.init("925", CONFIG), tracker.track("C")]
        may_go_on.set()
        await self.wait_for_calls(fake, 2)
        await self.set_forward(tracker, 11)
        tracker.on("log", lambda _: None)
        await in_time(*calls)

        self.assertEqual(names(fake, 1), ["init", "host.subscribe", "init", "C"])
        self.assertEqual([text for text in self.warnings if "has not answered" in text], [])

    async def wait_for_calls(self, fake: FakeHost, life: int) -> None:
        """Returns as soon as the host of that life, counted from 1, has got a call."""
        deadline = time.monotonic() + GUARD
        while len(fake.lives) < life or not fake.lives[life - 1]:
            self.assertLess(time.monotonic(), deadline)
            await asyncio.sleep(0.005)

    async def set_forward(self, tracker: AsyncMobileTracker, seconds: float) -> None:
        """Sets the package's clock forward, and has what is due by then done."""
        gettime = time.clock_gettime
        self.enterContext(mock.patch("time.clock_gettime", lambda clock: gettime(clock) + seconds))
        for _ in range(2):  # The turn that is under way may have looked at the clock before.
            done = threading.Event()
            tracker._channel.link.io.post(threading.Event.set, done)
            await asyncio.to_thread(done.wait, GUARD)
