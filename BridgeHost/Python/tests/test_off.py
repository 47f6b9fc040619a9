"""Clients that are turned off."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any
from unittest import mock

from .support import KEY, FakeHost, TestCase, host_path, run_program

from mobiletracker import AsyncMobileTracker, MobileTracker, Outcome  # noqa: E402
from mobiletracker.testing import TestTracker  # noqa: E402

NOWHERE = Path("/nowhere/BridgeHost")


class OffTests(TestCase):
    """A program that turns tracking off."""

    def test_needs_no_host(self) -> None:
        cases: list[tuple[str, Any, dict[str, str]]] = [
            ("offByOption", {"enabled": False}, {"MOBILE_TRACKER_ENABLED": "true"}),
            ("offByEnvironment", {}, {"MOBILE_TRACKER_ENABLED": "No"}),
        ]
        for word, options, environment in cases:
            with self.subTest(word), mock.patch.dict(os.environ, environment):
                with MobileTracker(host_path=NOWHERE, warnings=False) as tracker:
                    tracker.init("925", options)
                    tracker.analytics.initialize(options)
                    tracker.basic.initialize("key", "https://in.example.com", None, options)
                    outcomes: list[Outcome] = [
                        tracker.track("A").outcome(), tracker.analytics.track("B").outcome(), tracker.basic.track("C").outcome(),
                    ]
                    self.assertEqual([outcome.reason for outcome in outcomes], ["DISABLED"] * 3)
                    self.assertEqual([outcome.fault and outcome.fault["reason"] for outcome in outcomes], [word] * 3)
                    self.assertEqual(tracker.flush().remaining, 0)
                    self.assertEqual(repr(tracker), "<MobileTracker, no host running>")

    def test_needs_no_host_with_asyncio(self) -> None:
        async def main() -> None:
            async with AsyncMobileTracker(host_path=NOWHERE, warnings=False) as tracker:
                await tracker.init("925", {"enabled": False})
                self.assertEqual((await tracker.track("A")).reason, "DISABLED")
                self.assertEqual((await tracker.flush()).remaining, 0)

        asyncio.run(main())

    def test_needs_no_host_for_any_other_call_and_starts_none(self) -> None:
        with (
            mock.patch.dict(os.environ, {"MOBILE_TRACKER_ENABLED": "off"}),
            MobileTracker(host_path=NOWHERE, credentials=lambda _: {"key": "key"}) as tracker,
        ):
            analytics = tracker.analytics
            tracker.on("diagnostic", print)
            tracker.set_consent("pending")
            self.assertEqual(tracker.track("EARLY").outcome().reason, "NOT_INITIALIZED")
            tracker.init("925", {})
            analytics.initialize({})
            self.assertFalse(tracker.is_tracking_allowed())
            tracker.set_consent("granted")
            self.assertTrue(tracker.is_tracking_allowed())
            self.assertIsNone(tracker.get_session_id())
            self.assertEqual(tracker.get_cross_domain_url("https://shop.example/"), "https://shop.example/")
            because = "MOBILE_TRACKER_ENABLED is false in the environment"
            info = {"lifecycle": "disabled", "queue_length": 0, "disabled_because": because}
            self.assertEqual(tracker.get_debug_info(), info)
            self.assertEqual(tracker.basic.get_debug_info(), {"lifecycle": "idle", "queue_length": 0})
            self.assertEqual(analytics.forget("u1")["erased"], 0)
            self.assertEqual((tracker.refused.list(), tracker.refused.drop(), tracker.host.metrics()), ([], 0, "# EOF\n"))
            tracker.reset()
            tracker.set_credentials("key")
            analytics.set_defaults({"release": 1})
            self.assertEqual(tracker.track("A").outcome().reason, "DISABLED")
            self.assertEqual(repr(tracker), "<MobileTracker, no host running>")
        self.assertNotIn("host", f"{self.warnings}")

    def test_on_again_has_what_it_called_meanwhile_take_effect_first(self) -> None:
        collector = self.start_collector()
        tracker = self.real()
        analytics = tracker.analytics
        tracker.init("925", {"enabled": False})
        analytics.initialize({"enabled": False})
        for consent in ("granted", "denied", "granted", "denied", "nonsense"):
            tracker.set_consent(consent)  # type: ignore[arg-type]
        tracker.reset()
        analytics.set_defaults({"release": 7})
        self.assertEqual(repr(tracker), "<MobileTracker, no host running>")
        analytics.initialize({"write_key": KEY, "ingestion_host": collector.url})
        analytics.track("A")
        analytics.flush()
        tracker.init("925", collector.config())

        self.assertEqual(collector.received(kind="batch")[0]["body"]["batch"][0]["properties"], {"release": 7})
        self.assertEqual(tracker.track("B").outcome().reason, "TRACKING_NOT_ALLOWED")
        self.assertEqual(collector.received(kind="session"), [])
        self.assertIn("setConsent, which was called while tracking was off, failed: ", self.warnings[0])

    def test_on_again_after_a_shutdown_has_all_but_credentials_take_effect_first(self) -> None:
        collector = self.start_collector()
        tracker = self.real()
        tracker.init("925", {"enabled": False})
        tracker.set_consent("denied")
        tracker.set_credentials("other-key")
        tracker.shutdown()
        tracker.init("925", collector.config())

        self.assertEqual(tracker.track("A").outcome().reason, "TRACKING_NOT_ALLOWED")
        tracker.set_consent("granted")
        tracker.track("B").outcome()
        self.assertEqual(tracker.flush().delivered, 1)
        self.assertEqual(collector.received(kind="session")[0]["headers"]["x-api-key"][-4:], KEY[-4:])

    def test_on_again_erases_whom_it_was_to_forget_meanwhile(self) -> None:
        collector = self.start_collector()
        tracker = self.real()
        analytics = tracker.analytics
        analytics.initialize({"enabled": False})
        analytics.forget("u1")
        analytics.forget("u2")
        analytics.unforget("u2")
        analytics.initialize({"write_key": KEY, "ingestion_host": collector.url})

        self.assertEqual(analytics.track("A", user_id="u1").outcome().reason, "FORGOTTEN")
        self.assertIsNone(analytics.track("B", user_id="u2").outcome().reason)
        self.assertNotIn("while tracking was off", f"{self.warnings}")

    def test_on_again_has_a_forked_child_make_no_call_of_its_parent_again(self) -> None:
        fake = FakeHost(self.folder, {"silent": ["analytics.reset", "analytics.initialize"]}, {})
        ended = run_program(
            "import os, threading, time\nfrom mobiletracker import MobileTracker\n"
            f"tracker = MobileTracker(host_path={str(fake.path)!r}, host_arguments=[{str(self.folder)!r}])\n"
            'tracker.analytics.initialize({"enabled": False})\n'
            "tracker.analytics.reset()\n"
            'options = {"write_key": "w", "ingestion_host": "https://in.example.com"}\n'
            "threading.Thread(target=tracker.analytics.initialize, args=[options], daemon=True).start()\n"
            f"log = {str(fake.folder / 'log.jsonl')!r}\n"
            "while not os.path.exists(log) or '\"analytics.initialize\"' not in open(log).read(): time.sleep(0.01)\n"
            "if os.fork() == 0:\n"
            '    tracker.analytics.track("CHILD").outcome(60)\n'
            "    os._exit(0)\n"
            "os.wait()\n"
            "os._exit(0)\n"
        )

        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(fake.methods[1], ["analytics.initialize", "analytics.track"])

    def test_has_no_effect_on_a_recorder_if_the_environment_does_it(self) -> None:
        with mock.patch.dict(os.environ, {"MOBILE_TRACKER_ENABLED": "false"}):
            with TestTracker(host_path=host_path(), stderr="ignore") as tracker:
                tracker.init("925", {"api_url": "https://api.example.com", "x_api_key": "key"})
                tracker.track("A")
                tracker.basic.track("B")
                tracker.expect("A", count=1)
                tracker.expect("B", count=1)

    def test_has_a_host_for_the_rest(self) -> None:
        with TestTracker(host_path=host_path(), warnings=False, stderr="ignore") as tracker:
            tracker.init("925", {"enabled": False})
            tracker.analytics.initialize({"write_key": "key", "ingestion_host": "https://in.example.com"})
            self.assertEqual(tracker.track("A").outcome().reason, "DISABLED")
            self.assertEqual(tracker.analytics.track("B").outcome().status, "queued")
            self.assertEqual(tracker.get_debug_info()["lifecycle"], "disabled")
            self.assertEqual(tracker.track("A").outcome().reason, "DISABLED")
            tracker.init("925", {"api_url": "https://api.example.com", "x_api_key": "key", "enabled": True})
            self.assertEqual(tracker.track("A").outcome().status, "queued")
