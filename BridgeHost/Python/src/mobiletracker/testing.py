"""Trackers for the tests of a program: real ones, whose host keeps calls in memory and sends nothing.

    from mobiletracker.testing import TestTracker

    with TestTracker() as tracker:
        check_out(cart, tracker)
        tracker.expect("Order Completed", {"total": 149.99}, user_id="user-1")

With pytest the fixture `mobile_tracker` is a `TestTracker` for each test.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, cast

from ._calls import AsyncRecordCalls, RecordCalls
from ._fault import client_text
from ._row import snake_keys
from .protocol import DropReason, RecordedCall
from .receipt import Awaited
from .tracker import AsyncMobileTracker, MobileTracker, _Tracker

__all__ = ["AsyncTestTracker", "RecordedCall", "TestTracker"]

_A = TypeVar("_A")

_MEMBERS = {
    "user_id": "userId",
    "anonymous_id": "anonymousId",
    "group_id": "groupId",
    "advertising_id": "advertisingId",
    "source_session_id": "sourceSessionId",
}
"""The members of a call that the host calls otherwise."""


def _members(given: Mapping[str, Any]) -> dict[str, Any] | None:
    """What else a call has, by the host's names. `dropped_as` is short for an outcome."""
    members = {_MEMBERS.get(name, name): value for name, value in given.items() if name != "dropped_as"}
    if "dropped_as" in given:
        members["outcome"] = {"status": "dropped", "reason": given["dropped_as"]}
    return members or None


def _read(calls: Sequence[RecordedCall]) -> list[RecordedCall]:
    """The calls, with Python's names in their outcomes too."""
    shown = [{**call, "outcome": call["outcome"] and snake_keys(cast(Any, call["outcome"]))} for call in calls]
    return cast(list[RecordedCall], shown)


def _found(result: Any) -> list[RecordedCall]:
    """The calls that were expected; fails if they are not as many as that."""
    __tracebackhide__ = True
    if result["failure"] is not None:
        raise AssertionError(result["failure"])
    return _read([cast(RecordedCall, snake_keys(call)) for call in result["calls"]])


_MOST_ENDED = 8
"""How many trackers that were shut down still answer questions, each with a host of its own."""

_ended: deque[_Recording] = deque()
"""These trackers, the oldest first."""


class _Recording(_Tracker):
    """What the two kinds have in common."""

    __test__ = False  # It is no test of pytest, though its name looks like one.

    _is_forgotten = False
    _process: int | None = None
    """The process whose host records, if one does: a forked child has a host and calls of its own."""
    _is_lost = False
    """Whether another one has recorded calls before it."""

    def __post_init__(self) -> None:
        self.agent = False
        self.host_arguments = (*self.host_arguments, "--record")
        super().__post_init__()

    def _end_host(self) -> None:
        """Ends the host, and with it what it has recorded."""
        raise NotImplementedError

    def _begin_host(self) -> None:
        self._is_lost = self._process == os.getpid()
        self._process = os.getpid()

    def _answer_for_credentials(self) -> None:
        # A client begins: the tracker is in use again, and its host stays.
        self._is_forgotten = False
        self._drop()
        super()._answer_for_credentials()

    def _drop(self) -> None:
        if self in _ended:
            _ended.remove(self)

    def _keep(self) -> None:
        """Answers questions after a shutdown, until so many other trackers were shut down after this one."""
        self._drop()
        _ended.append(self)
        if len(_ended) > _MOST_ENDED:
            oldest = _ended.popleft()
            oldest._is_forgotten = True
            oldest._process, oldest._is_lost = None, False
            oldest._end_host()

    def _expect_kept(self) -> None:
        """Asks nothing of a new host: it knows no calls, so that none would seem to have been made."""
        __tracebackhide__ = True
        if self._is_forgotten:
            raise RuntimeError(client_text("recordForgotten", count=_MOST_ENDED))

    def _expect_complete(self, answer: _A) -> _A:
        """The answer of a host that knows all calls. The question itself may have started one that knows none."""
        __tracebackhide__ = True
        if self._is_lost:
            raise RuntimeError(client_text("recordLost"))
        return answer


class TestTracker(_Recording, MobileTracker):
    """A tracker for a test, with a host of its own that records calls: nothing is on disk, and nothing is sent.

    It checks calls and answers them as a `MobileTracker` does. A client that your program does not initialise itself is
    initialised by its first call. Requests are answered at once, so nothing remains after a `flush`. Make one for each test.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self._record = RecordCalls(self._channel)

    def calls(self) -> list[RecordedCall]:
        """The calls so far, of all clients, in the order in which they were made."""
        self._expect_kept()
        return _read(self._expect_complete(self._record.calls()))

    def find(self, name: str, properties: Mapping[str, object] | None = None, **call: Any) -> list[RecordedCall]:
        """The calls that have a name and some values.

        :param name: The name of the event, screen or page; of other calls the method, such as `identify`.
        :param properties: Values that the calls have, among others. Objects are compared member by member.
        :param call: What else they have: `user_id`, `anonymous_id`, `group_id`, `client`, `method`, `context` and so on.
            Calls that were dropped are found by `dropped_as`, the reason, alone.
        """
        self._expect_kept()
        return _read(self._expect_complete(self._record.find(name, properties, _members(call))))

    def expect(
        self, name: str, properties: Mapping[str, object] | None = None, *, count: int | None = None, **call: Any
    ) -> list[RecordedCall]:
        """Fails unless there are such calls, and returns them. The other parameters are those of `find`.

        :param count: How many; by default at least one. With 0 there must be none.
        :raises AssertionError: Says what was expected, which call came nearest, and what of it differs.
        """
        __tracebackhide__ = True
        self._expect_kept()
        return _found(self._expect_complete(self._record.expect(name, properties, _members(call), count)))

    def fail(self, reason: DropReason | None = None) -> None:
        """Drops valid calls for this reason from now on, such as `STORAGE_ERROR`; without one they are taken again."""
        self._record.fail(reason)

    def clear(self) -> None:
        """Forgets the calls so far, and takes calls again. The clients stay as they are."""
        self._record.clear()
        self._is_lost = False

    def shutdown(self) -> None:
        """Ends the clients. The calls so far still answer questions, until 8 other trackers were shut down."""
        if self._channel.link.io.is_running:
            self._record.shutdown()
        self._keep()

    close = shutdown

    def _end_host(self) -> None:
        MobileTracker.shutdown(self)


class AsyncTestTracker(_Recording, AsyncMobileTracker):
    """The same for programs with an event loop of asyncio."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._record = AsyncRecordCalls(self._channel, self._wakeups)

    async def calls(self) -> list[RecordedCall]:
        """The calls so far, of all clients, in the order in which they were made."""
        self._expect_kept()
        return _read(self._expect_complete(await self._record.calls()))

    async def find(self, name: str, properties: Mapping[str, object] | None = None, **call: Any) -> list[RecordedCall]:
        """The calls that have a name and some values, as `TestTracker.find` describes."""
        self._expect_kept()
        return _read(self._expect_complete(await self._record.find(name, properties, _members(call))))

    async def expect(
        self, name: str, properties: Mapping[str, object] | None = None, *, count: int | None = None, **call: Any
    ) -> list[RecordedCall]:
        """Fails unless there are such calls, as `TestTracker.expect` describes."""
        __tracebackhide__ = True
        self._expect_kept()
        return _found(self._expect_complete(await self._record.expect(name, properties, _members(call), count)))

    async def fail(self, reason: DropReason | None = None) -> None:
        """Drops valid calls for this reason from now on; without one they are taken again."""
        await self._record.fail(reason)

    async def clear(self) -> None:
        """Forgets the calls so far, and takes calls again. The clients stay as they are."""
        await self._record.clear()
        self._is_lost = False

    def shutdown(self) -> Awaited[None]:
        """Ends the clients. The calls so far still answer questions, until 8 other trackers were shut down."""
        ended = self._record.shutdown() if self._channel.link.io.is_running else AsyncMobileTracker.shutdown(self)
        self._keep()
        return ended

    close = shutdown

    def _end_host(self) -> None:
        AsyncMobileTracker.shutdown(self)
