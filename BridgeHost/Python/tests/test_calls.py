"""What calls take and give."""

from __future__ import annotations

import asyncio
import os
import re
import threading
import unittest
from datetime import datetime, timezone
from typing import Any
from uuid import UUID

import numpy

from .support import KEY, AsyncTestCase, TestCase

from mobiletracker._json import JSONWriter  # isort: skip
from mobiletracker._params import write_params  # isort: skip
from mobiletracker._row import Gives, Param, Row, snake  # isort: skip
from mobiletracker._table import ROWS  # isort: skip
from mobiletracker import FlushReport, MobileTrackerError, TrackerConfig  # isort: skip

CONFIG: TrackerConfig = {"api_url": "https://api.example.com", "x_api_key": "key"}


class CallTests(TestCase):
    """The tracker that waits where it asks."""

    def test_carries_arguments_by_name(self) -> None:
        tracker, fake = self.fake()

        outcome = tracker.track("PURCHASE", {"total": 149.99}, {"flow_id": "checkout_v2"}).outcome(60)

        [[call]] = fake.lives
        self.assertEqual(call["method"], "track")
        self.assertEqual(
            call["params"],
            {
                "eventName": "PURCHASE",
                "attributes": {"total": 149.99},
                "metadata": {"flow_id": "checkout_v2"},
                "messageId": outcome.message_id,
            },
        )
        self.assertRegex(
            outcome.message_id or "", r"^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"
        )

    def test_ids_of_one_tracker_ascend(self) -> None:
        tracker, fake = self.fake()

        receipts = [tracker.track("A") for _ in range(50)]
        tracker.analytics.track("B").outcome(60)

        ids = [str(receipt.outcome(60).message_id) for receipt in receipts]
        self.assertEqual(len(set(ids)), 50)
        self.assertEqual([id[:13] for id in ids], sorted(id[:13] for id in ids))
        self.assertRegex(
            fake.lives[0][-1]["params"]["messageId"], r"^\d{13}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
        )

    def test_may_bring_a_message_id(self) -> None:
        tracker, fake = self.fake()

        tracker.set({"name": "x"}, message_id="m1")
        tracker.reset(message_id="m2")
        tracker.analytics.alias("u2", message_id="m3").outcome(60)

        self.assertEqual(
            [call["params"] for call in fake.lives[0]],
            [
                {"profileData": {"name": "x"}, "messageId": "m1"},
                {"messageId": "m2"},
                {"newUserId": "u2", "messageId": "m3"},
            ],
        )

    def test_a_message_id_that_is_none_is_refused_by_the_host(self) -> None:
        tracker = self.real()
        wrong: list[Any] = ["", " spaced ", "é", "x" * 129, 7, object()]

        outcomes = [tracker.track("A", message_id=id).outcome(60) for id in wrong]

        self.assertEqual([outcome.reason for outcome in outcomes], ["INVALID_VALUE"] * 5 + ["SERIALIZATION_ERROR"])
        self.assertEqual(outcomes[0].fault, {"reason": "messageID", "option": "messageId"})
        uuid: Any = UUID("0b8f6f3e-6a0c-4a5e-9a53-0f3f3a3b6a01")
        self.assertEqual(tracker.track("A", message_id=uuid).outcome(60).reason, "NOT_INITIALIZED")
        rule = "'message_id' must be 1 to 128 printable ASCII characters without spaces at either end."
        self.assertIn(f'track "A" was dropped: INVALID_VALUE. {rule} (at ', self.warnings[0])
        self.assertIn("'message_id' must be a string. (at ", self.warnings[4])
        self.assertIn("'message_id' is of type object, which JSON does not have. (at ", self.warnings[5])
        with self.assertRaisesRegex(MobileTrackerError, f"INVALID_PARAMS: reset: {rule[:-1]}$"):
            tracker.reset(message_id=" ")

    def test_returns_the_one_value_that_was_asked_for(self) -> None:
        results = {
            "isTrackingAllowed": {"allowed": False},
            "getSessionId": {"sessionId": None},
            "getCrossDomainUrl": {"url": "https://a.example/?gt_session_id=s"},
            "flush": {"delivered": 2, "remaining": 1, "stoppedBy": "retryWait"},
            "getDebugInfo": {"lifecycle": "ready", "queueLength": 2, "account": {"accepted": 2}},
        }
        tracker, _ = self.fake({"results": results})

        tracker.init("925", CONFIG)
        self.assertIs(tracker.is_tracking_allowed(), False)
        self.assertIsNone(tracker.get_session_id())
        self.assertEqual(tracker.get_cross_domain_url("https://a.example/"), "https://a.example/?gt_session_id=s")
        self.assertEqual(tracker.flush(), FlushReport(2, 1, "retryWait"))
        self.assertEqual(
            tracker.get_debug_info(), {"lifecycle": "ready", "queue_length": 2, "account": {"accepted": 2}}
        )

    def test_raises_what_the_host_says(self) -> None:
        data = {"code": "SESSION_CREATION_FAILED", "retryable": True, "status": 503}
        error = {"code": 1003, "message": "The backend answered 503", "data": data}
        tracker, _ = self.fake({"errors": {"init": error}})

        with self.assertRaises(MobileTrackerError) as caught:
            tracker.init("925", CONFIG)

        raised = caught.exception
        self.assertEqual((raised.code, raised.number, raised.retryable), ("SESSION_CREATION_FAILED", 1003, True))
        self.assertEqual((raised.message, raised.data), ("The backend answered 503", data))
        self.assertEqual(str(raised), "SESSION_CREATION_FAILED: The backend answered 503")

    def test_an_answer_that_makes_no_sense_is_an_error_and_the_next_call_works(self) -> None:
        tracker, _ = self.fake(
            {"results": {"track": {}, "flush": {"delivered": 1}, "getSessionId": {"sessionId": "s"}}}
        )

        for call in (lambda: tracker.track("A").outcome(60), tracker.flush):
            with self.assertRaisesCode("INTERNAL_ERROR"):
                call()
        self.assertEqual(tracker.get_session_id(), "s")

    def test_a_fault_in_the_client_leaves_no_caller_waiting(self) -> None:
        tracker, _ = self.fake({"silent": ["track"]})
        tracker.init("925", CONFIG)
        receipt = tracker.track("A")

        def fail(_: object) -> None:
            raise LookupError("meant")

        tracker._channel.link.io.post(fail)

        with self.assertRaisesRegex(MobileTrackerError, "INTERNAL_ERROR: The client failed: LookupError"):
            receipt.outcome(60)
        self.assertEqual(tracker.identify("u1").outcome(60).status, "queued")

    def test_options_have_their_names_in_either_style(self) -> None:
        tracker, fake = self.fake()
        as_the_bridge_has_it: Any = {"apiUrl": "u", "allow_insecure_http": True, "api_ulr": "?"}

        tracker.init(
            "925",
            {
                "api_url": "u",
                "x_api_key": "k",
                "event_ttl_ms": 1,
                "headers": {"x_tenant": "shop"},
                "device": {"os_name": "Linux", "device_type": "Desktop"},
            },
        )
        tracker.init("925", as_the_bridge_has_it)
        context = {"device": {"os_name": "as it is"}}
        tracker.analytics.initialize({"write_key": "w", "ingestion_host": "h", "context": context})

        self.assertEqual(
            [call["params"].get("config") or call["params"]["options"] for call in fake.lives[0]],
            [
                {
                    "apiUrl": "u",
                    "xApiKey": "k",
                    "eventTTLMs": 1,
                    "headers": {"x_tenant": "shop"},
                    "device": {"osName": "Linux", "deviceType": "Desktop"},
                },
                {"apiUrl": "u", "allowInsecureHTTP": True, "api_ulr": "?"},
                {"writeKey": "w", "ingestionHost": "h", "context": context},
            ],
        )
        message = "Invalid configuration: 'config.api_url' is given a second time as 'apiUrl'"
        with self.assertRaisesRegex(MobileTrackerError, f"INVALID_CONFIGURATION: {message}$"):
            tracker.init("925", as_the_bridge_has_it | {"api_url": "v"})

    def test_an_integer_may_be_a_whole_number_and_nothing_else(self) -> None:
        row = Row("rate", Gives.OUTCOME, params=(Param("stars", "integer", True, "INVALID_VALUE"),))
        tracker: Any = self.real()

        for stars in (5, -5, numpy.int64(5)):
            self.assertEqual(write_params(JSONWriter(), row, [stars], None, 1000), b'{"stars":%d}' % int(stars))
        for wrong in (1.5, "5", True):
            with self.subTest(wrong), self.assertRaisesRegex(
                MobileTrackerError, "^INVALID_PARAMS: flush: 'timeout_ms' must be an integer$"
            ):
                tracker.flush(wrong)

    def test_a_wrong_argument_is_an_outcome_and_a_warning_with_the_line(self) -> None:
        tracker: Any = self.real()

        outcomes = [
            tracker.track(None),
            tracker.track(5),
            tracker.identify(1.5),
            tracker.identify(True),
            tracker.track("A", ["list"]),
            tracker.update_location(True, 1.0, 2.0),
            tracker.analytics.group(None),
        ]

        faults = [
            ("INVALID_EVENT_NAME", "required", "eventName", "string"),
            ("INVALID_EVENT_NAME", "wrongKind", "eventName", "string"),
            ("INVALID_USER_ID", "wrongKind", "userId", "id"),
            ("INVALID_USER_ID", "wrongKind", "userId", "id"),
            ("INVALID_VALUE", "wrongKind", "attributes", "object"),
            ("INVALID_VALUE", "wrongKind", "latitude", "number"),
            ("INVALID_VALUE", "required", "groupId", "id"),
        ]
        self.assertEqual(
            [(outcome.reason, outcome.fault) for outcome in (receipt.outcome(60) for receipt in outcomes)],
            [(reason, {"reason": word, "option": name, "expected": kind}) for reason, word, name, kind in faults],
        )
        self.assertRegex(
            self.warnings[2], r"^identify was dropped: INVALID_USER_ID\. 'user_id' must be a string or a whole number\. "
        )
        for warning in self.warnings:
            self.assertRegex(warning, r" \(at .*test_calls\.py:\d+\)$")

    def test_an_argument_that_json_has_no_form_for_is_a_wrong_one_too(self) -> None:
        typed, fake = self.fake()
        tracker: Any = typed

        outcomes = [
            tracker.track(b"A"),
            tracker.identify(object()),
            tracker.track("A", object()),
            tracker.analytics.track("A", {}, object()),
            tracker.track("A", {"x": object()}),
            tracker.update_location(float("nan"), 1.0, 2.0),
        ]

        reasons = ["INVALID_EVENT_NAME", "INVALID_USER_ID", *["INVALID_VALUE"] * 2, *["SERIALIZATION_ERROR"] * 2]
        self.assertEqual([receipt.outcome(60).reason for receipt in outcomes], reasons)
        self.assertEqual(fake.lives, [])
        self.assertIn("INVALID_EVENT_NAME. 'event_name' must be a string, and is of type bytes. (at ", self.warnings[0])

    def test_an_analytics_call_says_for_itself_whom_it_is_about(self) -> None:
        tracker, fake = self.fake()
        at = datetime(2025, 1, 31, 9, 30, tzinfo=timezone.utc)

        tracker.analytics.track(
            "A", {"a": 1}, {"user_id": "u1", "timestamp": at, "context": {"ip": "::1"}}, message_id="m1"
        )
        tracker.analytics.identify("u2", None, {"user_id": "u2"}, message_id="m2").outcome(60)

        self.assertEqual(
            [call["params"] for call in fake.lives[0]],
            [
                {
                    "event": "A",
                    "properties": {"a": 1},
                    "options": {"userId": "u1", "timestamp": "2025-01-31T09:30:00.000Z", "context": {"ip": "::1"}},
                    "messageId": "m1",
                },
                {"userId": "u2", "options": {"userId": "u2"}, "messageId": "m2"},
            ],
        )

    def test_wrong_options_of_a_call_are_refused_by_the_host(self) -> None:
        tracker = self.real()
        tracker.analytics.initialize({"write_key": KEY, "ingestion_host": "http://127.0.0.1:9"})
        at = "'options.timestamp' must be a date and time with its zone (ISO 8601), such as '2025-11-27T10:30:00.000Z'."
        wrong: list[tuple[Any, str]] = [
            ({"user_id": 1.5}, "'options.user_id' must be a string or a whole number."),
            ({"user_id": True}, "'options.user_id' must be a string or a whole number."),
            ({"user_id": None}, "'options.user_id' is given and has no value. Leave it out to mean the client's own."),
            ({"anonymousId": None}, "'options.anonymous_id' is given and has no value."),
            ({"group_id": ""}, "'options.group_id' is blank."),
            ({"anonymous_id": " "}, "'options.anonymous_id' is blank."),
            ({"userID": "u"}, "'options.userID' is not known; did you mean 'user_id'?"),
            ({"ip": "::1"}, "There are: user_id, anonymous_id, group_id, timestamp, context."),
            ({"group_id": "é" * 513}, "'options.group_id' has more than 1,024 bytes."),
            ({"timestamp": "2025-01-01T00:00:00"}, at),
            ({"timestamp": "2025-02-30T00:00:00Z"}, at),
            ({"timestamp": 1735689600}, at),
            ({"context": []}, "'options.context' must be an object."),
        ]
        for options, message in wrong:
            with self.subTest(message):
                self.warnings.clear()
                self.assertEqual(tracker.analytics.track("X", None, options).outcome(60).reason, "INVALID_VALUE")
                [warning] = self.warnings
                self.assertIn(f'analytics.track "X" was dropped: INVALID_VALUE. ', warning)
                self.assertRegex(warning, re.escape(message) + r".* \(at .*test_calls\.py:\d+\)$")

    def test_what_an_analytics_call_says_for_itself_may_be_keywords(self) -> None:
        typed, fake = self.fake()
        analytics: Any = typed.analytics
        other: Any = self.real().analytics

        analytics.track("A", {"a": 1}, user_id="u1", context={"ip": "::1"})
        analytics.page("B", None, {"anonymous_id": "a", "user_id": "u1"}, user_id=2, group_id="g").outcome(60)
        twice = analytics.track("C", {}, {"userId": "u1"}, user_id="u2")
        wrong = other.track("C", {}, "u1", user_id="u2")

        self.assertEqual(
            [call["params"].get("options") for call in fake.lives[0]],
            [
                {"userId": "u1", "context": {"ip": "::1"}},
                {"anonymousId": "a", "userId": "2", "groupId": "g"},
            ],
        )
        self.assertEqual({call.outcome(60).reason for call in (twice, wrong)}, {"INVALID_VALUE"})
        fault = {"reason": "repeated", "option": "options.user_id", "other": "userId"}
        self.assertEqual(twice.outcome(60).fault, fault)
        self.assertIn("INVALID_VALUE. 'options.user_id' is given a second time as 'userId'. (at ", self.warnings[0])
        self.assertIn("INVALID_VALUE. 'options' must be an object. (at ", self.warnings[1])

    def test_ids_are_whole_numbers_and_uuids_too_and_are_sent_as_their_text(self) -> None:
        typed, fake = self.fake()
        tracker: Any = typed
        id = UUID("0b8f6f3e-6a0c-4a5e-9a53-0f3f3a3b6a01")

        tracker.identify(17)
        tracker.basic.identify(id)
        tracker.analytics.identify(numpy.int64(18), None, {"anonymous_id": id})
        tracker.analytics.group(19, None, {"user_id": 2**70, "groupId": 19})
        tracker.analytics.alias(id).outcome(60)

        self.assertEqual(
            [{name: value for name, value in call["params"].items() if name != "messageId"} for call in fake.lives[0]],
            [
                {"userId": "17"},
                {"userId": str(id)},
                {"userId": "18", "options": {"anonymousId": str(id)}},
                {"groupId": "19", "options": {"userId": str(2**70), "groupId": "19"}},
                {"newUserId": str(id)},
            ],
        )

    def test_ids_stand_for_their_text_in_every_call_in_its_options_and_in_its_scope(self) -> None:
        typed, fake = self.fake()
        tracker: Any = typed
        persons = {"user_id": "userId", "anonymous_id": "anonymousId", "group_id": "groupId"}
        # Those of brands are texts.
        texts = {"brandId"}
        expected = []
        for row in ROWS.values():
            named = {param.wire: param.kind for param in row.params if param.wire.endswith("Id")}
            self.assertLessEqual({wire for wire, kind in named.items() if kind != "id"}, texts, row.method)
            own = [wire for wire, kind in named.items() if kind == "id"]
            if not own and not row.is_scoped:
                continue
            client, _, name = row.method.rpartition(".")
            call = getattr(getattr(tracker, client) if client else tracker, snake(name))
            takes_options = any(param.wire == "options" for param in row.params)
            for id in (17, 2**70, numpy.int64(18), UUID("0b8f6f3e-6a0c-4a5e-9a53-0f3f3a3b6a01")):
                values = {"id": id, "string": "x", "object": None}
                options = dict.fromkeys(persons, id)
                with tracker.analytics.scope(**options):
                    call(*(options if param.wire == "options" else values[param.kind] for param in row.params))
                sent = dict.fromkeys(persons.values(), str(id))
                expected.append(
                    {"method": row.method}
                    | dict.fromkeys(own, str(id))
                    | ({"options": sent} if takes_options else {})
                    | ({"scope": [sent]} if row.is_scoped else {})
                )
        tracker.analytics.track("END").outcome(60)

        calls = [{"method": call["method"], **call["params"]} for call in fake.lives[0][:-1]]
        self.assertEqual([{name: call.get(name) for name in each} for call, each in zip(calls, expected)], expected)
        self.assertEqual(len(calls), len(expected))

    def test_drops_for_the_trackers_state_are_one_warning_and_a_count(self) -> None:
        dropped = {"track": {"status": "dropped", "reason": "NOT_INITIALIZED"}}
        tracker, _ = self.fake({"results": dropped})

        receipts = [tracker.track("A") for _ in range(50)]
        receipts[-1].outcome(60)
        tracker.close()

        self.assertRegex(
            self.warnings[0],
            r"^(track \"A\" was|\d+ calls were) dropped: NOT_INITIALIZED\. Not initialized\. Call init\(\) first\.",
        )
        self.assertLessEqual(len(self.warnings), 3)

    def test_a_drop_for_its_values_says_what_they_must_be(self) -> None:
        dropped = {"status": "dropped", "reason": "INVALID_VALUE"}
        off, group = ({**dropped, "fault": {"reason": word}} for word in ("crossSiteCookie", "groupID"))
        large = {"status": "dropped", "reason": "TOO_LARGE", "fault": {"reason": "size", "option": "maxEventBytes", "most": 1000}}
        tracker, _ = self.fake({"results": {"continueSession": off, "analytics.group": group, "track": large}})

        tracker.continue_session("https://shop.example/").outcome(60)
        tracker.analytics.group(" ").outcome(60)
        outcome = tracker.track("A").outcome(60)

        self.assertIn("`cross_site_cookie` is off. Turn it on in init() to carry sessions", self.warnings[0])
        self.assertIn("The id of the group is empty.", self.warnings[1])
        self.assertIn("As JSON it is larger than max_event_bytes allows, 1,000 bytes. (at ", self.warnings[2])
        self.assertEqual(outcome.fault, large["fault"])

    def test_a_call_after_the_end_says_that_the_tracker_was_closed(self) -> None:
        dropped = {"status": "dropped", "reason": "NOT_INITIALIZED"}
        tracker, _ = self.fake({"results": {"track": dropped, "basic.track": dropped}})

        tracker.close()
        tracker.track("A").outcome(60)
        tracker.basic.track("B").outcome(60)
        tracker.init("925", CONFIG)
        tracker.track("C").outcome(60)
        tracker.close()

        told = [re.sub(r" \(at .*", "", warning) for warning in self.warnings]
        self.assertEqual(
            told,
            [
                'track "A" was dropped: NOT_INITIALIZED. The tracker was closed. Call init() to open it again.',
                'basic.track "B" was dropped: NOT_INITIALIZED. The tracker was closed. '
                "Call basic.initialize() to open it again.",
                "1 more call was dropped: NOT_INITIALIZED. The tracker was closed. Call init() to open it again.",
            ],
        )

    def test_arguments_in_the_order_of_segment_get_a_hint(self) -> None:
        tracker: Any = self.real()
        analytics = tracker.analytics

        calls = [
            (analytics.track("user-1", "Order Completed", {"total": 1}), "write track(event, properties, user_id=…)."),
            (analytics.track({"user_id": "u", "event": "E"}), "not one object: write track(event, properties, user_id=…)."),
            (analytics.group("user-1", "group-1"), "write group(group_id, traits, user_id=…)."),
            (analytics.identify({"user_id": "u"}), "not one object: write identify(user_id, traits)."),
            (tracker.identify({"user_id": "u"}), "not one object: write identify(user_id, profile_data)."),
            (tracker.update_session_email({"email": "a@b"}), "not one object: write update_session_email(email)."),
            (analytics.alias("anonymous", "user-1"), "write alias(new_user_id, anonymous_id=…)."),
        ]

        for call, _ in calls:
            self.assertIn(call.outcome(60).reason, ("INVALID_VALUE", "INVALID_EVENT_NAME", "INVALID_USER_ID"))
        for (_, words), warning in zip(calls, self.warnings, strict=True):
            self.assertIn(words, warning)

    def test_an_argument_that_is_wrong_by_itself_gets_no_hint(self) -> None:
        tracker: Any = self.real()

        tracker.analytics.track({"event": "E"}, {"total": 1}).outcome(60)
        tracker.analytics.track("E", {"total": 1}, "user-1").outcome(60)

        self.assertEqual(len(self.warnings), 2)
        for warning in self.warnings:
            self.assertNotIn("The arguments are", warning)

    def test_says_nothing_if_warnings_are_off(self) -> None:
        from mobiletracker import MobileTracker

        tracker = MobileTracker(host_path="/nowhere", warnings=False)
        with self.assertRaisesCode("HOST_NOT_FOUND"):
            tracker.init("925")

        self.assertTrue(tracker.track(b"A").outcome(60).is_dropped)  # type: ignore[arg-type]
        self.assertEqual(self.warnings, [])

    def test_many_calls_that_are_not_awaited_one_by_one_are_all_answered(self) -> None:
        tracker, _ = self.fake()

        receipts = [tracker.track("A", {"i": i}, message_id=f"m{i}") for i in range(20_000)]

        for i, receipt in enumerate(receipts):
            self.assertEqual(receipt.outcome(60).message_id, f"m{i}")

    def test_calls_of_many_threads_are_each_in_order(self) -> None:
        tracker, fake = self.fake()

        def work(name: str) -> None:
            for i in range(200):
                tracker.track(name, {"i": i})

        threads = [threading.Thread(target=work, args=(name,)) for name in "ABCDEFGH"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        tracker.track("END").outcome(60)

        calls = [call["params"] for call in fake.lives[0]]
        for name in "ABCDEFGH":
            self.assertEqual([call["attributes"]["i"] for call in calls if call["eventName"] == name], list(range(200)))

    def test_waits_while_too_much_is_unanswered(self) -> None:
        tracker, fake = self.fake({"pauseEvery": 1 << 20})
        text = "x" * 4_000_000

        for i in range(24):
            tracker.track("A", {"i": i, "text": text})
            self.assertLessEqual(tracker._channel.link.backlog.size, 32 << 20)
        tracker.track("END").outcome(60)

        self.assertEqual(len(fake.lives[0]), 25)

    def test_waiting_can_have_an_end(self) -> None:
        tracker, _ = self.fake({"silent": ["track"]}, {})

        receipt = tracker.track("A")
        with self.assertRaises(TimeoutError):
            receipt.outcome(0)
        self.assertFalse(receipt.is_done)
        self.assertEqual(repr(receipt), '<Receipt of track "A": not answered yet>')

    def test_what_is_shown_holds_no_secret(self) -> None:
        tracker, _ = self.fake()
        config: TrackerConfig = {**CONFIG, "x_api_key": "secret-key-1234"}

        tracker.init("925", config)
        receipt = tracker.identify("ada@example.com", {"phone": "+49"})
        receipt.outcome(60)

        shown = f"{tracker!r} {tracker.analytics!r} {receipt!r} {vars(tracker)!r}"
        for secret in ("secret-key", "ada@", "+49"):
            self.assertNotIn(secret, shown)

    def test_shutdown_ends_the_host_after_answering(self) -> None:
        tracker, fake = self.fake()

        receipt = tracker.track("A")
        tracker.shutdown()
        tracker.close()

        self.assertEqual(receipt.outcome(0).status, "queued")
        self.assertEqual(fake.methods, [["track", "host.shutdown"]])
        with self.assertRaises(ProcessLookupError):
            os.kill(fake.pid, 0)

    def test_with_closes(self) -> None:
        tracker, fake = self.fake()

        with tracker as same:
            same.track("A")

        self.assertEqual(fake.methods, [["track", "host.shutdown"]])


class AsyncCallTests(AsyncTestCase):
    """The tracker of asyncio, where it is different."""

    async def test_calls_take_effect_in_their_order_awaited_or_not(self) -> None:
        tracker, fake = self.fake_async()

        tracker.track("A")
        second = tracker.analytics.track("B")
        await tracker.basic.track("C")

        self.assertEqual(fake.methods, [["track", "analytics.track", "basic.track"]])
        self.assertEqual((await second).status, "queued")
        self.assertEqual((await second).status, "queued")

    async def test_many_at_once(self) -> None:
        tracker, _ = self.fake_async()

        calls = [tracker.track("A", message_id=f"m{i}") for i in range(5000)]

        outcomes = await asyncio.gather(*calls)

        self.assertEqual([outcome.message_id for outcome in outcomes], [f"m{i}" for i in range(5000)])

    async def test_values_and_errors(self) -> None:
        error = {"code": 1001, "message": "Brand ID must be a number", "data": {"code": "INVALID_BRAND_ID"}}
        tracker, _ = self.fake_async({"errors": {"init": error}, "results": {"getBrandId": {"brandId": "925"}}})

        self.assertEqual(await tracker.get_brand_id(), "925")
        with self.assertRaisesCode("INVALID_BRAND_ID"):
            await tracker.init("x", CONFIG)

    async def test_an_error_that_is_not_awaited_is_a_warning(self) -> None:
        error = {"code": 1001, "message": "Brand ID must be a number", "data": {"code": "INVALID_BRAND_ID"}}
        tracker, _ = self.fake_async({"errors": {"init": error}})

        tracker.init("x", CONFIG)
        await tracker.track("A")

        self.assertRegex(
            self.warnings[0], r"^init failed, and its error was not handled: INVALID_BRAND_ID: .* \(at .*test_calls\.py:\d+\)$"
        )

    async def test_cancelling_the_waiting_task_does_not_undo_the_call(self) -> None:
        tracker, fake = self.fake_async()

        async def wait() -> None:
            await tracker.track("A")

        task = asyncio.create_task(wait())
        await asyncio.sleep(0)
        task.cancel()
        await tracker.track("B")

        self.assertEqual([call["params"]["eventName"] for call in fake.lives[0]], ["A", "B"])

    async def test_async_with_closes(self) -> None:
        tracker, fake = self.fake_async()

        async with tracker:
            tracker.track("A")

        self.assertEqual(fake.methods, [["track", "host.shutdown"]])


if __name__ == "__main__":
    unittest.main()
