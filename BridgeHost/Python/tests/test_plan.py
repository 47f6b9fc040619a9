"""The typed calls that `mobile-tracker plan types` makes of a plan."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import unittest

from .support import GUARD, NODE_PACKAGE, SOURCE, TestCase, host_path

from mobiletracker.testing import TestTracker  # noqa: E402

EVENTS = NODE_PACKAGE / "testsupport/plan/events.py"
"""What `plan.test.js` compares with what the command makes."""

PROGRAM = """
from typing import assert_type
from uuid import uuid4

from mobiletracker import AsyncMobileTracker, Awaited, MobileTracker, Outcome, Receipt
from events import PlannedAnalyticsEvents, PlannedEvents

tracker = MobileTracker()
events = PlannedEvents(tracker)
receipt = events.purchase(
    {"total": 149.99, "currency": "EUR", "items": [{"sku": "A-1", "price": 1}], "coupon": None}, message_id="m1")
assert_type(receipt, Receipt)
events.search({"words": "shoes"}, metadata={"flow": "v2"})
events.logout()
PlannedEvents(tracker.basic).logout()
of_users = PlannedAnalyticsEvents(tracker.analytics)
of_users.signed_up({"plan": "pro", "invited_by": None}, user_id=uuid4(), context={"page": 1})
assert_type(PlannedAnalyticsEvents(AsyncMobileTracker().analytics).logout(), Awaited[Outcome])
events.purchase({"total": 1, "currency": "EURO", "items": []})  # type: ignore[typeddict-item]
events.purchase({"currency": "EUR", "items": []})  # type: ignore[typeddict-item]
events.purchase({"total": 1, "currency": "EUR", "items": [], "colour": "red"})  # type: ignore[typeddict-unknown-key]
events.logout(user_id="user-1")  # type: ignore[call-arg]
of_users.logout(usr_id="user-1")  # type: ignore[call-arg]
"""


class PlannedEventTests(TestCase):
    """The calls of a plan."""

    @unittest.skipIf(importlib.util.find_spec("mypy") is None, "mypy is not installed")
    def test_a_call_that_breaks_the_plan_does_not_pass_mypy_and_others_do(self) -> None:
        shutil.copy(EVENTS, self.folder)
        (self.folder / "program.py").write_text(PROGRAM)

        words = ["-m", "mypy", "--strict", "--no-incremental", "--python-version", "3.11", "program.py", "events.py"]
        checked = subprocess.run(
            [sys.executable, *words], cwd=self.folder, env={**os.environ, "MYPYPATH": str(SOURCE)},
            capture_output=True, text=True, timeout=GUARD,
        )

        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_calls_pass_on_the_data_and_the_options(self) -> None:
        spec = importlib.util.spec_from_file_location("events", EVENTS)
        assert spec and spec.loader
        events = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(events)
        with TestTracker(host_path=host_path(), stderr="ignore") as tracker:
            events.PlannedEvents(tracker).search({"words": "shoes"}, metadata={"flow": "v2"}, message_id="m1")
            events.PlannedAnalyticsEvents(tracker.analytics).signed_up({"plan": "pro", "invited_by": None}, user_id="user-1")
            events.PlannedEvents(tracker.basic).logout()

            [search] = tracker.expect("SEARCH", {"words": "shoes", "flow": "v2"}, client="tracker")
            self.assertEqual(search["outcome"], {"status": "queued", "message_id": "m1"})
            tracker.expect("Signed Up", {"plan": "pro", "invited_by": None}, user_id="user-1")
            tracker.expect("LOGOUT", client="basic")
