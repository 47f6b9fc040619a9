"""Clients that are turned off."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any
from unittest import mock

from .support import TestCase, host_path

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
