"""The typed calls that `mobile-tracker plan types` makes of a plan."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import types
import unittest
from typing import Any

from .support import GUARD, NODE_PACKAGE, SOURCE, TestCase, host_path

from mobiletracker.protocol import ClientOptionsPlan  # noqa: E402
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
assert_type(events.screen_product({"sku": "A-1", "from": "search"}, message_id="m2"), Receipt)
events.screen_home()
events.identify(17, {"email": "ada@example.com", "plan": "pro", "birthday": None}, message_id="m3")
PlannedEvents(tracker.basic).identify("user-1", {"email": "ada@example.com", "plan": "free"})
of_users.identify(uuid4(), {"email": "ada@example.com", "plan": "pro"}, anonymous_id="a-1", message_id="m4")
assert_type(of_users.group("g-1", {"seats": 3}, user_id="user-1"), Receipt)
of_users.screen_home(user_id="user-1")
events.screen_product({"sku": 1})  # type: ignore[typeddict-item]
events.screen_home(user_id="user-1")  # type: ignore[call-arg]
events.identify("user-1", {"email": "ada@example.com", "plan": "gold"})  # type: ignore[typeddict-item]
events.identify("user-1")  # type: ignore[call-arg]
events.group("g-1", {"seats": 3})  # type: ignore[attr-defined]
of_users.group("g-1", {"seats": 3}, group_id="g-2")  # type: ignore[misc]
events.purchase({"total": 1, "currency": "EURO", "items": []})  # type: ignore[typeddict-item]
events.purchase({"currency": "EUR", "items": []})  # type: ignore[typeddict-item]
events.purchase({"total": 1, "currency": "EUR", "items": [], "colour": "red"})  # type: ignore[typeddict-unknown-key]
events.logout(user_id="user-1")  # type: ignore[call-arg]
of_users.logout(usr_id="user-1")  # type: ignore[call-arg]
"""

NAMES = {
    "events": {
        **{name: {} for name in ("Str", "Int", "Float", "Bool", "Object", "Datetime")},
        "Paid": {"data": {"type": ["string", "integer", "number", "boolean", "array", "object"], "format": "date-time"}},
        **{name: {"data": {"properties": {"seats": {"type": "integer"}}}} for name in ("日本", "1st")},
    },
    "identify": {},
}
"""Events whose functions would have the names of types."""

PROGRAM_OF_NAMES = """
from datetime import datetime
from uuid import uuid4

from mobiletracker import MobileTracker
from events import PlannedAnalyticsEvents, PlannedEvents

tracker = MobileTracker()
events, of_users = PlannedEvents(tracker), PlannedAnalyticsEvents(tracker.analytics)
for track in (events.str_, events.int_, events.float_, events.bool_, events.object_, events.datetime_):
    track({"a": 1})
for value in ("a", 1, 1.5, True, [1], {"a": 1}, datetime.now()):
    events.paid(value)
events.日本({"seats": 1})
events._1st({"seats": 1})
of_users.identify(uuid4(), {"a": 1})
events.日本({"seats": "1"})  # type: ignore[arg-type]
events._1st({"seats": "1"})  # type: ignore[arg-type]
events.identify(1.5)  # type: ignore[arg-type]
"""


def planned_events() -> types.ModuleType:
    """The module that the command makes."""
    spec = importlib.util.spec_from_file_location("events", EVENTS)
    assert spec and spec.loader
    events = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(events)
    return events


class PlannedEventTests(TestCase):
    """The calls of a plan."""

    @unittest.skipIf(importlib.util.find_spec("mypy") is None, "mypy is not installed")
    def test_a_call_that_breaks_the_plan_does_not_pass_mypy_and_others_do(self) -> None:
        shutil.copy(EVENTS, self.folder)

        self.assertPassesMypy(PROGRAM)

    @unittest.skipIf(importlib.util.find_spec("mypy") is None, "mypy is not installed")
    def test_a_function_is_not_taken_for_a_type_of_its_name(self) -> None:
        plan = self.folder / "plan.json"
        plan.write_text(json.dumps(NAMES))
        command = ["node", str(NODE_PACKAGE / "bin/mobile-tracker.js"), "plan", "types", str(plan), "--python", "events.py"]
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True, timeout=GUARD)

        self.assertPassesMypy(PROGRAM_OF_NAMES)

    def assertPassesMypy(self, program: str) -> None:
        """Expects that mypy finds nothing in a program and in the planned events in the test's folder."""
        (self.folder / "program.py").write_text(program)
        words = ["-m", "mypy", "--strict", "--no-incremental", "--python-version", "3.11", "program.py", "events.py"]
        checked = subprocess.run(
            [sys.executable, *words], cwd=self.folder, env={**os.environ, "MYPYPATH": str(SOURCE)},
            capture_output=True, text=True, timeout=GUARD,
        )

        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_calls_pass_on_the_data_and_the_options(self) -> None:
        events = planned_events()
        with TestTracker(host_path=host_path(), stderr="ignore") as tracker:
            events.PlannedEvents(tracker).search({"words": "shoes"}, metadata={"flow": "v2"}, message_id="m1")
            events.PlannedAnalyticsEvents(tracker.analytics).signed_up({"plan": "pro", "invited_by": None}, user_id="user-1")
            events.PlannedEvents(tracker.basic).logout()

            [search] = tracker.expect("SEARCH", {"words": "shoes", "flow": "v2"}, client="tracker")
            self.assertEqual(search["outcome"], {"status": "queued", "message_id": "m1"})
            tracker.expect("Signed Up", {"plan": "pro", "invited_by": None}, user_id="user-1")
            tracker.expect("LOGOUT", client="basic")

    def test_screens_users_and_groups_pass_on_their_arguments_and_the_options(self) -> None:
        events = planned_events()
        with TestTracker(host_path=host_path(), stderr="ignore") as tracker:
            planned, of_users = events.PlannedEvents(tracker), events.PlannedAnalyticsEvents(tracker.analytics)
            planned.screen_product({"sku": "A-1"}, message_id="m1")
            planned.identify(17, {"email": "ada@example.com", "plan": "pro"}, message_id="m2")
            of_users.screen_home(user_id="user-1")
            of_users.identify("user-1", {"email": "ada@example.com", "plan": "pro"}, anonymous_id="a-1")
            of_users.group("g-1", {"seats": 3}, user_id="user-2")
            events.PlannedEvents(tracker.basic).screen_home(message_id="m3")

            [screen] = tracker.expect("Product", {"sku": "A-1"}, client="tracker")
            self.assertEqual(screen["method"], "screen")
            self.assertEqual(screen["outcome"], {"status": "queued", "message_id": "m1"})
            tracker.expect("identify", {"email": "ada@example.com"}, user_id="17", client="tracker")
            tracker.expect("Home", user_id="user-1", client="analytics")
            tracker.expect("identify", {"plan": "pro"}, user_id="user-1", anonymous_id="a-1")
            tracker.expect("group", {"seats": 3}, user_id="user-2", group_id="g-1")
            tracker.expect("Home", client="basic")


class PlanAtRunTimeTests(TestCase):
    """The option `plan`."""

    PLAN = {
        "events": {"LOGIN": {}}, "screens": {"Home": {}}, "identify": {"traits": {"required": ["email"]}},
        "group": {"traits": {"properties": {"seats": {"type": "integer"}}}},
    }

    def test_a_call_that_breaks_the_plan_is_dropped_and_kept_with_what_is_wrong(self) -> None:
        file = self.folder / "plan.json"
        file.write_text(json.dumps(self.PLAN))
        plan: ClientOptionsPlan = {"file": str(file), "on_broken": "drop"}
        with TestTracker(host_path=host_path(), stderr="ignore") as tracker:
            tracker.init("925", {"api_url": "https://api.example.com", "x_api_key": "key", "plan": plan})
            tracker.analytics.initialize({"write_key": "key", "ingestion_host": "https://api.example.com", "plan": plan})

            self.assertEqual(tracker.screen("Home").outcome().status, "queued")
            self.assertEqual(tracker.screen("Hme").outcome().reason, "PLAN")
            dropped = tracker.identify("user-1", {"name": "Ada"}).outcome()
            fault: Any = dropped.fault
            self.assertEqual((dropped.reason, fault["detail"]), ("PLAN", "traits.email is missing."))
            self.assertEqual(tracker.analytics.group("g-1", {"seats": "3"}).outcome().reason, "PLAN")
            self.assertEqual(tracker.analytics.group("g-1", {"seats": 3}).outcome().status, "queued")

            [kept] = tracker.refused.list({"client": "analytics"})
            self.assertEqual((kept["call"], kept["reason"]), ("group", "plan"))
            self.assertEqual(kept["answer"], 'traits.seats is "3"; it must be a whole number.')
