"""The program's own functions: `before_send`, which receives each call before it is written, and the logger."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any, TypedDict

from ._fault import client_text
from ._json import ExactNumber, read
from ._row import Param, Row, snake
from ._scope import shown
from .errors import described
from .protocol import OutgoingCall, RequestHeaders


BeforeSend = Callable[[OutgoingCall], OutgoingCall | None]
"""Receives each tracking call before anything is written. It returns the call, changed or not, or None to drop it
with the reason `BEFORE_SEND`. If it raises, the call is dropped too, with a warning."""


class Credentials(TypedDict, total=False):
    """What a client proves itself with to the server. What is left out stays as it is."""

    key: str | None
    headers: RequestHeaders | None


CredentialsProvider = Callable[[str], Credentials | Awaitable[Credentials]]
"""Gives a client its credentials. It receives the client's name: `tracker`, `analytics` or `basic`."""


_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "id": (str, int, ExactNumber),
    "number": (int, float),
    "integer": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}
"""What a value of each kind is when it has been read from JSON. A value of another type the host never takes."""


class CallDropped(Exception):
    """`before_send` has dropped the call. The text says what is wrong with `before_send`; it is empty if nothing is."""


def filtered(
    before_send: BeforeSend, row: Row, params: bytes
) -> tuple[list[object], list[Mapping[str, Any]], bool] | None:
    """Passes a call to `before_send`.

    :param params: The params as they would be sent.
    :returns: The arguments and the scopes that it has left or made, and whether there may be an `ExactNumber` among them.
        None if it was not asked: an argument is missing or of a wrong type, which is no `OutgoingCall`, and the host
        refuses the call.
    :raises CallDropped: If it has dropped the call.
    """
    sent, is_exact = read(params)
    if not all(_is_of_kind(param, sent.get(param.wire)) for param in row.params):
        return None
    call: dict[str, Any] = {"method": row.method}
    for member, value in _members(row, sent):
        call[member] = value
    if "scope" in sent:
        call["scope"] = shown(sent["scope"])
    named = _named(sent.get("options", {}), call.get("scope", ()))
    try:
        result = before_send(call)  # type: ignore[arg-type]
    except Exception as error:
        raise CallDropped(client_text("filterFailed", error=described(error))) from error
    if result is None:
        raise CallDropped
    if not isinstance(result, dict):
        raise CallDropped(client_text("noCall", promise="coroutine"))
    try:
        scopes = [*(result.get("scope") or ())]
        return _arguments(row, sent, {**result, "scope": scopes}, named), scopes, is_exact
    except Exception as error:
        raise CallDropped(client_text("unreadableCall", error=described(error))) from error


def _is_of_kind(param: Param, value: object) -> bool:
    if value is None:
        return not param.is_required
    return isinstance(value, _TYPES[param.kind]) and isinstance(value, bool) == (param.kind == "boolean")


def _members(row: Row, sent: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The members of the call for params as they would be sent."""
    for param in row.params:
        if param.wire == "options":
            options = sent.get("options", {})
            for name, option in param.names.items():
                if option.wire in options and not _is_argument(row, option.wire):
                    yield name, options[option.wire]
        elif param.wire in sent and param.member != "location":
            yield param.member, sent[param.wire]
    if location := {param.wire: sent[param.wire] for param in row.params if param.member == "location"}:
        yield "location", location


def _arguments(row: Row, sent: dict[str, Any], call: dict[Any, Any], named: tuple[bool, bool]) -> list[object]:
    """The arguments for what `before_send` has returned."""
    location = call.get("location")
    arguments: list[object] = []
    for param in row.params:
        if param.wire == "options":
            options = _options(row, param, sent.get("options", {}), call)
            # Without its user or group the event would be about that of the process: the host refuses the call.
            (had_user, had_group), (has_user, has_group) = named, _named(options, call["scope"])
            if had_user and not has_user:
                options["userId"] = None
            elif had_group and not has_user and not has_group:
                options["groupId"] = None
            arguments.append(options or None)
        elif param.member == "location":
            arguments.append(location.get(param.wire) if isinstance(location, dict) else None)
        else:
            arguments.append(call.get(param.member))
    return arguments


def _options(row: Row, param: Param, sent: dict[str, Any], call: dict[Any, Any]) -> dict[str, object]:
    """The options of an analytics call. One that stands for an argument is there if it was there before, and one that is
    not known stays: the host refuses it."""
    known = {option.wire for option in param.names.values()}
    return {option: value for option, value in sent.items() if option not in known} | {
        option.wire: call[name]
        for name, option in param.names.items()
        if name in call and (option.wire in sent or not _is_argument(row, option.wire))
    }


def _is_argument(row: Row, option: str) -> bool:
    """Whether the call has an argument for what an option says: then both say the same."""
    return any(param.member == snake(option) for param in row.params)


def _named(options: Mapping[str, Any], scopes: Iterable[Mapping[str, Any]]) -> tuple[bool, bool]:
    """Whether options or scopes name a person, and whether they name a group."""
    names = {*options, *(name for scope in scopes for name in scope)}
    return not names.isdisjoint({"userId", "anonymousId", "user_id", "anonymous_id"}), not names.isdisjoint({"groupId", "group_id"})


class HostLog:
    """Passes on what the host writes to its stderr. It runs on the I/O thread."""

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
        """Passes on what has come of the log, in whole lines: the program may write to the same stderr."""
        if not self._is_passed:
            return
        *lines, rest = (self._begun + chunk).split(b"\n")
        if len(rest) > self._LONGEST:
            lines, rest = [*lines, rest], b""
        self._begun = rest
        # Of dropped calls and of errors this package tells itself, with the caller's line.
        self._pass_on([entry for entry in map(_entry, lines) if not {"reason", "code"} & entry.keys()])

    def _pass_on(self, entries: list[dict[str, Any]]) -> None:
        if self._logger is not None:
            for entry in entries:
                self._log(self._logger, entry)
        elif entries:
            unwritten = memoryview("".join(map(_line, entries)).encode())
            try:
                while unwritten:
                    unwritten = unwritten[os.write(2, unwritten) :]
            except OSError:
                pass  # A stderr that is closed or takes nothing must not end the program.

    def _log(self, logger: logging.Logger, entry: dict[str, Any]) -> None:
        try:
            logger.log(logging.getLevelNamesMapping()[entry.get("level", "error").upper()], "%s", entry["message"])
        except BaseException:
            pass  # A handler that fails, or exits, must not fail the calls that wait for this thread.


def _entry(line: bytes) -> dict[str, Any]:
    """A line of the host's log. One that is no entry, such as a message of the system, has no level."""
    try:
        match json.loads(line):
            case {"level": str(), "message": str()} as entry:
                return dict(entry)
    except ValueError:
        pass  # It is text.
    return {"message": line.decode(errors="replace")}


def last_message(text: bytes) -> str:
    """What a host process that has failed says of it.

    :param text: What it wrote to stderr, with `--log-format json`. Other code in its process may write there too.
    """
    entries = [_entry(line) for line in text.strip().split(b"\n")]
    return str(next((entry for entry in reversed(entries) if "level" in entry), entries[-1])["message"])


def _line(entry: dict[str, Any]) -> str:
    return f"[MobileTracker] {entry['level']}: {entry['message']}\n" if "level" in entry else f"{entry['message']}\n"
