"""A tracker by itself: its options, its threads, and what becomes of calls when it fails."""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import subprocess
import sys
import threading
import types
import unittest
from collections.abc import Callable
from types import FrameType
from typing import Any, cast
from unittest import mock

from .support import GUARD, SOURCE, AsyncTestCase, TestCase, host_path

from mobiletracker import AsyncMobileTracker, MobileTracker, MobileTrackerError  # isort: skip
from mobiletracker._notification_listeners import ListenerThread  # isort: skip
from mobiletracker._options import program_name  # isort: skip
from mobiletracker._warnings import call_name  # isort: skip

LOG_NOTIFICATION = ["log", {"level": "warning", "message": "Careful.", "at": "2025-01-31T09:30:00.000Z"}]


class OptionTests(unittest.TestCase):
    """The arguments of a tracker."""

    def test_is_named_after_what_is_run(self) -> None:
        for spec, argument, name in [
            (None, "/srv/shop.py", "shop"),
            ("shop.web.__main__", "/srv/shop/web/__main__.py", "shop.web"),
            ("__main__", "/srv/shop.pyz", "shop"),
            ("__main__", "/srv/shop", "shop"),
            ("__main__", "/srv/shop/", "shop"),
            ("__main__", ".", os.path.splitext(os.path.basename(os.getcwd()))[0]),
            (None, "/srv/shop/__main__.py", "shop"),
            (None, "-c", None),
            (None, "-m", None),
        ]:
            main = types.SimpleNamespace(__spec__=spec and types.SimpleNamespace(name=spec))
            with mock.patch.dict(sys.modules, {"__main__": main}), mock.patch.object(sys, "argv", [argument]):
                self.assertEqual(program_name(os.getcwd()), name, (spec, argument))

    def test_keeps_its_name_when_the_program_goes_to_another_folder(self) -> None:
        main = types.SimpleNamespace(__spec__=types.SimpleNamespace(name="__main__"))
        self.addCleanup(os.chdir, os.getcwd())
        with mock.patch.dict(sys.modules, {"__main__": main}), mock.patch.object(sys, "argv", ["."]):
            os.chdir("/usr/bin")
            tracker = MobileTracker()
            os.chdir("/")
            arguments = tracker._channel.link._options.host_arguments()

        self.assertEqual(arguments[-2:], ["--app-name", "bin"])

    def test_keeps_the_place_of_its_host_when_the_program_goes_to_another_folder(self) -> None:
        tracker = MobileTracker(host_path="hosts/BridgeHost")

        self.assertEqual(tracker.host_path, os.path.abspath("hosts/BridgeHost"))

    def test_names_a_call_whatever_its_name_holds(self) -> None:
        self.assertEqual(call_name("track", "a\ud800\u00e9"), 'track "a\\ud800\u00e9"')

    def test_a_wrong_one_is_refused_at_once(self) -> None:
        wrong: list[tuple[dict[str, Any], str]] = [
            ({"host_arguments": "--storage-dir=/tmp"}, "'host_arguments' must be an array of strings"),
            ({"host_arguments": ["--storage-dir", 1]}, "'host_arguments' must be an array of strings"),
            ({"stderr": "ignroe"}, "'stderr' must be 'inherit' or 'ignore', not 'ignroe'"),
            ({"app_name": 1}, "'app_name' must be a string, and is of type int"),
            ({"logger": print}, "'logger' must be a logger"),
            ({"before_send": {}}, "'before_send' must be a function"),
            ({"default": "str"}, "'default' must be a function"),
            ({"before_send": asyncio.sleep}, "'before_send' must be an ordinary function, and not `async`"),
        ]
        for tracker in (MobileTracker, AsyncMobileTracker):
            for options, sentence in wrong:
                with self.subTest(sentence, tracker=tracker), self.assertRaisesRegex((TypeError, ValueError), sentence):
                    tracker(**options)

    def test_a_right_one_is_not(self) -> None:
        for tracker in (MobileTracker, AsyncMobileTracker):
            logger = cast(logging.Logger, logging.LoggerAdapter(logging.getLogger("shop")))
            tracker(host_arguments=("--storage-dir", "/tmp"), stderr="ignore", app_name="shop", logger=logger)


class NameTests(TestCase):
    """A program is named after the package that runs, also if the tracker is made while that is imported."""

    def names(self, module: str, **modules: str) -> list[str]:
        """Runs a module of the package `shop`, and says which state folders its hosts have then."""
        package = self.folder / "shop"
        package.mkdir()
        begin = (
            "from mobiletracker import MobileTracker\n"
            "tracker = MobileTracker()\n"
            "def begin():\n"
            '    tracker.basic.initialize("key", "http://127.0.0.1:9/events")\n'
        )
        for name, source in {"__init__": begin, **modules}.items():
            (package / f"{name}.py").write_text(source)
        state = self.folder / "state"
        own = {"PYTHONPATH": str(SOURCE), "MOBILE_TRACKER_HOST": str(host_path()), "XDG_STATE_HOME": str(state)}
        command = [sys.executable, "-m", module]
        subprocess.run(command, env={**os.environ, **own}, cwd=self.folder, timeout=GUARD, check=True)
        return sorted(os.listdir(state / "mobile-tracker"))

    def test_of_a_package_that_makes_it(self) -> None:
        self.assertEqual(self.names("shop", __main__="from . import begin\nbegin()\n"), ["shop"])

    def test_of_a_process_that_it_spawns_as_well(self) -> None:
        web = (
            "import multiprocessing\n"
            "from . import begin\n"
            'if __name__ == "__main__":\n'
            "    begin()\n"
            '    process = multiprocessing.get_context("spawn").Process(target=begin)\n'
            "    process.start()\n"
            "    process.join()\n"
            "    assert process.exitcode == 0\n"
        )

        self.assertEqual(self.names("shop.web", web=web), ["shop.web"])


class SetupTests(TestCase):
    """Setups in another shape, each with what is right."""

    def test_says_which_shape_is_right(self) -> None:
        tracker = self.real()
        initialize: Any = tracker.analytics.initialize
        init: Any = tracker.init
        for call, arguments, sentence in (
            (initialize, ("key",), "'options' must be an object, such as {"),
            (initialize, ({"options": {"write_key": "k"}},), "'options' is not known, and holds 'write_key': give that without"),
            (initialize, ({"write_key": "k", "api": "rudderstack"},), "for 'rudderstack' it is 'segment'"),
            (init, ("925", "https://a"), "'config' must be an object, such as {"),
            (init, ("925", {"config": {"api_url": "https://a"}}), "'config' is not known, and holds 'api_url'"),
        ):
            with self.subTest(sentence), self.assertRaises(MobileTrackerError) as caught:
                call(*arguments)
            self.assertIn(sentence, str(caught.exception))


class ThreadTests(TestCase):
    """The threads of a tracker."""

    def test_where_none_can_be_started_calls_fail_and_later_ones_work(self) -> None:
        tracker, fake = self.fake()

        with mock.patch.object(threading.Thread, "start", side_effect=RuntimeError("can't start new thread")):
            for receipt in [tracker.track("A") for _ in range(3)]:
                with self.assertRaisesCode("INTERNAL_ERROR"):
                    receipt.outcome(60)
            with self.assertRaisesRegex(Exception, "can't start new thread"):
                tracker.init("925")
            tracker.close()
        later = tracker.track("B").outcome(60)

        self.assertEqual(later.status, "queued")
        self.assertEqual(fake.methods, [["track"]])
        self.assertEqual(self.warnings, ['INTERNAL_ERROR: The client failed: RuntimeError("can\'t start new thread").'])

    def test_a_fault_before_the_host_is_started_starts_none(self) -> None:
        tracker, fake = self.fake()
        link = tracker._channel.link
        (held, released), done = (threading.Event(), threading.Event()), threading.Event()

        def hold(_: object) -> None:
            held.set()
            released.wait(60)

        def fail(_: object) -> None:
            raise LookupError("meant")

        link.io.post(hold)
        self.assertTrue(held.wait(60))
        receipt = tracker.track("A")
        link.io.post(fail)
        link.io.post(lambda _: link.io.post(lambda _: done.set()))
        released.set()

        with self.assertRaisesCode("INTERNAL_ERROR"):
            receipt.outcome(60)
        self.assertTrue(done.wait(60))
        self.assertEqual((repr(tracker), fake.lives), ("<MobileTracker, no host running>", []))

    def test_a_signal_handler_may_interrupt_a_call_anywhere_and_wait_for_calls_of_its_own(self) -> None:
        """The trace function stands for the handler: it runs before one line of the call, each time before the next."""
        tracker = self.real()
        warnings = tracker._channel.warnings
        tracker.track("First").outcome(GUARD)
        lines, interrupted_at = 0, 0
        outcomes: list[object] = []

        def interrupt(frame: FrameType, event: str, _: object) -> Any:
            nonlocal lines
            if "/mobiletracker/" not in frame.f_code.co_filename:
                return None
            lines += event == "line"
            if event == "line" and lines == interrupted_at:
                # The I/O thread ends the turn of the first answer before it reads the second one.
                for name in ("B", "C"):
                    outcomes.append(tracker.track(name).outcome(GUARD).reason)
            return interrupt

        tracing = sys.gettrace()
        self.addCleanup(sys.settrace, tracing)
        while lines >= interrupted_at:
            lines, interrupted_at = 0, interrupted_at + 1
            sys.settrace(interrupt)
            tracker.track("A").outcome(GUARD)
            warnings.finish()
            sys.settrace(tracing)

        self.assertEqual(outcomes, ["NOT_INITIALIZED"] * 2 * (interrupted_at - 1))
        self.assertGreater(interrupted_at, 100)

    def test_that_of_the_tracker_waits_for_no_call_of_its_own(self) -> None:
        tracker, _ = self.fake()
        heard: queue.SimpleQueue[str] = queue.SimpleQueue()

        def ask(_: object) -> None:
            for wait in (tracker.get_session_id, tracker.track("B").outcome):
                try:
                    wait()
                except RuntimeError as error:
                    heard.put(str(error))
            tracker.close()
            heard.put("closed")

        tracker.track("A").outcome(60)
        tracker._channel.link.io.post(ask)

        for method in ("getSessionId", "track"):
            expected = f"^{method} was called on the tracker's own thread.*would wait for itself"
            self.assertRegex(heard.get(timeout=60), expected)
        self.assertEqual(heard.get(timeout=60), "closed")

    def test_that_of_the_listeners_ends_with_the_host_and_comes_back_with_the_next(self) -> None:
        tracker, _ = self.fake({"notifications": [LOG_NOTIFICATION]})
        threads: list[threading.Thread] = []
        heard = threading.Semaphore(0)

        def listen(_: object) -> None:
            threads.append(threading.current_thread())
            heard.release()

        stop = tracker.on("log", listen)
        for _ in range(2):
            self.assertTrue(heard.acquire(timeout=60))
            tracker.close()
            threads[-1].join(60)
            self.assertFalse(threads[-1].is_alive())
            tracker.track("A").outcome(60)
        stop()
        stop()

    def test_that_of_the_listeners_is_no_fault_if_the_program_may_start_none_any_more(self) -> None:
        heard: queue.SimpleQueue[int] = queue.SimpleQueue()

        def call(listener: Callable[[Any], object], notification: Any) -> None:
            listener(notification)

        listeners = ListenerThread(call)
        with mock.patch.object(threading.Thread, "start", side_effect=RuntimeError("at interpreter shutdown")):
            listeners.enqueue(heard.put, 1)
        listeners.enqueue(heard.put, 2)
        listeners.finish()

        self.assertEqual(heard.get(timeout=60), 2)

    def test_that_of_the_listeners_outlives_whatever_a_listener_raises(self) -> None:
        tracker = self.real()
        heard: queue.Queue[object] = queue.Queue()

        def leave(_: object) -> None:
            sys.exit("done")

        async def cancel(_: object) -> None:
            raise asyncio.CancelledError

        for listener in (leave, cancel, heard.put):
            tracker.on("session", listener)
        tracker.init("925", self.start_collector().config())
        heard.get(timeout=60)
        tracker.reset()
        heard.get(timeout=60)

        for error in ("SystemExit", "CancelledError"):
            self.assertEqual(sum(error in text for text in self.warnings), 2)


class AsyncThreadTests(AsyncTestCase):
    """The same with an event loop."""

    async def test_where_none_can_be_started_calls_fail_and_later_ones_work(self) -> None:
        tracker, fake = self.fake_async()

        with mock.patch.object(threading.Thread, "start", side_effect=RuntimeError("can't start new thread")):
            with self.assertRaisesCode("INTERNAL_ERROR"):
                await tracker.track("A")
            await tracker.close()
        later = await tracker.track("B")

        self.assertEqual(later.status, "queued")
        self.assertEqual(fake.methods, [["track"]])


if __name__ == "__main__":
    unittest.main()
