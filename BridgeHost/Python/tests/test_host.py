"""The way to the host: finding it, starting it, what it says, and its death."""

from __future__ import annotations

import asyncio
import errno
import os
import platform
import queue
import signal
import struct
import sys
import threading
import unittest
from functools import partial
from pathlib import Path
from typing import Any, cast
from unittest import mock

from .support import KEY, PATIENT, AsyncTestCase, FakeHost, TestCase, host_path, run_program

from mobiletracker import LogNotification, MobileTracker, MobileTrackerError, TrackerConfig  # isort: skip
from mobiletracker._limits import CrashLimit  # isort: skip
from mobiletracker._find import HostEnd, explain_start, find_host  # isort: skip

LOG = {"level": "warning", "message": "Careful.", "at": "2025-01-31T09:30:00.000Z"}


def place(path: Path, content: str = "") -> Path:
    """A file there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    path.chmod(0o755)
    return path


class FindTests(TestCase):
    """Where the host is looked for."""

    def setUp(self) -> None:
        super().setUp()
        environment = {name: value for name, value in os.environ.items() if name != "MOBILE_TRACKER_HOST"}
        self.enterContext(mock.patch.dict(os.environ, environment, clear=True))
        self.package = self.folder / "BridgeHost/Python/src/mobiletracker"

    def test_argument_then_variable_then_package_then_builds(self) -> None:
        debug = place(self.folder / ".build/debug/BridgeHost")
        self.assertEqual(find_host(package=self.package), debug)
        release = place(self.folder / ".build/release/BridgeHost")
        self.assertEqual(find_host(package=self.package), release)
        packed = place(self.package / "host/BridgeHost")
        self.assertEqual(find_host(package=self.package), packed)
        os.environ["MOBILE_TRACKER_HOST"] = str(place(self.folder / "named"))
        self.assertEqual(find_host(package=self.package), self.folder / "named")
        given = place(self.folder / "given")
        self.assertEqual(find_host(given, package=self.package), given)

    def test_without_one_the_error_says_where_it_could_have_been(self) -> None:
        with self.assertRaises(MobileTrackerError) as caught:
            find_host(package=self.package)

        error = caught.exception
        self.assertEqual(error.code, "HOST_NOT_FOUND")
        origins = {"package": "package", "release": "release build", "debug": "debug build"}
        self.assertEqual([place["origin"] for place in error.data["looked"]], list(origins))
        for place in error.data["looked"]:
            self.assertIn(f"  {place['path']} ({origins[place['origin']]})\n", error.message)
        self.assertRegex(error.message, r"(?s)make build.*host_path.*MOBILE_TRACKER_HOST")

    def test_an_installed_package_looks_in_itself_alone(self) -> None:
        with self.assertRaises(MobileTrackerError) as caught:
            find_host(package=self.folder / "site-packages/mobiletracker")

        self.assertEqual(len(caught.exception.data["looked"]), 1)

    def test_a_path_that_cannot_be_examined_is_none(self) -> None:
        for path in (self.folder / ("x" * 300), Path("a\0b")):
            with self.assertRaisesCode("HOST_NOT_FOUND"):
                find_host(path, package=self.package)

    def test_one_that_was_named_wrongly_is_not_replaced_by_another(self) -> None:
        place(self.package / "host/BridgeHost")

        with self.assertRaisesRegex(MobileTrackerError, "You named this place, so no other was searched") as caught:
            find_host(self.folder / "nowhere", package=self.package)
        self.assertEqual(caught.exception.code, "HOST_NOT_FOUND")
        with self.assertRaisesCode("HOST_NOT_FOUND"):
            find_host(self.folder, package=self.package)


class FolderTests(TestCase):
    """The folder in which a tracker was made is where its host runs, wherever the program goes."""

    def setUp(self) -> None:
        super().setUp()
        (self.folder / "host").symlink_to(host_path())
        self.elsewhere = self.folder / "elsewhere"
        self.elsewhere.mkdir()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def tracker(self, **options: Any) -> MobileTracker:
        """A tracker with a relative state folder. The program has left its folder since."""
        tracker = MobileTracker(host_arguments=["--storage-dir", "state", *PATIENT], stderr="ignore", **options)
        self.addCleanup(tracker.close)
        os.chdir(self.elsewhere)
        return tracker

    def initialise(self, tracker: MobileTracker) -> None:
        tracker.basic.initialize("key", "http://127.0.0.1:9/events")

    def test_relative_arguments_lead_from_there(self) -> None:
        self.initialise(self.tracker(host_path="host"))

        self.assertTrue((self.folder / "state").is_dir())

    def test_a_relative_variable_leads_from_there(self) -> None:
        with mock.patch.dict(os.environ, MOBILE_TRACKER_HOST="host"):
            self.initialise(self.tracker())

        self.assertTrue((self.folder / "state").is_dir())

    def test_a_denial_holds_for_a_host_that_is_started_again_and_for_that_of_a_child(self) -> None:
        tracker = MobileTracker(host_path="host", host_arguments=["--storage-dir", "state", *PATIENT], stderr="ignore")
        self.addCleanup(tracker.close)
        tracker.init("925", {"api_url": "http://127.0.0.1:9", "x_api_key": KEY, "session_creation": "inBackground"})
        tracker.set_consent("denied")
        os.chdir(self.elsewhere)

        host = tracker._channel.link.host
        assert host
        os.kill(host, signal.SIGKILL)
        self.assertEqual(tracker.track("A").outcome(60).reason, "TRACKING_NOT_ALLOWED")
        child = os.fork()
        if child == 0:
            code = 1
            try:
                code = 0 if tracker.track("B").outcome(60).reason == "TRACKING_NOT_ALLOWED" else 2
                tracker.close()
            finally:
                os._exit(code)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)

    def test_if_it_is_gone_the_host_runs_where_the_program_is(self) -> None:
        gone = self.folder / "gone"
        gone.mkdir()
        os.chdir(gone)
        tracker = self.tracker(host_path=self.folder / "host")
        gone.rmdir()
        os.chdir(self.folder)

        self.initialise(tracker)

        self.assertTrue((self.folder / "state").is_dir())

    @unittest.skipUnless(os.geteuid() == 0, "only root can become another user")
    def test_if_its_user_may_not_enter_it_any_more_the_host_runs_where_the_program_is(self) -> None:
        self.folder.chmod(0o755)
        (self.folder / "closed").mkdir(mode=0o700)
        host = place(self.folder / "BridgeHost", "#!/bin/sh\necho \"It runs in $PWD.\" >&2\nexit 64\n")

        ended = run_program(
            "import os\nfrom mobiletracker import MobileTracker\n"
            f"os.chdir({str(self.folder / 'closed')!r})\n"
            f"tracker = MobileTracker(host_path={str(host)!r}, stderr='ignore')\n"
            "os.setuid(65534)\nos.chdir('/')\ntracker.init('925')\n"
        )

        self.assertIn("It runs in /.", ended.stderr)


class StartTests(TestCase):
    """A host that cannot start is explained."""

    def error_of(self, content: str | bytes, mode: int = 0o755) -> MobileTrackerError:
        """What a call is told when that is the host."""
        path = self.folder / "BridgeHost"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(mode)
        tracker = MobileTracker(host_path=path, stderr="ignore")
        self.addCleanup(tracker.close)
        with self.assertRaises(MobileTrackerError) as caught:
            tracker.init("925")
        return caught.exception

    def test_by_what_the_loader_says(self) -> None:
        cases = {
            "needs GLIBC 2.38, and the C library of this system is older": (
                "for version in 2.4 2.38 2.34; do "
                'echo "$0: libc.so.6: version \\`GLIBC_$version\' not found (required by $0)" >&2; done; exit 1'
            ),
            "needs the library libsqlite3.so.0, which is not installed": (
                'echo "$0: error while loading shared libraries: libsqlite3.so.0: cannot open" >&2; exit 127'
            ),
            "The system cannot run the host at ": 'echo "no such luck" >&2; exit 126',
        }
        for sentence, script in cases.items():
            with self.subTest(sentence):
                error = self.error_of(f"#!/bin/sh\n{script}\n")
                self.assertEqual(error.code, "HOST_START_FAILED")
                self.assertIn(sentence, error.message)

    def test_by_the_system(self) -> None:
        self.assertIn("may not be executed", self.error_of("#!/bin/sh\n", 0o644).message)
        self.assertIn("needs another C library", self.error_of("#!/nowhere/ld-linux.so\n").message)
        self.assertIn("is not a program for this system", self.error_of("What?").message)

    def test_by_the_processor(self) -> None:
        other, name = (0xB7, "aarch64") if platform.machine() == "x86_64" else (0x3E, "x86_64")
        elf = b"\x7fELF\x02\x01\x01".ljust(18, b"\0") + struct.pack("<H", other) + bytes(44)

        self.assertIn(
            f"was built for linux-{name}, and this is {sys.platform}-{platform.machine()}", self.error_of(elf).message
        )
        self.assertIn(
            "was built for darwin-arm64", self.error_of(struct.pack("<II", 0xFEEDFACF, 0x0100000C) + bytes(56)).message
        )

    def test_by_its_arguments_in_its_own_words(self) -> None:
        tracker = MobileTracker(host_path=host_path(), host_arguments=["--storage-dirr", "/tmp"], stderr="ignore")
        self.addCleanup(tracker.close)

        with self.assertRaisesRegex(
            MobileTrackerError, r"\(`host_arguments`\): .*unknown argument '--storage-dirr'"
        ):
            tracker.init("925")
        self.assertEqual(len(self.warnings), 1)

    def test_but_an_ordinary_crash_is_not(self) -> None:
        path = place(self.folder / "BridgeHost", "#!/bin/sh\n")

        self.assertIsNone(explain_start(path, HostEnd(signal=signal.SIGSEGV)))
        self.assertIsNone(explain_start(path, HostEnd(code=1, stderr="Fatal error")))
        self.assertIsNone(explain_start(path, HostEnd(error=OSError(errno.EAGAIN, "again"))))


class InitTests(TestCase):
    """`init` with the real host."""

    def test_raises_what_is_wrong_with_an_argument(self) -> None:
        tracker = self.real()
        config = cast(Any, {"api_url": "https://api.example.com", "x_api_key": "key", "retry_delay_ms": "soon"})

        with self.assertRaisesRegex(MobileTrackerError, "INVALID_BRAND_ID: Brand ID must be a number"):
            tracker.init("shop", config)
        with self.assertRaisesRegex(MobileTrackerError, "INVALID_PARAMS: init: 'brand_id' must be a string"):
            tracker.init(cast(Any, 925), config)
        with self.assertRaisesRegex(MobileTrackerError, "INVALID_CONFIGURATION: .*'retry_delay_ms' must be"):
            tracker.init("925", config)

    def test_names_an_option_as_the_caller_does(self) -> None:
        tracker = self.real()
        init: Any = partial(tracker.init, "925")
        analytics: Any = tracker.analytics.initialize
        server = {"api_url": "https://api.example.com", "x_api_key": "key"}
        for begin, config, words in [
            (init, {"api_ulr": "u"}, "'api_ulr' is not known; did you mean 'api_url'?"),
            (init, {**server, "x_api_key": 5}, "'x_api_key' must be a string"),
            (init, {"api_url": "u", "xApiKey": 5}, "'xApiKey' must be a string"),
            (init, {**server, "device": {"os_nam": "x"}}, "'device.os_nam' is not known; did you mean 'os_name'?"),
            (init, {**server, "device": {"osName": 5}}, "'device.osName' must be a string"),
            (init, {**server, "api_url": "http://api.example.com"}, "or set `allow_insecure_http`."),
            (init, {**server, "session_creation": "x"}, "'session_creation' must be 'duringInit' or"),
            (analytics, {"write_key": 5}, "'write_key' must be a string"),
        ]:
            with self.subTest(config=config), self.assertRaises(MobileTrackerError) as caught:
                begin(config)
            self.assertEqual(caught.exception.code, "INVALID_CONFIGURATION")
            self.assertIn(words, caught.exception.message)
        with self.assertRaisesRegex(MobileTrackerError, "'app_version' must be a string"):
            tracker.basic.initialize("key", "https://in.example.com", app_version=cast(Any, 5))

    def test_raises_that_there_is_no_session_and_keeps_what_was_tracked(self) -> None:
        collector, tracker = self.start_collector(), self.real()
        collector.faults(["503×1"])

        with self.assertRaises(MobileTrackerError) as caught:
            tracker.init("925", collector.config())
        kept = tracker.track("KEPT").outcome(60)
        tracker.init("925", collector.config())
        collector.wait(name="KEPT")

        self.assertEqual((caught.exception.code, caught.exception.data["status"]), ("SESSION_CREATION_FAILED", 503))
        self.assertEqual(kept.status, "pending")

    def test_takes_from_the_environment_what_the_program_leaves_out(self) -> None:
        collector, tracker = self.start_collector(), self.real()
        settings = {"MOBILE_TRACKER_API_URL": collector.url, "MOBILE_TRACKER_KEY": KEY}

        with mock.patch.dict(os.environ, settings):
            tracker.init("925")
        tracker.track("A")
        collector.wait(name="A")

        self.assertEqual(collector.problems(), [])

    def test_with_enabled_false_drops_every_call(self) -> None:
        tracker = self.real()

        tracker.init("925", {"enabled": False})

        with self.assertLogs("mobiletracker", "WARNING") as logs:
            self.assertEqual(tracker.track("A").outcome(60).reason, "DISABLED")
            tracker.shutdown()
        self.assertIn("DISABLED. Tracking is off: `enabled` is false.", logs.output[0])

    def test_names_the_variable_that_turned_tracking_off(self) -> None:
        with mock.patch.dict(os.environ, {"MOBILE_TRACKER_ENABLED": "Off"}):
            tracker = self.real()
            tracker.init("925")

            with self.assertLogs("mobiletracker", "WARNING") as logs:
                self.assertEqual(tracker.track("A").outcome(60).reason, "DISABLED")
                tracker.shutdown()
        self.assertIn("Tracking is off: MOBILE_TRACKER_ENABLED is false in the environment.", logs.output[0])

    def test_raises_that_the_folder_cannot_be_used(self) -> None:
        tracker = self.real()
        (self.folder / "file").touch()
        config: TrackerConfig = {
            "api_url": "https://api.example.com",
            "x_api_key": "key",
            "storage_directory": str(self.folder / "file"),
        }

        with self.assertRaisesCode("STORAGE_ERROR"):
            tracker.init("925", config)


class DeathTests(TestCase):
    """What a stand-in for the host can do that the real one does not."""

    def test_by_any_manner_unanswered_calls_are_made_again_under_their_ids(self) -> None:
        for manner in ("kill", "exit", "half", "garbage", "hold"):
            with self.subTest(manner):
                (self.folder / manner).mkdir()
                fake = FakeHost(self.folder / manner, {"diesAt": 2, "manner": manner}, {})
                tracker = MobileTracker(host_path=fake.path, host_arguments=[str(fake.folder)], stderr="ignore")
                receipts = [tracker.track("A"), tracker.identify("u1"), tracker.analytics.page("B")]
                tracker.set_consent("granted")
                outcomes = [receipt.outcome(60) for receipt in receipts]
                tracker.close()

                first, second = fake.lives
                self.assertEqual([call["method"] for call in second][:3], ["identify", "analytics.page", "setConsent"])
                self.assertEqual(first[1]["params"], second[0]["params"])
                self.assertEqual(outcomes[1].message_id, second[0]["params"]["messageId"])

    @unittest.skipUnless(hasattr(signal, "SIGRTMIN"), "this system has no real-time signals")
    def test_by_a_signal_without_a_name_unanswered_calls_are_made_again(self) -> None:
        tracker, fake = self.fake({"silent": ["track"]}, {})
        tracker.identify("u1").outcome(60)
        receipt = tracker.track("A")

        os.kill(fake.pid, 40)

        self.assertEqual(receipt.outcome(60).status, "queued")
        self.assertEqual(self.warnings, ["The host ended unexpectedly (signal 40)."])

    def test_clients_are_restored_first_in_their_order(self) -> None:
        tracker, fake = self.fake({"diesAt": 9}, {})
        # On disk the decision outlives the host.
        config: Any = {"apiUrl": "https://api.example.com", "xApiKey": "key", "persistence": "memory"}
        tracker.on("log", lambda notification: None)
        tracker.set_consent("granted", message_id="c2")
        tracker.init("925", config | {"sessionCreation": "duringInit"})
        tracker.analytics.initialize({"write_key": "w", "ingestion_host": "https://i.example.com"})
        tracker.basic.initialize("key", "https://b.example.com", "1.0")
        tracker.basic.initialize("key2", "https://b.example.com")
        tracker.basic.identify("u1", {"plan": "pro"}, message_id="b1")
        tracker.basic.identify("u2", {"plan": "free"}, message_id="b2").outcome(60)

        receipts = [tracker.track("A"), tracker.track("B")]
        for receipt in receipts:
            receipt.outcome(60)

        self.assertEqual(
            [(call["method"], call["params"]) for call in fake.lives[1]][:6],
            [
                ("setConsent", {"consent": "granted", "messageId": "c2"}),
                ("init", {"brandId": "925", "config": {**config, "sessionCreation": "inBackground"}}),
                ("analytics.initialize", {"options": {"writeKey": "w", "ingestionHost": "https://i.example.com"}}),
                ("basic.initialize", {"apiKey": "key2", "endpoint": "https://b.example.com"}),
                (
                    "basic.identify",
                    {"repeats": "answered", "userId": "u2", "traits": {"plan": "free"}, "messageId": "b2"},
                ),
                ("host.subscribe", ["log"]),
            ],
        )
        self.assertEqual([call["params"]["eventName"] for call in fake.lives[1][6:8]], ["A", "B"])

    def test_what_no_longer_holds_is_not_brought_back(self) -> None:
        tracker, fake = self.fake({"diesAt": 8}, {})
        config: TrackerConfig = {"api_url": "https://api.example.com", "x_api_key": "key"}
        tracker.set_consent("denied")
        tracker.init("925", config)
        tracker.set_consent("granted")  # From here on it is on disk.
        tracker.reset()
        tracker.reset(True)
        tracker.analytics.initialize({"write_key": "w", "ingestion_host": "https://i.example.com"})
        tracker.analytics.reset()

        tracker.track("A").outcome(60)

        # The brand has ended: the next `init` may name another.
        self.assertEqual(fake.methods[1], ["init", "reset", "track"])
        reset = fake.lives[1][1]["params"]
        self.assertEqual((reset["all"], reset["repeats"]), (True, "answered"))

    def test_a_consent_that_is_in_memory_alone_is_brought_back(self) -> None:
        tracker, fake = self.fake({"diesAt": 3}, {})
        tracker.init("925", {"api_url": "https://api.example.com", "x_api_key": "key", "persistence": "memory"})
        tracker.set_consent("denied")

        tracker.track("A").outcome(60)

        self.assertEqual(fake.methods[1], ["setConsent", "init", "track"])

    def test_one_that_always_dies_is_tried_again_when_a_minute_has_passed(self) -> None:
        now = 1000.0
        limit = CrashLimit(lambda: now)
        for _ in range(5):
            limit.record()
            now += 10

        self.assertTrue(limit.is_reached)
        now = 1059.9
        self.assertTrue(limit.is_reached)
        now = 1060
        self.assertFalse(limit.is_reached)
        limit.record()
        self.assertTrue(limit.is_reached)

    def test_one_that_always_dies_is_a_warning_with_the_number_of_failed_calls(self) -> None:
        tracker, _ = self.fake({"diesAt": 1, "manner": "exit"})

        tracker.track("A")
        tracker.analytics.identify("u1")
        tracker.basic.screen("B")
        with self.assertRaisesCode("HOST_EXITED"):
            tracker.track("C").outcome(60)
        tracker.close()

        lost = r"HOST_EXITED\. Events that no host had stored are lost\."
        told = [warning for warning in self.warnings if "failed" in warning]
        self.assertRegex(told[0], rf"^3 calls failed: {lost} The first was track \"A\" \(at .*test_host\.py:\d+\)\.$")
        self.assertEqual(len(told), 1)

    def test_it_has_a_session_of_its_own_so_that_ctrl_c_is_not_for_it(self) -> None:
        tracker, fake = self.fake()
        tracker.track("A").outcome(60)

        self.assertEqual(os.getsid(fake.pid), fake.pid)

    def test_answers_are_put_together_from_pieces(self) -> None:
        tracker, _ = self.fake({"piece": 1, "results": {"getSessionEmail": {"sessionEmail": "jörg@example.com 🐙"}}})

        self.assertEqual(tracker.get_session_email(), "jörg@example.com 🐙")

    def test_a_host_that_reads_slowly_gets_everything(self) -> None:
        tracker, fake = self.fake({"pauseEvery": 64})
        text = "x" * 1000

        receipts = [tracker.track("A", {"i": i, "text": text}) for i in range(500)]
        for receipt in receipts:
            receipt.outcome(60)

        self.assertEqual([call["params"]["attributes"]["i"] for call in fake.lives[0]], list(range(500)))


class NotificationTests(TestCase):
    """Notifications, on a thread of their own."""

    def test_reach_their_listeners_which_may_make_calls(self) -> None:
        tracker, fake = self.fake({"notifications": [["log", LOG], ["session", {"sessionId": "s1"}]]})
        heard: list[object] = []
        done = threading.Event()

        def listen(notification: object) -> None:
            heard.append(notification)
            heard.append(tracker.get_session_id())
            done.set()

        tracker.on("session", listen)

        self.assertTrue(done.wait(60))
        self.assertEqual(heard[0], {"session_id": "s1"})
        self.assertEqual(fake.methods[0], ["host.subscribe", "getSessionId"])

    def test_reach_no_removed_listener_and_survive_one_that_fails(self) -> None:
        tracker, fake = self.fake({}, {"notifications": [["log", LOG]]})
        heard: list[str] = []
        done = threading.Event()

        def listen(notification: LogNotification) -> None:
            heard.append(notification["message"])
            done.set()

        tracker.on("log", lambda notification: 1 / 0)
        tracker.on("log", lambda notification: heard.append("stopped"))()
        tracker.on("log", listen)
        tracker.track("A").outcome(60)

        # The next one sends the notification when all listen.
        os.kill(fake.pid, signal.SIGKILL)

        self.assertTrue(done.wait(60))
        self.assertEqual(heard, ["Careful."])
        self.assertIn("ZeroDivisionError", self.warnings[-1])

    def test_reach_async_listeners(self) -> None:
        tracker, _ = self.fake({"notifications": [["log", LOG], ["log", LOG]]})
        heard: list[str] = []
        done = threading.Event()

        async def listen(notification: LogNotification) -> None:
            await asyncio.sleep(0)
            heard.append(notification["message"])
            if len(heard) == 1:
                raise LookupError("meant")
            done.set()

        tracker.on("log", listen)

        self.assertTrue(done.wait(60))
        self.assertEqual(heard, ["Careful.", "Careful."])
        self.assertIn("LookupError", self.warnings[-1])

    def test_of_deliveries_reach_only_listeners_of_that_topic(self) -> None:
        collector, tracker = self.start_collector(), self.real()
        delivered: queue.Queue[str | None] = queue.Queue()
        others: list[str] = []
        tracker.on("diagnostic", lambda notification: others.append(notification["kind"]))
        tracker.on("delivered", lambda notification: delivered.put(notification.get("message_id")))
        tracker.init("925", collector.config())

        tracker.track("A", message_id="m1")
        tracker.track("B", message_id="m2")

        self.assertEqual([delivered.get(timeout=60), delivered.get(timeout=60)], ["m1", "m2"])
        self.assertNotIn("delivered", others)

    def test_that_were_left_out_are_warned_of(self) -> None:
        tracker, _ = self.fake({"notifications": [["$/lost", {"count": 12}], ["$/other", {}]]})
        tracker.track("A").outcome(60)

        self.assertEqual(self.warnings, ["12 notifications were left out: they were not read in time."])

    def test_of_another_kind_do_not_exist(self) -> None:
        tracker, _ = self.fake()

        with self.assertRaisesRegex(ValueError, "There is no topic 'logs', only log, diagnostic, session, delivered"):
            tracker.on("logs", print)  # type: ignore[call-overload]


class AsyncNotificationTests(AsyncTestCase):
    """Notifications in an event loop."""

    async def test_come_in_the_loop_that_runs(self) -> None:
        tracker, _ = self.fake_async({"notifications": [["log", LOG]]})
        heard: asyncio.Queue[object] = asyncio.Queue()
        thread = threading.get_ident()
        tracker.on("log", lambda notification: heard.put_nowait((threading.get_ident(), notification)))

        self.assertEqual(await asyncio.wait_for(heard.get(), 60), (thread, LOG))

    async def test_reach_async_listeners_as_tasks(self) -> None:
        tracker, _ = self.fake_async({"notifications": [["log", LOG], ["log", LOG]]})
        heard: asyncio.Queue[int] = asyncio.Queue()

        async def listen(notification: LogNotification) -> None:
            await tracker.get_session_id()
            await heard.put(threading.get_ident())
            raise LookupError("meant")

        tracker.on("log", listen)

        for _ in range(2):
            self.assertEqual(await asyncio.wait_for(heard.get(), 60), threading.get_ident())
        await tracker.close()
        self.assertEqual(len([warning for warning in self.warnings if "LookupError" in warning]), 2)


if __name__ == "__main__":
    unittest.main()
