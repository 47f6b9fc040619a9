"""The params of a call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto
from numbers import Integral
from typing import Any
from uuid import UUID

from ._ids import stamped_id, time_ordered_uuid
from ._json import JSONWriter, SizeFault, ValueFault
from ._row import Name, Row

_PERSONS = {"userId", "anonymousId", "groupId"}
"""The options that name a user, a visitor or a group."""

_NEW_ID = {"uuid": time_ordered_uuid, "stamped": stamped_id}


class Omitted(Enum):
    """The value of an argument that was left out: None would name nobody."""

    OMITTED = auto()


OMITTED = Omitted.OMITTED


def call_options(options: Any, **keywords: object) -> Any:
    """The options of a call, with those that were given as keywords beside them."""
    given = {name: value for name, value in keywords.items() if value is not OMITTED}
    if not given:
        return options
    try:
        return {**(options or {}), **given} if options is None or isinstance(options, Mapping) else options
    except Exception as error:
        return _Unreadable(error)


class _Unreadable(Mapping[str, object]):
    """Options that raise when they are read. So does this, when the call is written."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __getitem__(self, name: str) -> object:
        raise self._error

    def __iter__(self) -> Iterator[str]:
        raise self._error

    def __len__(self) -> int:
        raise self._error


def write_params(
    writer: JSONWriter,
    row: Row,
    arguments: Sequence[object],
    message_id: str | None,
    max_bytes: int,
    *,
    is_exact: bool = False,
    scope: bytes = b"",
) -> bytes:
    """Writes a call's params as an object with their names. Whether the host takes their values, it says itself.

    :param row: The method.
    :param arguments: Its arguments; None is absent.
    :param message_id: The caller's own id, if any.
    :param max_bytes: How long the params may become.
    :param is_exact: Whether there is an `ExactNumber` among the arguments.
    :param scope: The scopes around the call, as JSON; empty without one.
    :raises ValueFault: If the call cannot be written, or an option is given twice.
    :raises SizeFault: If it is longer than that.
    """
    members: dict[str, object] = {}
    for param, value in zip(row.params, arguments):
        if value is None:
            continue
        if param.kind == "id":
            members[param.wire] = text_of_id(value)
        else:
            members[param.wire] = _renamed(value, param.names, [param.wire]) if param.names else value
    if row.message_id:
        members["messageId"] = _NEW_ID[row.message_id]() if message_id is None else message_id
    text = writer.write(members, {}, max_bytes, is_exact=is_exact)
    if scope and row.is_scoped:
        # Such a call has a message id before it.
        text = b'%b,"scope":%b}' % (text[:-1], scope)
    if len(text) > max_bytes:
        raise SizeFault
    return text


def text_of_id(value: object) -> object:
    """An id as it is sent. What is none stays: the host refuses it."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(int(value))
    return str(value) if isinstance(value, UUID) else value


def _renamed(value: object, names: Mapping[str, Name], path: list[str | int]) -> object:
    """The options under the host's names. An unknown name stays: the host refuses it and suggests another."""
    if not isinstance(value, Mapping):
        return value
    options: dict[object, object] = {}
    for key, member in value.items():
        wire, members = names.get(key, (key, {})) if isinstance(key, str) else (key, {})
        if wire in options:
            # Of two spellings JSON has room for one, so the host cannot tell.
            other = next(name for name in value if names.get(name, (name,))[0] == wire)
            raise ValueFault([*path, key], "repeated", other=other)
        options[wire] = _renamed(member, members, [*path, wire]) if members else member
        if wire in _PERSONS:
            options[wire] = text_of_id(member)
    return options
