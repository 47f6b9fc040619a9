"""Which values can be sent, and what is said of those that cannot."""

from __future__ import annotations

import json
import unittest
from collections import OrderedDict, UserDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum
from itertools import product
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, cast
from uuid import UUID

import numpy
import pandas  # type: ignore[import-untyped]

from .support import AsyncTestCase, TestCase, doubling, host_path

from mobiletracker import MobileTracker, MobileTrackerError
from mobiletracker._json import JSONWriter, SizeFault, ValueFault, read  # isort: skip


MOST = 1 << 24
"""How long a text may become."""


class Plan(Enum):
    PRO = "pro"


class Level(IntEnum):
    HIGH = 3


class Unreadable(UserDict[str, int]):
    def __getitem__(self, key: str) -> int:
        return 1 // 0


@dataclass
class Item:
    sku: str
    price: object


class Strange:
    pass


class Raising(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise RuntimeError

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError

    def __len__(self) -> int:
        raise RuntimeError


class Classless:
    def __init__(self, error: Exception) -> None:
        self.error = error

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        raise self.error


class Wordless(Exception):
    def __repr__(self) -> str:
        raise self

    __str__ = __repr__


def written(value: object, default: Callable[[Any], object] | None = None) -> str:
    """The JSON text of a value."""
    text = JSONWriter(default).write({"v": value}, {}, MOST).decode()
    return text.removeprefix('{"v":').removesuffix("}")


class ValueTests(TestCase):
    """Values as JSON."""

    def test_what_json_has_is_written_as_json_does(self) -> None:
        for value in (None, True, 0, -1, 2**70, 1.5, 1e300, 'é\n"\u2028🐙', [], {}, [1, [2]], {"a": {"b": None}}):
            with self.subTest(value=value):
                self.assertEqual(json.loads(written(value)), value)
        self.assertEqual(written((1, 2)), "[1,2]")
        self.assertEqual(written({1: "a", "b": 2}), '{"1":"a","b":2}')
        self.assertEqual(written(0.1), "0.1")

    def test_what_python_has_besides_is_written_as_what_it_means(self) -> None:
        at = datetime(2025, 1, 31, 10, 30, 0, 123456, timezone(timedelta(hours=1)))
        id = UUID("0b8f6f3e-6a0c-4a5e-9a53-0f3f3a3b6a01")
        values: dict[str, Any] = {
            '"2025-01-31T09:30:00.123Z"': at,
            '"2025-01-31"': date(2025, 1, 31),
            f'"{id}"': id,
            "1.10": Decimal("1.10"),
            '[1,{"price":149.990}]': [1, {"price": Decimal("149.990")}],
            '"pro"': Plan.PRO,
            "3": Level.HIGH,
            '{"a":1}': MappingProxyType({"a": 1}),
            '{"b":2}': OrderedDict(b=2),
            "[7]": frozenset([7]),
            '"/var/lib"': PurePosixPath("/var/lib"),
            '{"sku":"A-1","price":{"sku":"part","price":1.10}}': Item("A-1", Item("part", Decimal("1.10"))),
            "[true,7,0.5]": [numpy.bool_(True), numpy.int64(7), numpy.float32(0.5)],
            "1E+400": Decimal("1E+400"),
        }
        for text, value in values.items():
            with self.subTest(text):
                self.assertEqual(written(value), text)
        error = json.loads(written(ValueError("no")))
        self.assertEqual((error["name"], error["message"]), ("ValueError", "no"))

    def test_a_time_without_a_zone_is_this_machines(self) -> None:
        at = datetime(2025, 1, 31, 10, 30)

        self.assertEqual(written(at), written(at.astimezone()))
        self.assertEqual(written(pandas.Timestamp(at)), written(at))
        self.assertEqual(written(pandas.Timestamp("2025-01-31 10:30", tz="UTC")), '"2025-01-31T10:30:00.000Z"')

    def test_what_cannot_be_sent_is_named_by_its_place_and_not_shown(self) -> None:
        cycle: dict[str, Any] = {"a": []}
        cycle["a"].append(cycle)
        deep: Any = "x"
        for _ in range(129):
            deep = [deep]
        faults: dict[str, Any] = {
            "'v' is NaN, which JSON does not have": float("nan"),
            "'v.a[1]' is Infinity, which JSON does not have": {"a": [0, float("inf")]},
            "'v.d' is NaN, which JSON does not have": {"d": Decimal("NaN")},
            "'v.e' is NaN, which JSON does not have": {"e": Decimal("sNaN")},
            "'v[\"a b\"]' holds half a surrogate pair, which is no character": {"a b": "\ud800"},
            "'v.a[0]' is part of a cycle": cycle,
            "'v.o' is of type object, which JSON does not have": {"o": object()},
            "'v.s' is of type Strange, which JSON does not have": {"s": Strange()},
            "'v' is of type type, which JSON does not have": Item,
            "'v' is NaT, which JSON does not have": pandas.NaT,
            "'v[0].m' has two keys that are \"1\" in JSON": [{"m": {1: "a", "1": "b"}}],
            "'v' is of type bytes, which JSON does not have": b"secret",
            "'v' has a key that is no string": {(1, 2): 3},
            f"'v{'[0]' * 8}…' is nested more than 128 deep": deep,
            "'v' cannot be read: ZeroDivisionError": Unreadable(a=1),
        }
        for message, value in faults.items():
            with self.subTest(message), self.assertRaises(ValueFault) as caught:
                written(value)
            # What an error says may be personal; where it was raised is not.
            self.assertEqual(str(caught.exception).split(" at ")[0], message)

    def test_what_json_has_not_becomes_what_the_programs_own_function_makes_of_it(self) -> None:
        def default(value: object) -> object:
            if isinstance(value, bytes):
                return {"hex": value.hex()}
            if isinstance(value, float):
                return None
            return {"a": 1 // 0} if isinstance(value, Strange) else value

        self.assertEqual(written([b"\x01", float("nan"), Decimal("1.10")], default), '[{"hex":"01"},null,1.10]')
        for value, message in [
            (Strange(), r"'v' cannot be sent: `default` has failed: ZeroDivisionError at \S+test_values\.py:\d+$"),
            (object(), "'v' cannot be read: RecursionError at "),
        ]:
            with self.assertRaisesRegex(ValueFault, message):
                written(value, default)

        def refuse(value: object) -> object:
            raise TypeError("no")

        with self.assertRaisesRegex(ValueFault, "'v' is of type Strange, which JSON does not have"):
            written(Strange(), refuse)

    def test_what_was_read_is_written_again_to_the_digit(self) -> None:
        text = b'{"a":[1.10,1.5,-0,1E+400,0.10000000000000000000001],"n":123456789012345678901234567890}'

        value, is_exact = read(text)

        self.assertTrue(is_exact)
        self.assertEqual(value["a"][:2], [1.1, 1.5])
        self.assertEqual(JSONWriter().write(value, {}, MOST, is_exact=True), text)
        self.assertEqual(read(b'{"a":[1,0.1]}'), ({"a": [1, 0.1]}, False))

    def test_128_levels_are_taken(self) -> None:
        deep: Any = {}
        for _ in range(127):
            deep = {"a": deep}

        self.assertEqual(json.loads(written(deep)), deep)
        with self.assertRaises(ValueFault):
            written({"a": deep})

    def test_many_brackets_are_not_many_levels(self) -> None:
        self.assertEqual(json.loads(written([[i] for i in range(500)])), [[i] for i in range(500)])
        self.assertEqual(json.loads(written("{" * 500)), "{" * 500)

    def test_drops_its_call_alone(self) -> None:
        tracker, fake = self.fake()

        outcome = tracker.track("A", {"items": [{"price": float("nan")}]}).outcome(60)
        tracker.track("B").outcome(60)

        self.assertEqual(outcome.reason, "SERIALIZATION_ERROR")
        self.assertEqual(outcome.fault, {"reason": "notJSON", "option": "attributes.items[0].price", "value": "NaN"})
        self.assertRegex(
            self.warnings[0],
            r'^track "A" was dropped: SERIALIZATION_ERROR\. .attributes\.items\[0\]\.price. is NaN, which JSON does not have\. \(at ',
        )
        self.assertEqual([call["params"]["eventName"] for call in fake.lives[0]], ["B"])

    def test_that_raises_when_it_is_read_drops_its_call(self) -> None:
        options, of_error = cast(Any, Raising()), cast(Any, Classless)
        calls: list[tuple[str, Callable[[MobileTracker], Any]]] = [
            ("options", lambda tracker: tracker.analytics.track("A", {}, options, user_id="u1")),
            ("options alone", lambda tracker: tracker.analytics.track("A", {}, options)),
            ("an id", lambda tracker: tracker.analytics.track("A", user_id=10**5000)),
            ("a name without a class", lambda tracker: tracker.track(of_error(AttributeError()))),
            ("a name that raises for its class", lambda tracker: tracker.track(of_error(ValueError()))),
            ("an error without a text", lambda tracker: tracker.track("A", of_error(Wordless()))),
        ]
        tracker = self.real()
        for what, call in calls:
            with self.subTest(what):
                self.warnings.clear()
                self.assertEqual(call(tracker).outcome(60).reason, "SERIALIZATION_ERROR")
                self.assertEqual(len(self.warnings), 1)
                self.assertRegex(self.warnings[0], r" cannot be read.* \(at .*test_values\.py:\d+\)$")

    def test_is_too_large_past_what_the_host_takes_in_one_message(self) -> None:
        tracker, _ = self.fake({"maxMessageBytes": 10_000})
        tracker.track("A").outcome(60)

        outcome = tracker.track("A", {"large": "é" * 5000}).outcome(60)
        self.assertEqual(outcome.reason, "TOO_LARGE")
        self.assertEqual(outcome.fault, {"reason": "size", "option": "--max-message-bytes", "most": 10_000})
        with self.assertRaisesCode("MESSAGE_TOO_LARGE"):
            tracker.get_cross_domain_url("é" * 5000)
        self.assertEqual(tracker.track("A", {"large": "é" * 4800}).outcome(60).status, "queued")

    def test_is_too_large_if_the_values_that_it_shares_are_and_little_of_it_is_read(self) -> None:
        kinds: dict[str, Callable[[Any], Any]] = {
            "dict": lambda inner: {"a": inner, "b": inner},
            "dict with numbers as keys": lambda inner: {1: inner, 2: inner},
            "list": lambda inner: [inner, inner],
            "mapping": lambda inner: MappingProxyType({"a": inner, "b": inner}),
            "dataclass": lambda inner: Item(inner, inner),
        }
        # The last two are for the slow way of writing.
        for kind, leaf in product(kinds, (None, "x" * 1000, Decimal(1), {1: 1})):
            with self.subTest(kind, leaf=leaf):
                value = doubling(kinds[kind], leaf)
                with self.assertRaises(SizeFault):
                    JSONWriter().write({"v": value}, {}, 10_000)
                with self.assertRaises(SizeFault):
                    JSONWriter().write({"v": value}, {}, 10_000, is_exact=True)

    def test_counts_texts_of_any_type_and_what_the_program_makes_of_others(self) -> None:
        class Text(str):
            pass

        for value in ([Text("x" * 1000)] * 20, [PurePosixPath("x" * 1000)] * 20, [object()] * 20):
            with self.subTest(type(value[0]).__name__), self.assertRaises(SizeFault):
                JSONWriter(lambda _: "x" * 1000).write({"v": value}, {}, 10_000)

    def test_is_not_too_large_for_a_call_that_the_program_makes_meanwhile(self) -> None:
        def convert(_: object) -> str:
            writer.write({"v": "x" * 9_900}, {}, 10_000)
            return "x" * 200

        writer = JSONWriter(convert)
        text = writer.write({"v": [object(), object()]}, {}, 10_000)
        self.assertEqual(json.loads(text)["v"], ["x" * 200] * 2)

    def test_may_be_as_large_as_the_host_takes(self) -> None:
        values: list[Any] = [{}, [], {"": 0}, [0], "", "x", {"a": [{}, [], ""]}, [[0]], {"a": {"": 1.5}, "b": [None, True]}]
        values += [[0] * 50, {"": {"": {"": {"": ""}}}}, ["x" * 50] * 2, Item("", None), MappingProxyType({"": 0})]
        values += [set(), {1: 0}, Decimal(1), Plan.PRO, [date.min]]
        for value in values:
            with self.subTest(repr(value)):
                text = JSONWriter().write({"v": value}, {}, MOST)
                self.assertEqual(JSONWriter().write({"v": value}, {}, len(text)), text)

    def test_is_too_large_also_if_the_host_has_not_said_yet_what_it_takes(self) -> None:
        arguments = ["--storage-dir", str(self.folder / "state"), "--max-message-bytes", "65536"]
        tracker = MobileTracker(host_path=host_path(), host_arguments=arguments, stderr="ignore")
        self.addCleanup(tracker.close)

        receipts = [tracker.track(name, {"text": "x" * size}) for name, size in (("A", 100_000), ("B", 1))]

        self.assertEqual([receipt.outcome(60).reason for receipt in receipts], ["TOO_LARGE", "NOT_INITIALIZED"])
        words = r'^track "A" was dropped: TOO_LARGE\. As JSON it is larger than --max-message-bytes allows, 65,536 bytes\. \(at '
        self.assertRegex(self.warnings[0], words)
        self.assertFalse([warning for warning in self.warnings if "host" in warning], self.warnings)

    def test_fails_a_call_without_an_outcome_by_the_code_of_its_argument(self) -> None:
        tracker, _ = self.fake()

        config: Any = {"max_queued_events": float("nan")}
        words = "Invalid configuration: 'config.max_queued_events' is NaN, which JSON does not have"
        with self.assertRaisesRegex(Exception, f"INVALID_CONFIGURATION: {words}$"):
            tracker.init("925", config)
        with self.assertRaisesCode("INVALID_ENDPOINT"):
            tracker.basic.initialize("key", "\ud800")
        words = "getCrossDomainUrl: 'url' holds half a surrogate pair, which is no character."
        with self.assertRaisesRegex(Exception, f"SERIALIZATION_ERROR: {words}$"):
            tracker.get_cross_domain_url("\ud800")
        config["max_queued_events"] = config
        with self.assertRaisesRegex(Exception, "INVALID_CONFIGURATION: Invalid configuration: .* is part of a cycle$"):
            tracker.init("925", config)
        filters: Any = {"message_ids": ["a"], "messageIds": ["b"]}
        with self.assertRaisesCode("INVALID_PARAMS") as caught:
            tracker.refused.list(filters)
        fault = {"reason": "repeated", "option": "filter.messageIds", "other": "message_ids"}
        self.assertEqual(caught.exception.data, {"method": "refused.list", "param": "filter", "fault": fault})

    def test_is_named_as_in_python_where_it_is_no_data(self) -> None:
        tracker, _ = self.fake()

        user: Any = [float("nan")]
        tracker.identify(user).outcome(60)
        tracker.set({"first-name": user}).outcome(60)

        self.assertIn(" 'user_id[0]' is NaN", self.warnings[0])
        self.assertIn(""" 'profile_data["first-name"][0]' is NaN""", self.warnings[1])

    def test_is_named_by_the_keys_of_the_programs_own_data(self) -> None:
        tracker, _ = self.fake()
        options: Any = {"context": {"user_id": float("nan")}}

        outcomes = [
            tracker.track("A", {"userId": [float("nan")]}).outcome(60),
            tracker.analytics.track("A", {"apiUrl": {"eventName": float("-inf")}}).outcome(60),
            tracker.analytics.track("A", {}, options).outcome(60),
            tracker.track("A", {"a.userId.b": float("nan")}).outcome(60),
        ]

        names = [
            "attributes.userId[0]", "properties.apiUrl.eventName", "options.context.user_id", 'attributes["a.userId.b"]',
        ]  # fmt: skip
        self.assertEqual([outcome.fault and outcome.fault["option"] for outcome in outcomes], names)
        for warning, name in zip(self.warnings, names, strict=True):
            self.assertIn(f"SERIALIZATION_ERROR. '{name}' is ", warning)

    def test_that_is_a_whole_number_of_any_length_is_the_hosts_to_refuse(self) -> None:
        tracker = self.real()
        long: Any = Decimal("1" * 5000)

        with self.assertRaisesCode("INVALID_CONFIGURATION"):
            tracker.init("925", {"max_queued_events": long})
        host = tracker._channel.link.host
        for timeout in (10**400, -(10**400)):
            with self.assertRaisesCode("INVALID_CONFIGURATION"):
                tracker.init("925", {"init_timeout_ms": timeout})
        for timeout in (long, 10**400, -(10**400)):
            with self.assertRaisesCode("INVALID_PARAMS"):
                tracker.flush(timeout)

        self.assertEqual(tracker._channel.link.host, host)


class AsyncValueTests(AsyncTestCase):
    """The same in asyncio, where calls are made before the first has an answer."""

    async def test_is_too_large_for_a_host_that_is_being_started(self) -> None:
        tracker, fake = self.fake_async({"maxMessageBytes": 10_000})

        url = tracker.get_cross_domain_url("x" * 10_000)
        large, small = tracker.track("A", {"large": "x" * 10_000}), tracker.track("B")

        words = "getCrossDomainUrl: The call is too large. A message has at most 10,000 bytes."
        with self.assertRaises(MobileTrackerError) as caught:
            await url
        self.assertEqual((caught.exception.code, caught.exception.message), ("MESSAGE_TOO_LARGE", words))
        self.assertEqual(caught.exception.data, {"limit": 10_000})
        self.assertEqual(((await large).reason, (await small).status), ("TOO_LARGE", "queued"))
        self.assertEqual(fake.methods, [["track"]])


if __name__ == "__main__":
    unittest.main()
