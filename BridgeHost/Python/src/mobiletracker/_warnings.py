"""Warnings of calls that were dropped or failed."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ._action_queue import ActionQueue
from ._fault import client_text, filled, sentence
from ._row import Gives, Row, snake
from ._table import OF_STATE, ROWS
from ._texts import DROPS, PHRASES


@dataclass(frozen=True, slots=True)
class Drop:
    """A call that was dropped."""

    row: Row
    name: object
    """The event's or screen's name, if the call has one."""
    reason: str
    place: str
    """The caller's line, for the end of a sentence."""
    fault: Mapping[str, Any] = field(default_factory=dict)
    """What is wrong, as data, if the reason does not say it."""
    hint: str = ""
    """What to write instead, as a sentence behind the others."""
    written: frozenset[object] = frozenset()
    """The names that the caller wrote: they stay as they are."""
    has_failed: bool = False
    """Whether it failed instead, without a host: it is unknown whether a host stored it."""

    @property
    def sentence(self) -> str:
        """Why, in words."""
        word = "notStored" if self.has_failed else str(self.fault.get("reason", self.reason))
        init = next(row.method for row in ROWS.values() if row.client == self.row.client and row.restores == "setup")
        words = sentence(word, {**self.fault, "init": f"{init}()"}, self.written)
        return f"{words}{'.' if words and word in PHRASES else ''}{self.hint and ' '}{self.hint}"

    def warning(self, count: int = 1, *, is_reported: bool = False) -> str:
        """The warning about so many calls that were dropped for the same reason, of which this is the first.

        :param is_reported: Whether there was a warning about this one.
        """
        form = ("oneMore" if count == 1 else "more") if is_reported else "call" if count == 1 else "several"
        facts = {
            # With its event's name, but nothing of a person.
            "call": call_name(self.row.method, self.name),
            "failed": "" if self.has_failed else None,
            "reason": self.reason,
            "why": self.sentence or None,
            "place": self.place,
            "count": count,
        }
        return filled(DROPS[form], facts)


def argument_hint(row: Row, arguments: Sequence[object]) -> str:
    """What to write instead of a call that has its arguments in one object, or in the order of Segment's package, if the
    host refuses it; empty for other calls."""
    if row.gives is not Gives.OUTCOME or not row.params or row.params[0].kind not in ("string", "id"):
        return ""
    # Their types, since a value may raise when it is asked for its class.
    is_text = issubclass(type(arguments[0]), str)
    if is_text:
        # There the user comes first. Here it is the second argument that is of no use then.
        is_meant = bool(row.person) and len(arguments) > 1 and issubclass(type(arguments[1]), str)
    else:
        is_meant = issubclass(type(arguments[0]), Mapping) and all(other is None for other in arguments[1:])
    if not is_meant:
        return ""
    order = [param.name for param in row.params if not param.names]
    if row.person and row.person not in order:
        order.append(f"{row.person}=…")
    call = f"{snake(row.method.rpartition('.')[2])}({', '.join(order)})"
    return client_text("otherArguments", object=None if is_text else "", call=call)


def call_name(method: str, name: object) -> str:
    """A call for a warning."""
    if not isinstance(name, str):
        return method
    # Half a surrogate pair cannot be written to a log.
    shown = json.dumps(name[:200], ensure_ascii=False).encode(errors="backslashreplace").decode()
    return f"{method} {shown}"


class _Streak:
    """Calls that were dropped one after the other for the same reason."""

    def __init__(self, first: Drop) -> None:
        self.first = first
        self.count = 1
        """How many are not reported yet."""
        self.is_reported = False

    def report(self) -> str | None:
        """The warning that is due, if one is."""
        count, was_reported = self.count, self.is_reported
        self.count, self.is_reported = 0, True
        return self.first.warning(count, is_reported=was_reported) if count else None


class Warnings:
    """Warns of calls that were dropped or failed, by the logger `mobiletracker` or the program's own.

    A wrong argument is a warning each time. For a reason in the tracker's state, such as NOT_INITIALIZED, there is one
    warning for all calls that it drops until one is accepted again. A missing host is also one warning, for all calls
    whose errors nobody handles.
    """

    def __init__(
        self, logger: logging.Logger | None, *, is_on: bool, is_on_io_thread: Callable[[], bool]
    ) -> None:
        self._logger = logger or logging.getLogger("mobiletracker")
        self._is_on = is_on
        self._is_on_io_thread = is_on_io_thread
        self.become_child()

    def become_child(self) -> None:
        """After a fork: a thread that only the parent has may run an action, and the parent warns of what it counted."""
        self._changes = ActionQueue()
        self._streaks: dict[tuple[str, str], _Streak] = {}

    def warn(self, message: str | None) -> None:
        """Logs a warning, unless warnings are off."""
        if self._is_on and message:
            try:
                self._logger.warning("%s", message)
            except Exception:
                pass  # A handler that fails must not fail the call.
            except BaseException:
                # A caller's own Ctrl-C or exit is the caller's; on the I/O thread other calls wait for what comes next.
                if not self._is_on_io_thread():
                    raise

    def dropped(self, drop: Drop) -> None:
        """A call was dropped. If its reason is in the tracker's state, `report_first` warns of it later."""
        if drop.reason not in OF_STATE and not drop.has_failed:
            return self.warn(drop.warning())
        self._changes.run(partial(self._count, drop))

    def accepted(self, row: Row) -> None:
        """A call of this client was accepted: what dropped others before is over, and the count of them is due."""
        if not self._streaks:
            return
        self._changes.run(partial(self._end_streaks, row.client))

    def report_first(self) -> None:
        """Warns of the reasons for which there was no warning yet."""
        if self._streaks:
            self._report(lambda streak: not streak.is_reported)

    def finish(self) -> None:
        """Logs the warnings that are still due."""
        self._report(lambda _: True)

    def _count(self, drop: Drop) -> None:
        # Without a host, the calls of each client fail.
        key = ("" if drop.has_failed else drop.row.client, drop.reason)
        if streak := self._streaks.get(key):
            streak.count += 1
        else:
            self._streaks[key] = _Streak(drop)

    def _end_streaks(self, client: str) -> None:
        over = [key for key, streak in self._streaks.items() if key[0] == client or streak.first.has_failed]
        for key in over:
            self.warn(self._streaks.pop(key).report())

    def _report(self, matches: Callable[[_Streak], bool]) -> None:
        def report() -> None:
            for streak in self._streaks.values():
                if matches(streak):
                    self.warn(streak.report())

        self._changes.run(report)
