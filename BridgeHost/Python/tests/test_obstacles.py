"""What the system refuses to the host's start, and a host that does not answer."""

from __future__ import annotations

import errno
import logging
import threading
import unittest
from pathlib import Path
from unittest import mock

from .support import GUARD, AsyncTestCase, FakeHost, TestCase, run_program

from mobiletracker import MobileTracker  # isort: skip
from mobiletracker._find import HostEnd  # isort: skip
from mobiletracker._host_end import after_agent, after_host  # isort: skip
from mobiletracker._limits import CrashLimit  # isort: skip

DESCRIPTORS = """
import logging, os, resource, threading
from mobiletracker import MobileTracker

resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))


class Told(logging.Handler):
    def __init__(self):
        super().__init__()
        self.messages, self.event = [], threading.Event()

    def emit(self, record):
        self.messages.append(record.getMessage())
        if "cannot be started now" in self.messages[-1]:
            self.event.set()


def take_all():
    taken = []
    try:
        while True:
            taken.append(os.dup(0))
    except OSError:
        return taken


told = Told()
logging.getLogger("mobiletracker").addHandler(told)
tracker = MobileTracker(host_path={path!r}, host_arguments=[{folder!r}], stderr="ignore")
"""


class DescriptorTests(TestCase):
    """A program that has used up its file descriptors for a while."""

    def run_without(self, body: str) -> list[str]:
        """Runs a program, and returns what it prints."""
        fake = FakeHost(self.folder)
        program = DESCRIPTORS.format(path=str(fake.path), folder=str(self.folder))
        ended = run_program(program + body)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout.splitlines()

    def test_at_the_start_keeps_its_calls_until_the_host_can_be_started(self) -> None:
        printed = self.run_without(
            "taken = take_all()\n"
            "receipts = [tracker.track('A') for _ in range(3)]\n"
            "assert told.event.wait(60)\n"
            "for each in taken: os.close(each)\n"
            "for receipt in receipts: print(receipt.outcome(60).status)\n"
            "print(tracker.track('B').outcome(60).status)\n"
            "print(told.messages[0])\n"
        )

        self.assertEqual(printed[:4], ["queued"] * 4)
        self.assertRegex(
            printed[4], r"^The host cannot be started now \(.*Too many open files.*\)\. This is tried again; calls wait\.$"
        )

    def test_at_a_restart_keeps_its_calls_until_the_host_can_be_started(self) -> None:
        printed = self.run_without(
            "tracker.init('925', {'api_url': 'https://api.example.com', 'x_api_key': 'key'})\n"
            "taken = take_all()\n"
            "os.kill(tracker._channel.link.host, 9)\n"
            "receipt = tracker.track('A')\n"
            "assert told.event.wait(60)\n"
            "for each in taken: os.close(each)\n"
            "print(receipt.outcome(60).status)\n"
        )

        self.assertEqual(printed, ["queued"])


class LimitTests(unittest.TestCase):
    """When the host is started again."""

    def test_the_next_start_waits_twice_as_long_each_time(self) -> None:
        now = 1000.0
        limit = CrashLimit(lambda: now)
        delays = [limit.delay]
        for _ in range(10):
            limit.record_obstacle()
            delays.append(limit.delay)

        self.assertEqual(delays, [0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5, 5])
        self.assertFalse(limit.is_blocked)
        now += 60
        self.assertTrue(limit.is_blocked)
        limit.record_start()
        self.assertEqual((limit.delay, limit.is_blocked), (0, False))
        limit.record()
        limit.record()
        self.assertEqual(limit.delay, 0.1)


class EndTests(unittest.TestCase):
    """What follows when a host has ended."""

    def setUp(self) -> None:
        self.now = 0.0
        self.limit = CrashLimit(lambda: self.now)

    def test_a_host_is_started_again_until_it_has_ended_five_times(self) -> None:
        ends = [after_host(self.limit, Path("/host"), HostEnd(code=1), True) for _ in range(5)]

        self.assertEqual([end.warning for end in ends], ["The host ended unexpectedly (exit code 1)."] * 4 + [None])
        self.assertEqual((ends[4].error.code, ends[4].error.retryable), ("HOST_EXITED", True))

    def test_a_start_that_the_system_refuses_is_tried_again_for_a_minute(self) -> None:
        lacking = HostEnd(error=OSError(errno.EAGAIN, "lacking"))
        ends = []
        for self.now in (0, 59, 60):
            ends.append(after_host(self.limit, Path("/host"), lacking, False))

        self.assertEqual([end.warning is None for end in ends], [False, False, True])
        self.assertEqual((ends[2].error.code, ends[2].error.retryable), ("HOST_START_FAILED", True))

    def test_an_agent_is_tried_again_unless_that_would_not_help(self) -> None:
        absent, forbidden = (HostEnd(error=OSError(number, "")) for number in (errno.ENOENT, errno.EACCES))

        self.assertIn("cannot be reached", after_agent(self.limit, Path("/agent"), absent, False).warning or "")
        self.assertIsNone(after_agent(self.limit, Path("/agent"), forbidden, False).warning)
        self.assertFalse(self.limit.is_reached)


class Told(logging.Handler):
    """Notices a warning."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self.words = words
        self.messages: list[str] = []
        self.event = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())
        if self.words in self.messages[-1]:
            self.event.set()


class SilenceTests(AsyncTestCase):
    """A host that does not answer."""

    def test_is_told_once_and_the_bound_holds(self) -> None:
        self.enterContext(mock.patch("mobiletracker._answer_watch.SILENCE", 0.1))
        self.enterContext(mock.patch("mobiletracker._limits._PATIENCE", 0.1))
        self.enterContext(mock.patch("mobiletracker._limits.MOST_CALLS", 10))
        told = Told("has not answered for 10 s, and ")
        logger = logging.Logger("own")
        logger.addHandler(told)
        fake = FakeHost(self.folder, {"silent": ["track"]})
        tracker = MobileTracker(
            host_path=fake.path, host_arguments=[str(self.folder)], stderr="ignore", logger=logger
        )
        self.addCleanup(tracker.close)

        receipts = [tracker.track("A") for _ in range(12)]
        self.assertTrue(told.event.wait(GUARD), told.messages)
        tracker.set_consent("granted")
        tracker.close()

        self.assertEqual([receipt.outcome(0).reason for receipt in receipts[10:]], ["QUEUE_FULL"] * 2)
        self.assertEqual([call["method"] for call in fake.lives[0]], ["track"] * 10 + ["setConsent", "host.shutdown"])
        full = [message for message in told.messages if "QUEUE_FULL" in message]
        self.assertRegex(full[0], "QUEUE_FULL. The host has not answered 100,000 calls, or 32 MiB of them: wait for")

    async def test_lets_no_calls_pile_up_that_nobody_awaits(self) -> None:
        self.enterContext(mock.patch("mobiletracker._limits.MOST_CALLS", 10))
        tracker, _ = self.fake_async({"silent": ["track"]})

        calls = [tracker.track("A") for _ in range(12)]

        self.assertEqual([(await call).reason for call in calls[10:]], ["QUEUE_FULL"] * 2)


if __name__ == "__main__":
    unittest.main()
