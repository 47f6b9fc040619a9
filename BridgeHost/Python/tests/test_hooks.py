"""The caller's own functions: what sees each call before it is written, and what takes messages."""

from __future__ import annotations

import logging
import unittest
from decimal import Decimal
from typing import Any

from .support import FakeHost, TestCase, Warned

from mobiletracker import BeforeSend, MobileTracker, Outcome, OutgoingCall  # isort: skip

DROPPED = Outcome("dropped", reason="BEFORE_SEND")


class BeforeSendTests(TestCase):
    """A function that sees each tracking call."""

    def with_before_send(self, before_send: BeforeSend) -> tuple[MobileTracker, FakeHost]:
        """A tracker whose calls it sees."""
        fake = FakeHost(self.folder)
        tracker = MobileTracker(
            host_path=fake.path, host_arguments=[str(self.folder)], stderr="ignore", before_send=before_send
        )
        self.addCleanup(tracker.close)
        return tracker, fake

    def test_sees_what_would_be_sent_and_leaves_it_as_it_was_given(self) -> None:
        seen: list[OutgoingCall] = []

        def look(call: OutgoingCall) -> OutgoingCall:
            seen.append(call)
            return call

        tracker, fake = self.with_before_send(look)
        tracker.track("A", {"price": Decimal("1.10")}, {"m": 1})
        tracker.set_metadata({"k": "v"})
        tracker.analytics.identify("u1", {"plan": "pro"}, {"group_id": "g"}).outcome(60)
        tracker.get_session_id()

        self.assertEqual(
            seen,
            [
                {"method": "track", "name": "A", "properties": {"price": 1.1}, "metadata": {"m": 1}},
                {"method": "setMetadata", "properties": {"k": "v"}},
                {"method": "analytics.identify", "user_id": "u1", "properties": {"plan": "pro"}},
            ],
        )
        self.assertEqual(
            [call["params"].get("options") for call in fake.lives[0]], [None, None, {"groupId": "g"}, None]
        )

    def test_changes_the_call(self) -> None:
        def without_email(call: OutgoingCall) -> OutgoingCall:
            call.get("properties", {}).pop("email", None)
            return {**call, "name": "B", "metadata": {"by": "me"}}

        tracker, fake = self.with_before_send(without_email)
        tracker.track("A", {"email": "ada@example.com", "total": 1}, message_id="m1").outcome(60)

        [[call]] = fake.lives
        self.assertEqual(
            call["params"],
            {"eventName": "B", "attributes": {"total": 1}, "metadata": {"by": "me"}, "messageId": "m1"},
        )

    def test_drops_the_call_by_none_and_says_nothing(self) -> None:
        tracker, fake = self.with_before_send(lambda call: None if call.get("name") == "INTERNAL" else call)

        dropped = tracker.track("INTERNAL").outcome(60)
        tracker.track("A").outcome(60)

        self.assertEqual(dropped, DROPPED)
        self.assertEqual([call["params"]["eventName"] for call in fake.lives[0]], ["A"])
        self.assertEqual(self.warnings, [])

    def test_drops_the_call_with_a_warning_if_it_fails(self) -> None:
        def fail(call: OutgoingCall) -> Any:
            return {"A": 1 // 0 if call["name"] == "A" else 0, "B": 17}[call["name"]]

        tracker, _ = self.with_before_send(fail)

        self.assertEqual([tracker.track(name).outcome(60) for name in "AB"], [DROPPED, DROPPED])
        self.assertRegex(
            self.warnings[0], r'^track "A" was dropped: before_send has raised ZeroDivisionError.* \(at .*test_hooks'
        )
        self.assertRegex(
            self.warnings[1], r'^track "B" was dropped: before_send must return the call, or None to drop it\.'
        )

    def test_what_it_returns_is_judged_as_any_call_is(self) -> None:
        tracker, _ = self.with_before_send(lambda call: {**call, "properties": {"x": float("nan")}})

        self.assertEqual(tracker.track("A").outcome(60).reason, "SERIALIZATION_ERROR")

    def test_sees_no_call_that_is_not_valid(self) -> None:
        seen: list[OutgoingCall] = []
        tracker, _ = self.with_before_send(lambda call: seen.append(call))

        self.assertEqual(tracker.track("", None, {"x": float("inf")}).outcome(60).reason, "SERIALIZATION_ERROR")
        self.assertEqual(seen, [])
        with self.assertRaises(TypeError):
            MobileTracker(before_send="no")  # type: ignore[arg-type]


class LoggerTests(TestCase):
    """A logger of the caller's own."""

    def test_takes_the_warnings_and_the_hosts_log(self) -> None:
        log = "[MobileTracker] info: Ready.\n[MobileTracker] warning: Careful.\nStrange.\n"
        fake = FakeHost(self.folder, {"log": log})
        logger, own = logging.Logger("shop"), Warned()
        logger.addHandler(own)
        tracker = MobileTracker(host_path=fake.path, host_arguments=[str(self.folder)], logger=logger)

        tracker.track("").outcome(60)
        tracker.track(None)  # type: ignore[arg-type]
        tracker.close()

        dropped = [message for message in own.messages if "was dropped" in message]
        logged = [message for message in own.messages if message not in dropped]
        self.assertEqual(self.warnings, [])
        self.assertEqual((len(dropped), logged[:3]), (1, ["Ready.", "Careful.", "Strange."]))
        self.assertLessEqual({"INFO", "WARNING", "ERROR"}, set(own.levels))

    def test_that_fails_fails_no_call(self) -> None:
        fake = FakeHost(self.folder, {"log": "[MobileTracker] info: Ready.\n"})
        logger, bad = logging.Logger("shop"), Warned()
        bad.emit = lambda record: 1 // 0  # type: ignore[method-assign, assignment]
        logger.addHandler(bad)
        tracker = MobileTracker(host_path=fake.path, host_arguments=[str(self.folder)], logger=logger)
        self.addCleanup(tracker.close)

        self.assertEqual(tracker.track(None).outcome(60).reason, "INVALID_EVENT_NAME")  # type: ignore[arg-type]
        self.assertEqual(tracker.track("A").outcome(60).status, "queued")


if __name__ == "__main__":
    unittest.main()
