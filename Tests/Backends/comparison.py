"""Compares two recordings of the same calls, field by field."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recorder import Request


@dataclass(frozen=True)
class Sent:
    """One request, its body read."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


ABSENT: Any = _Absent()
"""Stands for a member that a side does not have."""

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Difference:
    """One place where the sides differ."""

    place: str
    """Where, with `[]` for any element of a list: `batch[].context.library.name`."""
    event: Hashable
    theirs: Any
    ours: Any

    def __str__(self) -> str:
        return f"{self.place} of {self.event}: theirs is {self.theirs!r:.200}, ours {self.ours!r:.200}"


@dataclass(frozen=True)
class Meant:
    """A difference that is meant."""

    place: str
    """A pattern of places: `*` stands for anything."""
    reason: str
    holds: Callable[[Any, Any], bool]
    """Whether the two values are those that are meant."""

    def covers(self, difference: Difference) -> bool:
        pattern = re.escape(self.place).replace(r"\*", ".*")
        return re.fullmatch(pattern, difference.place) is not None and self.holds(difference.theirs, difference.ours)


@dataclass(frozen=True)
class Form:
    """How a vendor's requests are read, and how ours may differ from them."""

    api: str
    sdks: Sequence[str]
    read: Callable[[Request], Any]
    """The body of a request as JSON."""
    events: Callable[[Any], list[Any]]
    envelope: Callable[[Any], Any]
    key: Callable[[Any], Hashable]
    """What the same event has on both sides."""
    headers: Sequence[str] = ("content-type", "content-encoding", "authorization")
    aside: Sequence[str] = ()
    """Patterns of places whose values are another each time, or name a library. Both sides must have them."""
    meant: Sequence[Meant] = ()
    meant_for: dict[str, Sequence[Meant]] = field(default_factory=dict)
    """Those of one SDK alone."""

    def sent(self, requests: Iterable[Request]) -> list[Sent]:
        """Requests with their bodies read."""
        return [Sent(each.method, each.path, each.query, each.headers, self.read(each)) for each in requests]


@dataclass
class Result:
    """What a comparison came to."""

    differences: list[Difference]
    """Those that are not meant."""
    used: Counter[Meant]
    """How often each meant difference was found."""


def compare(form: Form, sdk: str, theirs: Sequence[Sent], ours: Sequence[Sent]) -> Result:
    """Compares what an SDK has sent with what the product has sent."""
    meant = [*form.meant, *form.meant_for.get(sdk, ())]
    result = Result([], Counter())
    for difference in _every(form, theirs, ours):
        if any(_fits(pattern, difference.place) for pattern in form.aside) and ABSENT not in (
            difference.theirs,
            difference.ours,
        ):
            continue
        found = next((each for each in meant if each.covers(difference)), None)
        if found is None:
            result.differences.append(difference)
        else:
            result.used[found] += 1
    return result


def _fits(pattern: str, place: str) -> bool:
    return re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), place) is not None


def _every(form: Form, theirs: Sequence[Sent], ours: Sequence[Sent]) -> Iterator[Difference]:
    """All differences: of the requests to each path, of their envelopes, of each event."""
    for path in sorted({request.path for request in [*theirs, *ours]}):
        sides = [[request for request in side if request.path == path] for side in (theirs, ours)]
        if not all(sides):
            yield Difference(f"POST {path}", "a request", *("sent" if side else ABSENT for side in sides))
            continue
        first = [_outside(form, side[0]) for side in sides]
        yield from _differing(path, "the request", *first)
        for side in sides:
            for request in side[1:]:
                yield from _differing(path, "another request", _outside(form, side[0]), _outside(form, request))
        yield from _of_events(
            form, path, *([event for request in side for event in form.events(request.body)] for side in sides)
        )


def _outside(form: Form, request: Sent) -> Any:
    headers = {name: request.headers.get(name, ABSENT) for name in form.headers}
    return {
        "method": request.method,
        "query": request.query,
        "envelope": form.envelope(request.body),
        "headers": {name: value for name, value in headers.items() if value is not ABSENT},
    }


def _of_events(form: Form, path: str, theirs: list[Any], ours: list[Any]) -> Iterator[Difference]:
    keyed = [_numbered(form, side) for side in (theirs, ours)]
    for key in dict.fromkeys([*keyed[0], *keyed[1]]):
        sides = [side.get(key, ABSENT) for side in keyed]
        if ABSENT in sides:
            yield Difference(f"{path} event", key, *("sent" if side is not ABSENT else ABSENT for side in sides))
        else:
            yield from _differing(f"{path} event", key, *sides)
    common = [[key for key in side if key in keyed[0] and key in keyed[1]] for side in keyed]
    if common[0] != common[1]:
        yield Difference(f"{path} order", "all events", common[0], common[1])


def _numbered(form: Form, events: Iterable[Any]) -> dict[Hashable, Any]:
    """The events by their keys. Two with one key are kept apart by their number."""
    numbers: Counter[Hashable] = Counter()
    keyed = {}
    for event in events:
        key = form.key(event)
        numbers[key] += 1
        keyed[key if numbers[key] == 1 else (key, numbers[key])] = event
    return keyed


def _differing(place: str, event: Hashable, theirs: Any, ours: Any) -> Iterator[Difference]:
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for name in dict.fromkeys([*theirs, *ours]):
            yield from _differing(f"{place}.{name}", event, theirs.get(name, ABSENT), ours.get(name, ABSENT))
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for one, other in zip(theirs, ours):
            yield from _differing(f"{place}[]", event, one, other)
    elif not _is_same(theirs, ours):
        yield Difference(place, event, theirs, ours)


def _is_same(theirs: Any, ours: Any) -> bool:
    if ABSENT in (theirs, ours) or isinstance(theirs, bool) or isinstance(ours, bool):
        return theirs is ours
    if isinstance(theirs, str) and isinstance(ours, str) and theirs != ours:
        return (instant := _instant(theirs)) is not None and instant == _instant(ours)
    return type(theirs) is type(ours) and theirs == ours or _are_numbers(theirs, ours) and theirs == ours


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)


def _instant(text: str) -> datetime | None:
    """A point in time, however it is spelled; nothing else."""
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)", text):
        return None
    return datetime.fromisoformat(text)
