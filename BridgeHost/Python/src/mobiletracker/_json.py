"""Values as JSON text."""

from __future__ import annotations

import json
import math
import numbers
import re
import traceback
from collections.abc import Callable, Iterator, Mapping, Set
from datetime import date, datetime, time, timezone
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

MAX_LEVELS = 128
"""The deepest nesting of arrays and objects; the outermost counts."""


class ValueFault(Exception):
    """A value that cannot be sent as it is. Says where the value is and what is wrong, and contains nothing of it."""

    def __init__(self, path: str, reason: str, *, is_too_large: bool = False) -> None:
        super().__init__(f"{path} {reason}")
        self.argument = re.split(r"[.\[]", path, maxsplit=1)[0]
        self.is_too_large = is_too_large


def serialize(members: dict[str, object], names: Mapping[str, str]) -> bytes:
    """Writes arguments as a JSON object.

    :param members: The arguments by their names.
    :param names: The names of the arguments in a fault.
    :raises ValueFault: For NaN, infinities, cycles, lone surrogates, more than 128 levels, and objects of types that
        JSON does not have.
    """
    try:
        text = _encode(members)
        # Fewer brackets than this cannot be nested too deep.
        if text.count("{") + text.count("[") <= MAX_LEVELS:
            return text.encode()
    except Exception:  # The slow way below finds out what is wrong, if anything is.
        pass
    parts = (f"{json.dumps(name)}:{_written(value, names.get(name, name))}" for name, value in members.items())
    return f"{{{','.join(parts)}}}".encode()


def _plain(value: object) -> object:
    """The value as a type that JSON has; raises TypeError if there is none."""
    for kind, convert in _CONVERSIONS:
        if isinstance(value, kind):
            return convert(value)
    raise TypeError(f"is a {type(value).__qualname__}, which JSON does not have")


def _iso(value: datetime) -> str:
    text = value.astimezone(timezone.utc).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def _of_error(error: BaseException) -> dict[str, str]:
    return {
        "name": type(error).__qualname__,
        "message": str(error),
        "stack": "".join(traceback.format_exception(error)),
    }


_CONVERSIONS: tuple[tuple[type, Callable[[Any], object]], ...] = (
    (datetime, _iso),
    (date, date.isoformat),
    (time, time.isoformat),
    (UUID, str),
    (Enum, lambda value: value.value),
    (Mapping, dict),
    (Set, list),
    (BaseException, _of_error),
    (numbers.Integral, int),
    (numbers.Rational, float),
    (numbers.Real, float),
)

_encode = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":"), default=_plain
).encode


def _written(value: object, name: str) -> str:
    """Writes one argument the slow way: with exact decimals, and with faults that say where they are."""
    path: list[str | int] = [name]
    try:
        return _write(value, path, [])
    except ValueFault:
        raise
    except TypeError as error:
        raise ValueFault(_path_of(path), str(error)) from None
    except Exception as error:
        raise ValueFault(_path_of(path), f"cannot be read: {error}") from error


def _write(value: object, path: list[str | int], containers: list[object]) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return _write_string(value, path)
        case int():
            return int.__repr__(value)
        case float() | Decimal():
            return _write_number(value, path)
        case dict() | list() | tuple():
            return _write_container(value, path, containers)
        case _:
            return _write(_plain(value), path, containers)


def _write_string(value: str, path: list[str | int]) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueFault(_path_of(path), "holds a lone surrogate") from None
    return json.dumps(value, ensure_ascii=False)


def _write_number(value: float | Decimal, path: list[str | int]) -> str:
    if not math.isfinite(value):
        raise ValueFault(_path_of(path), f"is {value}")
    return str(value) if isinstance(value, Decimal) else float.__repr__(value)


def _write_container(
    value: dict[object, object] | list[object] | tuple[object, ...], path: list[str | int], containers: list[object]
) -> str:
    if any(value is container for container in containers):
        raise ValueFault(_path_of(path), "is part of a cycle")
    if len(containers) >= MAX_LEVELS:
        raise ValueFault(_path_of(path), f"is nested deeper than {MAX_LEVELS} levels")
    inner = [*containers, value]
    parts = []
    members: Iterator[tuple[object, object]] = iter(value.items()) if isinstance(value, dict) else enumerate(value)
    for key, member in members:
        if isinstance(value, dict) and not isinstance(key, str | int | float | None):
            raise ValueFault(_path_of(path), "has a key that is no string")
        path.append(key if isinstance(key, int) and not isinstance(value, dict) else str(key))
        text = _write(member, path, inner)
        parts.append(f"{_write_string(_key_text(key), path)}:{text}" if isinstance(value, dict) else text)
        path.pop()
    return f"{{{','.join(parts)}}}" if isinstance(value, dict) else f"[{','.join(parts)}]"


def _key_text(key: object) -> str:
    """A key as `json.dumps` writes it."""
    return key if isinstance(key, str) else json.dumps(key, allow_nan=False)


def _path_of(path: list[str | int]) -> str:
    """The path as text. A long path is cut."""
    shown = "".join(
        f"[{key}]" if isinstance(key, int) else f".{key}" if key.isidentifier() else f"[{json.dumps(key[:80])}]"
        for key in path[1:9]
    )
    return f"{path[0]}{shown}{'…' if len(path) > 9 else ''}"
