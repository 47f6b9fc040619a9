"""The params of a call."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from enum import Enum, auto
from numbers import Integral, Real
from typing import Any
from uuid import UUID

from ._ids import stamped_id, time_ordered_uuid
from ._json import JSONWriter, ValueFault, a_type
from ._row import Gives, Name, Param, Row

_MESSAGE_ID = re.compile(r"[!-~](?:[ -~]{0,126}[!-~])?")
"""1 to 128 printable characters of ASCII, no space first or last."""

_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d([.,]\d+)?([Zz]|[+-]\d\d:?\d\d)")
"""A date and a time of day with its zone."""

_MAX_ID_BYTES = 1024
"""How many bytes of UTF-8 an id of a user or a group has at most."""

_PERSONS = {"userId", "anonymousId", "groupId"}
"""The options that name a user, a visitor or a group."""

_NEW_ID = {"uuid": time_ordered_uuid, "stamped": stamped_id}

_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "id": (str, Integral, UUID),
    "number": (int, float, Decimal, Real),
    "integer": (int, Integral),
    "boolean": (bool,),
    "object": (Mapping,),
    "array": (list, tuple),
}

_PHRASES = {
    "string": "a string",
    "id": "a string, a whole number or a UUID",
    "number": "a number",
    "integer": "an integer",
    "boolean": "True or False",
    "object": "a dict",
    "array": "a list",
}
"""What a value of each kind is called in Python."""


class Omitted(Enum):
    """The value of an argument that was left out: None would name nobody."""

    OMITTED = auto()


OMITTED = Omitted.OMITTED


def call_options(options: Any, **keywords: object) -> Any:
    """The options of a call, with those that were given as keywords beside them."""
    given = {name: value for name, value in keywords.items() if value is not OMITTED}
    if not given or not (options is None or isinstance(options, Mapping)):
        return options
    return {**(options or {}), **given}


class ArgumentFault(ValueFault):
    """An argument that is missing or has the wrong type."""


def write_params(
    writer: JSONWriter,
    row: Row,
    arguments: Sequence[object],
    message_id: str | None,
    max_bytes: int,
    *,
    is_exact: bool = False,
) -> bytes:
    """Writes a call's params as an object with their names.

    :param row: The method.
    :param arguments: Its arguments; None is absent.
    :param message_id: The caller's own id, if any.
    :param max_bytes: How long the params may become.
    :param is_exact: Whether there is an `ExactNumber` among the arguments.
    :raises ValueFault: If the call cannot be sent.
    """
    members: dict[str, object] = {}
    for param, value in zip(row.params, arguments):
        # The host checks the arguments of calls without an outcome.
        if row.gives is Gives.OUTCOME:
            _check(param, value)
            if param.wire == "options":
                _check_options(value, param.names)
        if value is None:
            continue
        if param.kind == "id":
            members[param.wire] = _text_of_id(value)
        else:
            members[param.wire] = _renamed(value, param.names, param.name) if param.names else value
    if row.message_id:
        members["messageId"] = _NEW_ID[row.message_id]() if message_id is None else _checked(message_id)
    text = writer.write(members, row.shown, is_exact=is_exact)
    if len(text) > max_bytes:
        raise ValueFault("The call", "is too large", is_too_large=True)
    return text


def _check(param: Param, value: object) -> None:
    """Checks that a value has the type of the parameter."""
    if value is None:
        if not param.is_required:
            return
    elif _is_of(param.kind, value):
        return
    raise ArgumentFault(param.name, f"must be {_PHRASES[param.kind]}, and is {a_type(value)}")


def _is_of(kind: str, value: object) -> bool:
    return isinstance(value, _KINDS[kind]) and (kind == "boolean") == isinstance(value, bool)


def _text_of_id(value: object) -> object:
    """An id as it is sent. What is none stays: the host refuses it."""
    if isinstance(value, str) or not _is_of("id", value):
        return value
    return str(int(value)) if isinstance(value, Integral) else str(value)


def _check_options(options: object, names: Mapping[str, Name]) -> None:
    """Checks the options of a call. The host checks the dates."""
    for name, value in options.items() if isinstance(options, Mapping) else ():
        wire = names.get(name, (name,))[0]
        if (value is not None or wire in _PERSONS) and (fault := _fault_of(wire, value)):
            raise ArgumentFault(f"options.{name}", fault)


def _fault_of(wire: str, value: object) -> str | None:
    match wire:
        case "context":
            return None if isinstance(value, Mapping) else f"must be {_PHRASES['object']}, and is {a_type(value)}"
        case "timestamp":
            is_time = isinstance(value, datetime) or isinstance(value, str) and _TIMESTAMP.fullmatch(value)
            return None if is_time else "must be a datetime or ISO 8601 with the zone, such as 2025-11-27T10:30:00.000Z"
        case "userId" | "anonymousId" | "groupId":
            if value is None:
                return "is None: leave it out to mean the client's own"
            if not _is_of("id", value):
                return f"must be {_PHRASES['id']}, and is {a_type(value)}"
            text = str(_text_of_id(value))
            if not text.strip():
                return "must not be blank"
            is_long = len(text.encode(errors="replace")) > _MAX_ID_BYTES
            return f"must not have more than {_MAX_ID_BYTES} bytes" if is_long else None
        case _:
            return "is not known: there are user_id, anonymous_id, group_id, timestamp and context"


def _checked(message_id: object) -> str:
    if isinstance(message_id, str) and _MESSAGE_ID.fullmatch(message_id):
        return message_id
    raise ArgumentFault("message_id", "must be 1 to 128 printable ASCII characters without spaces at either end")


def _renamed(value: object, names: Mapping[str, Name], path: str) -> object:
    """The options under the host's names. An unknown name stays: the host warns of it and suggests another."""
    if not isinstance(value, Mapping):
        return value
    options: dict[object, object] = {}
    for key, member in value.items():
        wire, members = names.get(key, (key, {})) if isinstance(key, str) else (key, {})
        if wire in options:
            raise ArgumentFault(f"{path}.{wire}", "is there twice")
        options[wire] = _renamed(member, members, f"{path}.{wire}") if members else member
        if wire in _PERSONS:
            options[wire] = _text_of_id(member)
    return options
