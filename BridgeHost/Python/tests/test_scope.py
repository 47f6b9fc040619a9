"""What a part of a program gives to every analytics call that it makes."""

from __future__ import annotations

import asyncio
import copy
import importlib.util
import math
import os
import signal
import subprocess
import sys
import threading
import unittest
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

from .support import KEY, PATIENT, SOURCE, AsyncTestCase, Collector, TestCase, doubling, host_path

from mobiletracker import MobileTracker, OutgoingCall  # isort: skip
from mobiletracker._scope import current_scope  # isort: skip

REQUESTS = 1000


def events_of(collector: Collector) -> list[dict[str, Any]]:
    """The events that the backend has taken, but for the identify of the own user."""
    requests = collector.received(kind="batch", accepted=True, repeats=False)
    return [event for request in requests for event in request["body"]["batch"]][1:]


class ScopeTests(TestCase):
    """A scope around calls of threads."""

    def started(self, **options: Any) -> tuple[MobileTracker, Collector]:
        """A tracker whose analytics client is ready and belongs to the user `own`."""
        collector = self.start_collector()
        tracker = self.real(**options)
        tracker.analytics.initialize({"write_key": KEY, "ingestion_host": collector.url, "max_batch_size": 1000})
        tracker.analytics.identify("own").outcome(60)
        return tracker, collector

    def test_files_interleaved_requests_each_under_its_own_user(self) -> None:
        tracker, collector = self.started()
        together = threading.Barrier(20)

        def request(user: int) -> None:
            with tracker.analytics.scope(user_id=user, properties={"user": user}, context={"user": user}):
                if user < 20:
                    together.wait(60)
                for step in range(3):
                    tracker.analytics.track("Step", {"step": step}).outcome(60)

        with ThreadPoolExecutor(20) as threads:
            list(threads.map(request, range(REQUESTS)))
        tracker.analytics.flush()

        events = events_of(collector)
        self.assertEqual(len(events), 3 * REQUESTS)
        for event in events:
            user = event["properties"]["user"]
            self.assertEqual((event["userId"], event["context"]["user"]), (str(user), user))
            self.assertNotIn("anonymousId", event)
        self.assertEqual(tracker.analytics.get_debug_info()["user_id"], "own")
        self.assertEqual(collector.problems(), [])

    def test_yields_to_the_call_and_an_inner_scope_takes_nothing_of_another_user(self) -> None:
        tracker, collector = self.started()
        analytics = tracker.analytics
        analytics.set_defaults({"release": 1, "a": "default"}, {"region": "eu"})
        uuid = UUID("11111111-2222-4333-8444-555555555555")
        with analytics.scope(user_id=7, anonymous_id=uuid, group_id="g", properties={"a": "scope", "b": "scope"}):
            analytics.track("Scope", {"b": "call"})
            analytics.track("Another", user_id="u2")
            with analytics.scope(properties={"b": "inner"}, context={"region": "us"}):
                analytics.track("Inner")
            with analytics.scope(user_id="u3"):
                analytics.track("Another inner")
        analytics.track("Outside")
        analytics.flush()

        events = events_of(collector)
        self.assertEqual(
            [(each.get("userId"), each.get("anonymousId"), each.get("groupId")) for each in events[:4]],
            [("7", str(uuid), "g"), ("u2", None, None), ("7", str(uuid), "g"), ("u3", None, None)],
        )
        self.assertEqual(events[0]["properties"], {"release": 1, "a": "scope", "b": "call"})
        self.assertEqual(events[2]["properties"], {"release": 1, "a": "scope", "b": "inner"})
        self.assertEqual([each["context"]["region"] for each in events], ["eu", "eu", "us", "eu", "eu"])
        self.assertEqual((events[4]["userId"], events[4]["properties"]), ("own", {"release": 1, "a": "default"}))

    def test_drops_every_call_if_it_names_nobody_and_names_the_scope(self) -> None:
        tracker, collector = self.started()
        wrong: list[dict[str, Any]] = [{"user_id": None}, {"anonymous_id": " "}, {"user_id": True}, {"group_id": ""}]
        for scope in wrong:
            with self.subTest(scope), tracker.analytics.scope(**scope):
                outcome = tracker.analytics.track("A", user_id="u1").outcome(60)
                self.assertEqual(outcome.reason, "INVALID_VALUE")
        self.assertIn("'scope.user_id' is given and has no value", self.warnings[0])
        tracker.analytics.flush()
        self.assertEqual(events_of(collector), [])

    def test_that_cannot_be_written_drops_every_call(self) -> None:
        tracker, _ = self.started()
        with tracker.analytics.scope(user_id="u1", properties={"n": math.nan}):
            outcome = tracker.analytics.track("A").outcome(60)
        self.assertEqual(outcome.reason, "SERIALIZATION_ERROR")
        self.assertIn("'scope.properties.n' is NaN", self.warnings[0])
        self.assertIn("test_scope.py", self.warnings[0])

    def test_that_is_larger_than_the_host_takes_drops_every_call(self) -> None:
        tracker, _ = self.fake({"maxMessageBytes": 10_000})
        tracker.analytics.track("A").outcome(60)

        with tracker.analytics.scope(user_id="u1", properties=doubling()):
            outcomes = [tracker.analytics.track("B").outcome(60), tracker.analytics.identify("u2").outcome(60)]

        self.assertEqual([outcome.reason for outcome in outcomes], ["TOO_LARGE"] * 2)

    def test_that_cannot_be_read_runs_its_block_and_drops_every_call(self) -> None:
        tracker, _ = self.started()
        outcomes = []
        with tracker.analytics.scope(user_id=10**5000):
            outcomes.append(tracker.analytics.track("A").outcome(60))
        self.assertEqual([outcome.reason for outcome in outcomes], ["SERIALIZATION_ERROR"])
        self.assertRegex(self.warnings[0], r"'scope' cannot be read: ValueError.*test_scope\.py")

    def test_may_decorate_functions_and_holds_for_each_call(self) -> None:
        tracker, collector = self.started()
        analytics = tracker.analytics

        @analytics.scope(user_id="u1")
        def called(name: str) -> str:
            analytics.track(name)
            return name

        @analytics.scope(user_id="u2")
        async def awaited(name: str) -> str:
            await asyncio.to_thread(lambda: None)
            analytics.track(name)
            return name

        self.assertEqual([called("A"), asyncio.run(awaited("B")), called("C")], ["A", "B", "C"])
        analytics.track("D")
        analytics.flush()

        self.assertEqual([event["userId"] for event in events_of(collector)], ["u1", "u2", "u1", "own"])

    def test_holds_for_the_coroutine_that_a_decorated_function_returns(self) -> None:
        tracker, collector = self.started()

        async def handle(name: str) -> None:
            tracker.analytics.track(name)

        asyncio.run(tracker.analytics.scope(user_id="u1")(lambda: handle("A"))())
        tracker.analytics.track("B")
        tracker.analytics.flush()

        self.assertEqual([event["userId"] for event in events_of(collector)], ["u1", "own"])

    def test_refuses_to_decorate_what_runs_in_turns_with_its_caller(self) -> None:
        tracker = self.real()

        def generator() -> Any:
            yield

        async def async_generator() -> Any:
            yield

        for function in (generator, async_generator):
            with self.assertRaisesRegex(TypeError, "use `with` in it"):
                tracker.analytics.scope(user_id="u1")(function)

    def test_serves_one_block(self) -> None:
        scope = self.real().analytics.scope(user_id="u1")
        with scope:
            pass
        with self.assertRaisesRegex(RuntimeError, "make another one"), scope:
            pass

    def test_is_seen_and_changed_by_before_send(self) -> None:
        seen: list[Any] = []

        def without_email(call: OutgoingCall) -> OutgoingCall:
            seen.append(copy.deepcopy(call.get("scope")))
            for scope in call.get("scope", []):
                scope["properties"] = {**(scope.get("properties") or {}), "email": None}
            if call.get("name") == "B":
                call["scope"] = []
            return call

        tracker, collector = self.started(before_send=without_email)
        given = {"email": "a@example.com", "plan": "pro"}
        with tracker.analytics.scope(user_id="u1", properties=given):
            with tracker.analytics.scope(group_id="g"):
                tracker.analytics.track("A")
                dropped = tracker.analytics.track("B").outcome(60)
        tracker.analytics.flush()

        self.assertEqual(seen, [None, *[[{"user_id": "u1", "properties": given}, {"group_id": "g"}]] * 2])
        [event] = events_of(collector)
        left = {"plan": "pro", "email": None}
        self.assertEqual((event["userId"], event["groupId"], event["properties"]), ("u1", "g", left))
        self.assertEqual(dropped.reason, "INVALID_VALUE")

    def test_takes_ids_from_before_send_as_from_the_program(self) -> None:
        uuid = UUID("123e4567-e89b-12d3-a456-426614174000")
        scopes: dict[str, Iterable[dict[str, Any]]] = {
            "A": [{"user_id": 2**53 + 1}, {"anonymous_id": uuid, "group_id": 2**70}],
            "B": [{"user_id": True}],
            "C": [{"user_id": "a", "userId": "b"}],
            "D": map(dict, [{"user_id": "d", "anonymous_id": "d", "group_id": "d"}]),
        }

        def change(call: OutgoingCall) -> Any:
            return {**call, "scope": scopes.get(call.get("name", ""), [])}

        tracker, collector = self.started(before_send=change)
        outcomes = [tracker.analytics.track(name).outcome(60) for name in scopes]
        tracker.analytics.flush()

        reasons = [None, "INVALID_VALUE", "SERIALIZATION_ERROR", None]
        self.assertEqual([outcome.reason for outcome in outcomes], reasons)
        self.assertIn("SERIALIZATION_ERROR. 'scope.user_id' is given a second time as 'userId'. (at ", self.warnings[1])
        ids = [[event[name] for name in ("userId", "anonymousId", "groupId")] for event in events_of(collector)]
        self.assertEqual(ids, [[str(2**53 + 1), str(uuid), str(2**70)], ["d"] * 3])

    def test_defaults_hold_again_after_the_host_was_killed(self) -> None:
        tracker, collector = self.started()
        tracker.analytics.set_defaults({"release": 2})
        os.kill(tracker._channel.link.host or 0, signal.SIGKILL)
        tracker.analytics.track("A").outcome(60)
        tracker.analytics.flush()

        self.assertEqual(events_of(collector)[-1]["properties"], {"release": 2})


class AsyncScopeTests(AsyncTestCase):
    """A scope around calls of tasks."""

    async def test_files_interleaved_requests_each_under_its_own_user(self) -> None:
        collector = self.start_collector()
        tracker = self.real_async()
        await tracker.analytics.initialize({"write_key": KEY, "ingestion_host": collector.url, "max_batch_size": 1000})
        await tracker.analytics.identify("own")

        async def request(user: int) -> None:
            with tracker.analytics.scope(user_id=user, properties={"user": user}):
                await asyncio.sleep(0)
                await tracker.analytics.track("Awaited")
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(step())
                    tasks.create_task(asyncio.to_thread(tracker.analytics.track, "Thread"))

        async def step() -> None:
            await asyncio.sleep(0)
            tracker.analytics.track("Task")

        async with asyncio.TaskGroup() as tasks:
            for user in range(REQUESTS):
                tasks.create_task(request(user))
        await tracker.analytics.flush()

        events = events_of(collector)
        self.assertEqual(len(events), 3 * REQUESTS)
        self.assertTrue(all(event["userId"] == str(event["properties"]["user"]) for event in events))


    async def test_holds_once_for_code_that_schedules_itself_in_it(self) -> None:
        tracker = self.real_async()
        done = asyncio.Event()
        depths: list[int] = []

        def tick(left: int) -> None:
            with tracker.analytics.scope(user_id="u1", properties={"job": 7}):
                depths.append(len(current_scope().texts))
                asyncio.get_running_loop().call_soon(tick, left - 1) if left else done.set()

        tick(100)
        await done.wait()

        self.assertEqual(depths, [1] * 101)

    async def test_nests_unless_the_innermost_scope_is_the_same(self) -> None:
        analytics = self.real_async().analytics
        with analytics.scope(user_id="u1"), analytics.scope(user_id="u2"), analytics.scope(user_id="u1"):
            texts = current_scope().texts

        self.assertEqual(texts, (b'{"userId":"u1"}', b'{"userId":"u2"}', b'{"userId":"u1"}'))


GREENLETS = f"""
from gevent import monkey
monkey.patch_all()
import sys
import gevent
from mobiletracker import MobileTracker

url, folder, host = sys.argv[1:]
tracker = MobileTracker(host_path=host, host_arguments=["--storage-dir", folder, *{PATIENT!r}], stderr="ignore")
tracker.analytics.initialize({{"write_key": "{KEY}", "ingestion_host": url, "max_batch_size": 1000}})
tracker.analytics.identify("own").outcome(60)

def request(user):
    with tracker.analytics.scope(user_id=user, properties={{"user": user}}):
        for step in range(3):
            gevent.sleep(0)
            tracker.analytics.track("Step", {{"step": step}}).outcome(60)

gevent.joinall([gevent.spawn(request, user) for user in range({REQUESTS})], raise_error=True)
print(tracker.analytics.flush().delivered)
tracker.close()
"""


@unittest.skipUnless(importlib.util.find_spec("gevent"), "gevent is not installed; .ci/setup tests does that")
class GreenletScopeTests(TestCase):
    """A scope around calls of greenlets."""

    def test_files_interleaved_requests_each_under_its_own_user(self) -> None:
        collector = self.start_collector()
        command = [sys.executable, "-c", GREENLETS, collector.url, str(self.folder / "state"), str(host_path())]

        result = subprocess.run(command, capture_output=True, text=True, timeout=300, env={"PYTHONPATH": str(SOURCE)})

        self.assertEqual(result.returncode, 0, result.stderr)
        events = events_of(collector)
        self.assertEqual(len(events), 3 * REQUESTS)
        self.assertTrue(all(event["userId"] == str(event["properties"]["user"]) for event in events))
