"""The caller's own functions: one that sees each call before it is written, and where messages go."""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Callable, Sequence
from typing import Any, TypedDict

from ._row import Param, Row

_MEMBERS = {
    "eventName": "name", "event": "name", "name": "name",
    "userId": "user_id", "newUserId": "user_id",
    "attributes": "properties", "properties": "properties", "profileData": "properties", "traits": "properties",
    "metadata": "metadata",
}  # fmt: skip
"""What the arguments of calls are to a `before_send`."""


class OutgoingCall(TypedDict, total=False):
    """A call as a `before_send` sees it: plain values, as they would be sent. What the call lacks is not there."""

    method: str
    """Which call, as the bridge names it: `track`, `analytics.identify`, …"""
    name: str
    """The name of an event, a screen or a page."""
    user_id: str
    """The user of `identify` and `alias`."""
    properties: dict[str, Any]
    """Attributes, properties, traits, profile data, or the metadata of `set_metadata`."""
    metadata: dict[str, Any]
    """The metadata of `track`."""


BeforeSend = Callable[[OutgoingCall], OutgoingCall | None]
"""Sees each tracking call that is valid, before anything is written. It returns the call, changed or not, or None to
drop it with the reason `BEFORE_SEND`. One that raises drops the call too, with a warning."""


class CallDropped(Exception):
    """The caller's own function has dropped the call. The text, if there is one, says why that was not meant."""


def filtered(before_send: BeforeSend, row: Row, arguments: Sequence[object], params: bytes) -> list[object] | None:
    """Has the caller's function see a call.

    :param params: The params as they would be sent.
    :returns: The arguments if it has changed them.
    :raises CallDropped: If it has dropped the call.
    """
    sent = json.loads(params)
    call: dict[str, Any] = {"method": row.method}
    for param in row.params:
        if param.wire in sent and (member := _member_of(row, param)):
            call[member] = sent[param.wire]
    before = {member: json.dumps(value) for member, value in call.items()}
    try:
        result = before_send(call)  # type: ignore[arg-type]
    except Exception as error:
        raise CallDropped(f"before_send has raised {error!r}") from error
    if result is None:
        raise CallDropped
    if not isinstance(result, dict):
        raise CallDropped("before_send must return the call, or None to drop it")

    def is_same(member: str) -> bool:
        # What it has left alone is sent as it was given.
        return member in result and member in before and _text_of(result.get(member)) == before[member]

    members = [_member_of(row, param) for param in row.params]
    if all(member is None or is_same(member) or (member not in result and member not in before) for member in members):
        return None
    return [
        value if member is None or is_same(member) else result.get(member) for member, value in zip(members, arguments)
    ]


def _member_of(row: Row, param: Param) -> str | None:
    return "properties" if row.method == "setMetadata" else _MEMBERS.get(param.wire)


def _text_of(value: object) -> str | None:
    try:
        return json.dumps(value)
    except (TypeError, ValueError):
        return None  # Then it is new, and judged as any value of a call is.


class HostLog:
    """Takes what the host writes to its stderr. All of it runs on the I/O thread."""

    _LINE = re.compile(r"\[MobileTracker\] (debug|info|warning|error): (.*)")
    _LONGEST = 64 * 1024

    def __init__(self, logger: logging.Logger | None, *, is_passed: bool) -> None:
        """
        :param logger: Where its messages go; this program's stderr if there is none.
        :param is_passed: Whether they go anywhere.
        """
        self._logger = logger
        self._is_passed = is_passed
        self._begun = b""

    def take(self, chunk: bytes) -> None:
        """Passes on what has come."""
        if not self._is_passed:
            return
        if self._logger is None:
            try:
                os.write(2, chunk)
            except OSError:
                pass  # That nobody reads this program's stderr must not end it.
            return
        *lines, rest = (self._begun + chunk).split(b"\n")
        self._begun = rest[: self._LONGEST]
        for line in lines:
            self._tell(self._logger, line.decode(errors="replace"))

    def _tell(self, logger: logging.Logger, line: str) -> None:
        match = self._LINE.fullmatch(line)
        level, message = match.groups() if match else ("error", line)
        try:
            logger.log(logging.getLevelNamesMapping()[level.upper()], "%s", message)
        except Exception:
            pass  # A handler that fails must not fail the call.
