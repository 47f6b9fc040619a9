"""The params of a call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from enum import Enum, auto
from numbers import Integral, Real
from typing import Any
from uuid import UUID

from ._ids import stamped_id, time_ordered_uuid
from ._json import JSONWriter, ValueFault, a_type
from ._row import Gives, Name, Param, Row

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


class ArgumentFault(Exception):
    """An argument that is missing or has the wrong type."""

    def __init__(self, param: Param, word: str, option: str, **facts: str) -> None:
        super().__init__(word)
        self.param = param
        self.data = {"reason": word, "option": option, **facts}
        """What is wrong, as the host says it."""


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
    """Writes a call's params as an object with their names.

    :param row: The method.
    :param arguments: Its arguments; None is absent.
    :param message_id: The caller's own id, if any.
    :param max_bytes: How long the params may become.
    :param is_exact: Whether there is an `ExactNumber` among the arguments.
    :param scope: The scopes around the call, as JSON; empty without one.
    :raises ArgumentFault: If an argument of a call with an outcome is of a type that the host cannot tell.
    :raises ValueFault: If the call cannot be written.
    """
    members: dict[str, object] = {}
    for param, value in zip(row.params, arguments):
        # The host checks the arguments of calls without an outcome.
        if row.gives is Gives.OUTCOME:
            _check(param, value)
        if value is None:
            continue
        if param.kind == "id":
            members[param.wire] = text_of_id(value)
        else:
            members[param.wire] = _renamed(value, param.names, param, param.wire) if param.names else value
    if row.message_id:
        members["messageId"] = _NEW_ID[row.message_id]() if message_id is None else message_id
    text = writer.write(members, row.shown, max_bytes, is_exact=is_exact)
    if scope and row.is_scoped:
        # Such a call has a message id before it.
        text = b'%b,"scope":%b}' % (text[:-1], scope)
    if len(text) > max_bytes:
        raise ValueFault.too_large()
    return text


def _check(param: Param, value: object) -> None:
    """Checks that a value has the type of the parameter."""
    if value is None:
        if not param.is_required:
            return
    elif _is_of(param.kind, value):
        return
    raise ArgumentFault(param, "wrongKind", param.wire, expected=f"{_PHRASES[param.kind]}, and is {a_type(value)}")


def _is_of(kind: str, value: object) -> bool:
    return isinstance(value, _KINDS[kind]) and (kind == "boolean") == isinstance(value, bool)


def text_of_id(value: object) -> object:
    """An id as it is sent. What is none stays: the host refuses it."""
    if isinstance(value, str) or not _is_of("id", value):
        return value
    return str(int(value)) if isinstance(value, Integral) else str(value)


def _renamed(value: object, names: Mapping[str, Name], param: Param, path: str) -> object:
    """The options under the host's names. An unknown name stays: the host refuses it and suggests another."""
    if not isinstance(value, Mapping):
        return value
    options: dict[object, object] = {}
    for key, member in value.items():
        wire, members = names.get(key, (key, {})) if isinstance(key, str) else (key, {})
        if wire in options:
            # Of two spellings only the first can be in the object.
            other = next(name for name in value if names.get(name, (name,))[0] == wire)
            raise ArgumentFault(param, "repeated", f"{path}.{key}", other=other)
        options[wire] = _renamed(member, members, param, f"{path}.{wire}") if members else member
        if wire in _PERSONS:
            options[wire] = text_of_id(member)
    return options
