"""The trackers for tests of programs."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from decimal import Decimal
from unittest import mock

from .support import GUARD, ROOT, SOURCE, TestCase, host_path

from mobiletracker import MobileTrackerError  # noqa: E402
from mobiletracker.testing import AsyncTestTracker, TestTracker  # noqa: E402


class TestTrackerTests(TestCase):
    """What a test tracker records and finds."""

    def setUp(self) -> None:
        super().setUp()
        self.tracker = TestTracker(host_path=host_path(), stderr="ignore", warnings=False)
        self.addCleanup(self.tracker.shutdown)
        self.logger = logging.getLogger("mobiletracker.testing")
        self.has_ended = threading.Event()
        self.logger.addFilter(self.notice_the_end)
        self.addCleanup(self.logger.removeFilter, self.notice_the_end)

    def notice_the_end(self, record: logging.LogRecord) -> bool:
        """Reads what a tracker says to the logger."""
        if "ended unexpectedly" in record.getMessage():
            self.has_ended.set()
        return True

    def end_host_of(self, tracker: TestTracker) -> None:
        """Kills a host, and waits until its tracker knows."""
        host = tracker._channel.link.host
        assert host
        self.has_ended.clear()
        os.kill(host, signal.SIGKILL)
        self.assertTrue(self.has_ended.wait(GUARD))

    def test_the_host_is_its_own_where_the_program_connects_to_an_agent(self) -> None:
        os.environ["MOBILE_TRACKER_AGENT"] = "/nowhere/agent.sock"
        self.addCleanup(os.environ.pop, "MOBILE_TRACKER_AGENT")

        self.tracker.track("PURCHASE")

        self.assertEqual([call["name"] for call in self.tracker.calls()], ["PURCHASE"])

    def test_calls_of_all_clients_are_recorded(self) -> None:
        self.tracker.track("PURCHASE", {"total": 149.99}, {"flow_id": "checkout"})
        self.tracker.analytics.identify("user-1")
        self.tracker.analytics.track("Order Completed", {"total": 149.99})
        self.tracker.basic.track(" ")

        calls = self.tracker.calls()

        self.assertEqual([call["client"] for call in calls], ["tracker", "analytics", "analytics", "basic"])
        self.assertEqual(calls[0]["metadata"], {"flow_id": "checkout"})
        self.assertEqual(calls[2]["user_id"], "user-1")
        self.assertIn("message_id", calls[2]["outcome"] or {})
        self.assertEqual(calls[3]["outcome"], {"status": "dropped", "reason": "INVALID_EVENT_NAME"})

    def test_a_failure_says_what_came_nearest(self) -> None:
        self.tracker.analytics.track("Order Completed", {"total": 99}, user_id="user-1")
        found = self.tracker.expect("Order Completed", {"total": 99}, user_id="user-1", count=1)
        self.assertEqual(found[0]["user_id"], "user-1")

        with self.assertRaises(AssertionError) as raised:
            self.tracker.expect("Order Completed", {"total": 149.99}, user_id="user-2")

        self.assertEqual(
            str(raised.exception),
            'Expected a call "Order Completed" with {"total":149.99} and userId "user-2", and there was none.\n'
            'The nearest was: analytics.track "Order Completed" {"total":99}\n'
            "  properties.total is 99; expected 149.99.\n"
            '  userId is "user-1"; expected "user-2".',
        )

    def test_a_whole_number_of_any_length_is_recorded(self) -> None:
        number = Decimal("1" * 5000)
        self.tracker.track("PURCHASE", {"total": number}).outcome(GUARD)
        host = self.tracker._channel.link.host

        self.assertEqual([call["name"] for call in self.tracker.calls()], ["PURCHASE"])
        self.tracker.expect("PURCHASE", {"total": number}, count=1)

        self.assertEqual(self.tracker._channel.link.host, host)

    def test_a_refusal_is_played(self) -> None:
        self.tracker.fail("STORAGE_ERROR")
        self.assertEqual(self.tracker.track("PURCHASE").outcome().reason, "STORAGE_ERROR")
        self.tracker.expect("PURCHASE", dropped_as="STORAGE_ERROR")
        self.assertEqual(self.tracker.find("PURCHASE"), [])
        self.tracker.clear()
        self.assertEqual(self.tracker.track("PURCHASE").outcome().status, "queued")
        self.assertEqual(len(self.tracker.calls()), 1)

    def test_a_program_may_initialise_its_clients(self) -> None:
        with self.assertRaises(MobileTrackerError):
            self.tracker.init("925", {"api_url": "nowhere"})
        self.tracker.init("925", {"api_url": "https://api.example.com", "x_api_key": "key"})
        self.tracker.track("PURCHASE")
        self.assertEqual(self.tracker.flush().remaining, 0)
        self.assertEqual(self.tracker.get_session_id(), "session-1")

    def test_answers_for_a_program_that_shuts_it_down(self) -> None:
        with self.tracker as tracker:
            tracker.track("Report Made")

        self.tracker.expect("Report Made", count=1)
        with self.assertRaises(AssertionError):
            self.tracker.expect("Report Made", count=0)
        self.assertEqual(self.tracker.track("Late").outcome(GUARD).reason, "NOT_INITIALIZED")
        self.tracker.init("925", {"api_url": "https://api.example.com", "x_api_key": "key"})
        self.tracker.track("Again")
        self.assertEqual([call["name"] for call in self.tracker.calls()], ["Report Made", "Late", "Again"])

    def test_says_that_it_has_forgotten_its_calls_once_many_others_have_ended(self) -> None:
        self.tracker.track("A")
        self.tracker.close()
        for _ in range(8):
            with TestTracker(host_path=host_path(), stderr="ignore", warnings=False) as other:
                other.track("B")

        for question in (self.tracker.calls, lambda: self.tracker.find("A"), lambda: self.tracker.expect("A", count=0)):
            with self.assertRaisesRegex(RuntimeError, "are forgotten: 8 others were shut down after it"):
                question()

    def test_says_that_its_calls_are_lost_if_its_host_has_ended(self) -> None:
        tracker = TestTracker(host_path=host_path(), stderr="ignore", logger=self.logger)
        self.addCleanup(tracker.shutdown)
        tracker.track("A").outcome(GUARD)

        self.end_host_of(tracker)

        # The first of them starts the next host.
        questions: list[Callable[[], object]] = [
            lambda: tracker.expect("A", count=0), lambda: tracker.find("A"), tracker.calls,
        ]
        for question in questions:
            with self.assertRaises(RuntimeError) as raised:
                question()
            self.assertEqual(
                str(raised.exception),
                "The host of this test tracker has ended, and the calls that it had recorded are lost. Call clear(), then make "
                "the calls again.",
            )
        tracker.clear()
        tracker.track("B")
        tracker.expect("A", count=0)
        self.assertEqual([call["name"] for call in tracker.calls() + tracker.find("B")], ["B", "B"])

    def test_says_so_too_of_the_next_host_that_other_calls_have_replaced(self) -> None:
        tracker = TestTracker(host_path=host_path(), stderr="ignore", logger=self.logger)
        self.addCleanup(tracker.shutdown)
        tracker.track("A").outcome(GUARD)
        self.end_host_of(tracker)
        tracker.clear()
        tracker.track("B").outcome(GUARD)
        self.end_host_of(tracker)
        tracker.track("C").outcome(GUARD)

        with self.assertRaisesRegex(RuntimeError, "has ended, and the calls"):
            tracker.expect("B", count=0)

    def test_answers_in_a_forked_child_for_the_calls_of_the_child(self) -> None:
        self.tracker.track("OF_PARENT").outcome(GUARD)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                self.tracker.track("OF_CHILD")
                code = 0 if [call["name"] for call in self.tracker.calls()] == ["OF_CHILD"] else 2
            finally:
                os._exit(code)

        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual([call["name"] for call in self.tracker.calls()], ["OF_PARENT"])

    def test_is_in_use_again_once_it_is_initialised(self) -> None:
        self.tracker.track("A")
        self.tracker.close()
        self.tracker.init("925", {"api_url": "https://api.example.com", "x_api_key": "key"})
        self.tracker.track("B")
        for _ in range(8):
            TestTracker(host_path=host_path(), stderr="ignore", warnings=False).close()

        self.assertEqual([call["name"] for call in self.tracker.calls()], ["A", "B"])
        self.tracker.close()
        for _ in range(8):
            TestTracker(host_path=host_path(), stderr="ignore", warnings=False).close()
        self.tracker.init("925", {"api_url": "https://api.example.com", "x_api_key": "key"})
        self.tracker.track("C")
        self.tracker.expect("C", count=1)

    def test_starts_no_host_to_shut_down(self) -> None:
        TestTracker(host_path="/nonexistent/BridgeHost", warnings=False).close()

    def test_is_not_hurried_by_a_clock_that_a_test_replaces(self) -> None:
        with mock.patch("time.monotonic", lambda: 1e10):
            self.tracker.track("Cart Opened")
            self.tracker.expect("Cart Opened", count=1)

        self.tracker.track("Later")
        self.tracker.expect("Later", count=1)

    def test_asyncio(self) -> None:
        async def main() -> None:
            async with AsyncTestTracker(host_path=host_path(), stderr="ignore", warnings=False) as tracker:
                tracker.track("PURCHASE", {"total": 1})
                await tracker.expect("PURCHASE", {"total": 1}, count=1)
                with self.assertRaises(AssertionError):
                    await tracker.expect("PURCHASE", count=0)
                await tracker.fail("QUEUE_FULL")
                self.assertEqual((await tracker.track("PURCHASE")).reason, "QUEUE_FULL")
                await tracker.clear()
                self.assertEqual(await tracker.calls(), [])
                self.assertEqual(await tracker.find("PURCHASE"), [])
                host = tracker._channel.link.host
                assert host
                os.kill(host, signal.SIGKILL)
                await tracker.track("Lost")
                for question in (tracker.calls(), tracker.find("Lost"), tracker.expect("Lost", count=0)):
                    with self.assertRaisesRegex(RuntimeError, "has ended, and the calls"):
                        await question
                await tracker.clear()
                tracker.track("Last")
            await tracker.expect("Last", count=1)

        asyncio.run(main())


PYTEST = """
from mobiletracker.testing import TestTracker

def check_out(tracker):
    tracker.analytics.track("Order Completed", {"total": 149.99}, user_id="user-1")

def test_order(mobile_tracker):
    check_out(mobile_tracker)
    mobile_tracker.expect("Order Completed", {"total": 149.99}, user_id="user-1", count=1)

def test_begins_anew(mobile_tracker: TestTracker):
    assert mobile_tracker.calls() == []

def test_fails(mobile_tracker):
    check_out(mobile_tracker)
    mobile_tracker.expect("Order Completed", {"total": 1})
"""


class FixtureTests(TestCase):
    """The fixture of pytest."""

    def run_pytest(self, source: str) -> str:
        """What pytest prints of these tests."""
        host = str(host_path())
        (self.folder / "test_shop.py").write_text(source)
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "mobiletracker._pytest", "-p", "no:cacheprovider"],
            cwd=self.folder,
            env={
                **os.environ, "PYTHONPATH": str(SOURCE), "MOBILE_TRACKER_HOST": host,
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # A build of the package leaves its entry point beside the source.
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=GUARD,
        ).stdout

    def test_each_test_has_a_tracker_of_its_own(self) -> None:
        output = self.run_pytest(PYTEST)

        self.assertIn("1 failed, 2 passed", output)
        self.assertIn("properties.total is 149.99; expected 1.", output)
        self.assertNotIn("cannot collect test class", output)

    def test_the_page_shows_a_test_that_passes(self) -> None:
        page = (ROOT / "Docs/Testing.md").read_text()
        first, second = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)

        self.assertIn("1 passed", self.run_pytest(first))
        exec(second.replace("TestTracker()", f"TestTracker(host_path={str(host_path())!r})"), {})
