"""The calls that each vendor's SDK and the product make: six kinds, ten of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

START = datetime(2025, 11, 27, 10, 30, tzinfo=timezone.utc)

GROUP_TYPE = "company"
"""What a backend calls the kind of group that `group` names, where it knows several."""

APP = {"name": "Shop", "version": "2.0", "build": "17", "namespace": "com.example.shop"}
"""The application that makes the calls."""

VALUES: dict[str, dict[str, Any]] = {
    "plain": {"total": 149.99, "currency": "EUR", "paid": True, "items": 3},
    "unicode": {
        "größe": "Übergröße",
        "名前": "山田太郎",
        "emoji": "👩‍👩‍👧‍👦🇨🇭",
        "controls": 'tab\t, line\n, "quote", \\, \x01',
    },
    "nested": {
        "cart": {"lines": [{"sku": "a-1", "price": {"amount": 12.5, "unit": "CHF"}}, {"sku": "b-2"}]},
        "tags": ["a", ["b"]],
    },
    "nulls": {"coupon": None, "address": {"street": None, "city": "Zürich"}, "kept": "yes"},
    "numbers": {
        "past-double": 9007199254740993,
        "most": 9223372036854775807,
        "least": -9223372036854775808,
        "large": 1.7976931348623157e308,
        "small": 5e-324,
        "third": 0.1,
        "zero": 0,
        "minus": -1,
    },
    "dates": {"bought": datetime(2024, 2, 29, 23, 59, 58, 125000, tzinfo=timezone.utc), "then": {"due": START}},
    "empty": {},
    "missing": {"empty-text": "", "empty-list": [], "empty-object": {}},
    "long": {"text": "lorem ipsum " * 40, "many": {f"key-{number:02}": number for number in range(60)}},
    "reserved": {
        "type": "card",
        "event": "inner",
        "userId": "not-the-user",
        "time": 5,
        "context": {"ip": "mine"},
        "$set": "mine",
    },
}
"""What a call carries, by what is hard about it."""


@dataclass(frozen=True)
class Call:
    """One call, as both sides understand it."""

    kind: str
    values_name: str
    number: int
    name: str = ""
    """The event, the screen or the page."""
    user: str | None = None
    anonymous: str | None = None
    group: str | None = None
    previous: str | None = None
    """Whom `alias` gives its new name, which is `user`."""
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def when(self) -> datetime:
        return START + timedelta(seconds=self.number, milliseconds=self.number)

    @property
    def uuid(self) -> str:
        """What keeps the call from counting twice: a UUID, since PostHog takes nothing else."""
        return f"00000000-0000-4000-8000-{self.number:012}"


def every_call() -> Iterator[Call]:
    """The sixty calls, in their order."""
    number = 0
    for values_name, values in VALUES.items():
        for kind in ("track", "identify", "group", "screen", "page", "alias"):
            number += 1
            user = f"user-{number}" if values_name != "unicode" else f"user-ü-{number}"
            who: dict[str, Any] = {"user": user}
            if kind in ("track", "screen", "page") and values_name in ("nulls", "missing"):
                who = {"anonymous": f"anonymous-{number}"}
            if kind == "group":
                who["group"] = f"group-{number}"
            if kind == "alias":
                who["previous"] = f"anonymous-{number}"
            name = {"track": f"Order {values_name} ✓", "screen": f"Screen {values_name}", "page": f"Page {values_name}"}
            yield Call(kind, values_name, number, name.get(kind, ""), values=values if kind != "alias" else {}, **who)
