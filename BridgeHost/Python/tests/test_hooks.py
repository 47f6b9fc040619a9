"""The caller's own functions: what sees each call before it is written, and what takes messages."""

from __future__ import annotations

import json
import logging
import unittest
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any, cast
from unittest import mock

from .support import KEY, FakeHost, TestCase, Warned, doubling, host_path, run_program

from mobiletracker import AnalyticsCallOptions, BeforeSend, MobileTracker, MobileTrackerError, Outcome, OutgoingCall  # isort: skip
from mobiletracker._call import Call  # isort: skip

DROPPED = Outcome("dropped", reason="BEFORE_SEND")
INVALID = {"status": "dropped", "reason": "INVALID_VALUE"}


class BeforeSendTests(TestCase):
    """A function that sees each tracking call."""

    def with_before_send(self, before_send: BeforeSend, *lives: dict[str, Any]) -> tuple[MobileTracker, FakeHost]:
        """A tracker whose calls it sees."""
        fake = FakeHost(self.folder, *lives)
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
                {"method": "analytics.identify", "user_id": "u1", "properties": {"plan": "pro"}, "group_id": "g"},
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

    def test_sees_and_changes_all_that_leaves_the_machine(self) -> None:
        seen: list[OutgoingCall] = []

        def change(call: OutgoingCall) -> OutgoingCall:
            seen.append({**call})
            changed: dict[str, Any] = {name: f"{value}!" for name, value in call.items() if isinstance(value, str)}
            changed |= {"method": "track", "timestamp": datetime(2025, 2, 1, tzinfo=timezone.utc)}
            if "location" in call:
                changed["location"] = {**call["location"], "latitude": 1}
            if "context" in call:
                changed["context"] = {"ip": "0.0.0.0"}
            return cast(OutgoingCall, changed)

        tracker, fake = self.with_before_send(change)
        options: AnalyticsCallOptions = {
            "user_id": "u", "anonymous_id": "a", "group_id": "g", "timestamp": "2025-01-31T09:30:00Z",
            "context": {"ip": "10.1.2.3"},
        }  # fmt: skip
        tracker.analytics.track("A", None, options)
        tracker.analytics.alias("n", {"user_id": "n"})
        tracker.analytics.group("g1", None, {"user_id": "u"})
        tracker.analytics.set_advertising_id("ad")
        tracker.update_location(50.5, 8.25, 10)
        tracker.update_session_email("ada@example.com")
        tracker.screen_did_appear("Home", "/home")
        tracker.continue_session("https://a.example/?gt_session_id=1")
        tracker.link_session("s").outcome(60)

        self.assertEqual(
            [{name: value for name, value in call.items() if name != "method"} for call in seen],
            [
                {"name": "A", **options},
                {"user_id": "n"},
                {"group_id": "g1", "user_id": "u"},
                {"advertising_id": "ad"},
                {"location": {"latitude": 50.5, "longitude": 8.25, "accuracy": 10}},
                {"email": "ada@example.com"},
                {"name": "Home", "url": "/home"},
                {"url": "https://a.example/?gt_session_id=1"},
                {"source_session_id": "s"},
            ],
        )
        at = "2025-02-01T00:00:00.000Z"
        context = {"ip": "0.0.0.0"}
        sent = [{name: value for name, value in call["params"].items() if name != "messageId"} for call in fake.lives[0]]
        own = {"userId": "u!", "anonymousId": "a!", "groupId": "g!", "timestamp": at, "context": context}
        self.assertEqual(
            sent,
            [
                {"event": "A!", "options": own},
                {"newUserId": "n!", "options": {"userId": "n!", "timestamp": at}},
                {"groupId": "g1!", "options": {"userId": "u!", "timestamp": at}},
                {"advertisingId": "ad!"},
                {"latitude": 1, "longitude": 8.25, "accuracy": 10},
                {"email": "ada@example.com!"},
                {"name": "Home!", "url": "/home!"},
                {"url": "https://a.example/?gt_session_id=1!"},
                {"sourceSessionId": "s!"},
            ],
        )

    def test_numbers_that_it_leaves_alone_keep_their_digits(self) -> None:
        def without_email(call: OutgoingCall) -> OutgoingCall:
            call["properties"].pop("email")
            self.assertAlmostEqual(call["properties"]["price"] * 2, 2.2)
            return call

        tracker, fake = self.with_before_send(without_email)
        lines: list[bytes] = []
        call = tracker._channel.link.call

        def record(made: Call, **options: Any) -> bool:
            lines.append(made.line)
            return call(made, **options)

        self.enterContext(mock.patch.object(tracker._channel.link, "call", record))
        values = {"price": Decimal("1.10"), "exact": Decimal("0.10000000000000000000001"), "large": 2**80, "email": "a@b"}
        tracker.track("A", values).outcome(60)

        self.assertIn(b'{"price":1.10,"exact":0.10000000000000000000001,"large":1208925819614629174706176}', lines[0])
        self.assertEqual(fake.lives[0][0]["params"]["attributes"], {"price": 1.1, "exact": 0.1, "large": 2**80})

    def test_what_cannot_be_sent_drops_its_call_and_never_raises(self) -> None:
        cycle: dict[str, Any] = {}
        cycle["self"] = cycle
        deep: Any = []
        for _ in range(100_000):
            deep = [deep]

        class Refusing(dict[str, Any]):
            def keys(self) -> Any:
                raise LookupError("no")

            def get(self, *_: object) -> Any:
                raise LookupError("no")

            def items(self) -> Any:
                raise LookupError("no")

        class Throwing:
            @property  # type: ignore[misc]
            def __class__(self) -> Any:
                raise LookupError("no")

        results: list[Any] = [{"properties": value} for value in (cycle, deep, {"x": object()}, Refusing(a=1), Throwing())]
        results.append(Refusing(a=1))
        for result in results:
            with self.subTest(kind=type(result)):
                tracker = MobileTracker(host_path="/nowhere", before_send=lambda call: result)
                self.warnings.clear()
                if type(result) is dict:
                    result.setdefault("name", "A")
                self.assertTrue(tracker.track("A", {"x": 1}).outcome(60).is_dropped)
                self.assertRegex(self.warnings[0], 'track "A" was dropped: .*test_hooks')
                self.assertEqual(len(self.warnings), 1)

    def test_a_call_that_it_gives_values_of_a_wrong_type_is_refused_by_the_host(self) -> None:
        results: list[tuple[dict[str, Any], str]] = [
            ({"name": 17}, "INVALID_EVENT_NAME"),
            ({"name": None}, "INVALID_EVENT_NAME"),
            ({"properties": "text"}, "INVALID_VALUE"),
        ]
        changes: dict[str, Any] = {}
        tracker = self.real(before_send=lambda call: cast(OutgoingCall, {**call, **changes}))
        for result, reason in results:
            with self.subTest(result):
                self.warnings.clear()
                changes.clear()
                changes.update(result)
                self.assertEqual(tracker.track("A", {"x": 1}).outcome(60).reason, reason)
                self.assertRegex(self.warnings[0], 'track "A" was dropped: .*test_hooks')
                self.assertEqual(len(self.warnings), 1)

    def test_a_call_whose_user_it_removes_is_not_about_the_user_of_the_process(self) -> None:
        def anonymous(call: OutgoingCall) -> OutgoingCall:
            call.pop("user_id", None)
            return call

        tracker = self.real(before_send=anonymous)
        tracker.analytics.initialize({"write_key": KEY, "ingestion_host": "http://127.0.0.1:9"})
        removed = tracker.analytics.track("A", None, {"user_id": "u"}).outcome(60)
        kept = tracker.analytics.track("B", None, {"user_id": "u", "anonymous_id": "a"}).outcome(60)

        self.assertEqual((removed.reason, kept.status), ("INVALID_VALUE", "queued"))
        self.assertEqual(removed.fault, {"reason": "noValue", "option": "options.userId"})

    def test_a_call_whose_group_it_removes_is_not_about_the_group_of_the_process(self) -> None:
        def ungrouped(call: OutgoingCall) -> OutgoingCall:
            call.pop("group_id", None)
            for scope in call.get("scope", []):
                scope.pop("group_id", None)
            if call.get("name") == "C":
                call["user_id"] = "u"
            return call

        tracker = self.real(before_send=ungrouped)
        tracker.analytics.initialize({"write_key": KEY, "ingestion_host": "http://127.0.0.1:9"})
        removed = tracker.analytics.track("A", None, {"group_id": "g"}).outcome(60)
        with tracker.analytics.scope(group_id="g"):
            of_scope = tracker.analytics.track("B").outcome(60)
        named = tracker.analytics.track("C", None, {"group_id": "g"}).outcome(60)
        none = tracker.analytics.track("D").outcome(60)

        self.assertEqual([removed.reason, of_scope.reason, named.status, none.status], [*["INVALID_VALUE"] * 2, *["queued"] * 2])
        self.assertEqual(removed.fault, {"reason": "noValue", "option": "options.groupId"})

    def test_an_option_that_is_not_known_is_not_made_one_and_not_left_out(self) -> None:
        seen: list[OutgoingCall] = []

        def watch(call: OutgoingCall) -> OutgoingCall:
            seen.append({**call})
            return call

        tracker = self.real(before_send=watch)
        tracker.analytics.initialize({"write_key": KEY, "ingestion_host": "http://127.0.0.1:9"})
        misspelled: Any = {"userID": "u"}
        outcome = tracker.analytics.track("A", None, misspelled).outcome(60)

        self.assertEqual(seen, [{"method": "analytics.track", "name": "A"}])
        self.assertEqual(outcome.fault, {"reason": "unknown", "option": "options.userID", "suggestion": "userId"})

    def test_stays_in_force_after_an_init_that_fails(self) -> None:
        fake = FakeHost(self.folder, {"errors": {"init": {"code": 1001, "message": "no", "data": {}}}})
        tracker = MobileTracker(
            host_path=fake.path, host_arguments=[str(self.folder)], stderr="ignore", before_send=lambda call: None
        )
        self.addCleanup(tracker.close)

        for _ in range(2):
            with self.assertRaises(MobileTrackerError):
                tracker.init("925")
            self.assertEqual(tracker.track("A").outcome(60), DROPPED)

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
            self.warnings[0], r'^track "A" was dropped: `before_send` has failed: ZeroDivisionError.* \(at .*test_hooks'
        )
        self.assertNotIn("division", self.warnings[0])  # What an error says may be personal.
        self.assertRegex(
            self.warnings[1],
            r'^track "B" was dropped: `before_send` must return the call, or `None` to drop it, and no coroutine\.',
        )

    def test_what_it_returns_is_judged_as_any_call_is(self) -> None:
        tracker, _ = self.with_before_send(lambda call: {**call, "properties": {"x": float("nan")}})

        self.assertEqual(tracker.track("A").outcome(60).reason, "SERIALIZATION_ERROR")

    def test_what_it_returns_is_too_large_if_the_values_that_it_shares_are(self) -> None:
        for change in ({"properties": doubling()}, {"context": doubling()}, {"scope": [{"properties": doubling()}]}):
            with self.subTest(*change):
                tracker, _ = self.with_before_send(
                    lambda call: call if call["name"] == "A" else cast(OutgoingCall, {**call, **change}),
                    {"maxMessageBytes": 10_000},
                )
                tracker.analytics.track("A").outcome(60)

                self.assertEqual(tracker.analytics.track("B").outcome(60).reason, "TOO_LARGE")

    def test_sees_no_call_that_is_not_valid(self) -> None:
        seen: list[OutgoingCall] = []
        tracker, _ = self.with_before_send(lambda call: seen.append(call))

        self.assertEqual(tracker.track("", None, {"x": float("inf")}).outcome(60).reason, "SERIALIZATION_ERROR")
        self.assertEqual(seen, [])
        host = self.real(before_send=lambda call: seen.append(call))
        typed: Any = host
        wrong = [
            typed.track(5), typed.track(None), typed.identify(1.5), typed.identify(True), typed.track("A", ["list"]),
            typed.update_location("1", 2, 3), typed.analytics.track("A", {}, "u1"),
        ]  # fmt: skip
        reasons = ["INVALID_EVENT_NAME"] * 2 + ["INVALID_USER_ID"] * 2 + ["INVALID_VALUE"] * 3
        self.assertEqual([receipt.outcome(60).reason for receipt in wrong], reasons)
        self.assertEqual(seen, [])
        with self.assertRaises(TypeError):
            MobileTracker(before_send="no")  # type: ignore[arg-type]


class LoggerTests(TestCase):
    """A logger of the caller's own."""

    def test_takes_the_warnings_and_the_hosts_log(self) -> None:
        entries = [
            {"level": "info", "message": "Ready."},
            {"level": "warning", "message": "Told by the outcome.", "reason": "INVALID_VALUE"},
            {"level": "error", "message": "Told by the error.", "code": "STORAGE_ERROR"},
            {"level": "warning", "message": "Careful."},
        ]
        log = "".join(f"{json.dumps(entry)}\n" for entry in entries) + "Strange.\n"
        fake = FakeHost(self.folder, {"log": log})
        logger, own = logging.Logger("shop"), Warned()
        logger.addHandler(own)
        tracker = MobileTracker(host_path=fake.path, host_arguments=[str(self.folder)], logger=logger)

        tracker.track("").outcome(60)
        tracker.track(object())  # type: ignore[arg-type]
        tracker.close()

        dropped = [message for message in own.messages if "was dropped" in message]
        logged = [message for message in own.messages if message not in dropped]
        self.assertEqual(self.warnings, [])
        self.assertEqual((len(dropped), logged[:3]), (1, ["Ready.", "Careful.", "Strange."]))
        self.assertLessEqual({"INFO", "WARNING", "ERROR"}, set(own.levels))

    def test_the_log_on_stderr_is_whole_lines(self) -> None:
        """The program writes there too, and a piece of the log may end inside a character."""
        ended = run_program(
            "import sys\n"
            "from mobiletracker._hooks import HostLog\n"
            "log = HostLog(None, is_passed=True)\n"
            "log.take(b'first\\ncaf\\xc3')\n"
            "print('the program', file=sys.stderr, flush=True)\n"
            "log.take(b'\\xa9\\n')\n"
        )

        self.assertEqual(ended.stderr, "first\nthe program\ncafé\n")

    def test_what_init_raises_is_told_once_and_in_the_names_of_python(self) -> None:
        ended = run_program(
            "from mobiletracker import MobileTracker\n"
            f"tracker = MobileTracker(host_path={str(host_path())!r}, host_arguments=['--storage-dir', {str(self.folder)!r}])\n"
            "tracker.init('925', {'api_url': 'http://127.0.0.1:1', 'x_api_key': 'key-12345678'})\n"
        )

        self.assertEqual(ended.stderr.count("No session could be created"), 1, ended.stderr)
        self.assertIn("set `session_creation` to inBackground", ended.stderr)

    def test_that_fails_fails_no_call(self) -> None:
        fake = FakeHost(self.folder, {"log": '{"level": "info", "message": "Ready."}\n'})
        logger, bad = logging.Logger("shop"), Warned()
        bad.emit = lambda record: 1 // 0  # type: ignore[method-assign, assignment]
        logger.addHandler(bad)
        tracker = MobileTracker(host_path=fake.path, host_arguments=[str(self.folder)], logger=logger)
        self.addCleanup(tracker.close)

        self.assertEqual(tracker.track(object()).outcome(60).reason, "INVALID_EVENT_NAME")  # type: ignore[arg-type]
        self.assertEqual(tracker.track("A").outcome(60).status, "queued")

    def test_that_exits_ends_its_caller_and_no_call_that_waits_for_the_host(self) -> None:
        life = {"log": '{"level": "info", "message": "Ready."}\n', "results": {"track": INVALID}}
        fake = FakeHost(self.folder, life)
        logger, bad = logging.Logger("shop"), Warned()
        told: list[str] = []

        def leave(record: logging.LogRecord) -> None:
            told.append(record.getMessage())
            raise SystemExit(3)

        bad.emit = leave  # type: ignore[method-assign]
        logger.addHandler(bad)
        tracker = MobileTracker(host_path=fake.path, host_arguments=[str(self.folder)], logger=logger)

        with self.assertRaises(SystemExit):
            tracker.track(object())  # type: ignore[arg-type]
        outcomes = [tracker.track(name).outcome(60).reason for name in "AB"]
        # Not in a cleanup, which would wait for a thread that has ended.
        tracker.close()

        self.assertEqual(outcomes, ["INVALID_VALUE"] * 2)
        self.assertIn("Ready.", told)
        self.assertEqual(sum("INVALID_VALUE" in message for message in told), 2)


if __name__ == "__main__":
    unittest.main()
