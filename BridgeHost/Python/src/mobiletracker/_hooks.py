"""The program's own functions: `before_send`, which receives each call before it is written, and the logger."""

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
"""The member of an `OutgoingCall` for each argument."""


class OutgoingCall(TypedDict, total=False):
    """A call as `before_send` receives it: plain values, as they would be sent. It has only the members that the call
    has."""

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
"""Receives each valid tracking call before anything is written. It returns the call, changed or not, or None to drop it
with the reason `BEFORE_SEND`. If it raises, the call is dropped too, with a warning."""


class CallDropped(Exception):
    """`before_send` has dropped the call. The text says what is wrong with `before_send`; it is empty if nothing is."""


def filtered(before_send: BeforeSend, row: Row, arguments: Sequence[object], params: bytes) -> list[object] | None:
    """Passes a call to `before_send`.

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
        # An argument that it did not change is sent as the caller passed it.
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
        return None  # Then it is a new value, and is checked like any value of a call.


class HostLog:
    """Passes on what the host writes to its stderr. It runs on the I/O thread."""

    _LINE = re.compile(r"\[MobileTracker\] (debug|info|warning|error): (.*)")
    _LONGEST = 64 * 1024

    def __init__(self, logger: logging.Logger | None, *, is_passed: bool) -> None:
        """
        :param logger: Receives the messages; without it they go to this program's stderr.
        :param is_passed: Whether messages are passed on at all.
        """
        self._logger = logger
        self._is_passed = is_passed
        self._begun = b""

    def take(self, chunk: bytes) -> None:
        """Passes on a piece of the log."""
        if not self._is_passed:
            return
        if self._logger is None:
            try:
                os.write(2, chunk)
            except OSError:
                pass  # A closed stderr must not end the program.
            return
        *lines, rest = (self._begun + chunk).split(b"\n")
        self._begun = rest[: self._LONGEST]
        for line in lines:
            self._log(self._logger, line.decode(errors="replace"))

    def _log(self, logger: logging.Logger, line: str) -> None:
        match = self._LINE.fullmatch(line)
        level, message = match.groups() if match else ("error", line)
        try:
            logger.log(logging.getLevelNamesMapping()[level.upper()], "%s", message)
        except Exception:
            pass  # A handler that fails must not fail the call.
