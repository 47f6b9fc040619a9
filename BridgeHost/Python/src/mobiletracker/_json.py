"""Values as JSON text."""

from __future__ import annotations

import json
import math
import numbers
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timezone
from decimal import Decimal
from enum import Enum
from functools import partial
from os import PathLike, fspath
from typing import Any
from uuid import UUID

from ._fault import sentence
from .errors import described

MAX_LEVELS = 128
"""The deepest nesting of arrays and objects; the outermost counts."""


class ValueFault(Exception):
    """A value that cannot be sent as it is. Says where the value is and what is wrong, and contains nothing of it."""

    def __init__(self, path: list[str | int], word: str, **facts: object) -> None:
        """
        :param path: The argument and the keys that lead to the value; empty for the whole call.
        :param word: What is wrong: the key of a text.
        :param facts: What the text has marks for besides.
        """
        self.data: dict[str, Any] = {"reason": word, **({"option": _path_of(path)} if path else {}), **facts}
        """What is wrong, as the host says it."""
        super().__init__(sentence(word, self.data))
        self.argument = str(path[0]) if path else ""
        self.keys = tuple(str(key) for key in path[1:])
        """The keys in the argument that lead to the value."""
        self.is_of_argument = word == "repeated" or word == "notJSON" and "type" in facts and len(path) == 1
        """Whether the argument is a wrong one, and not a value in it."""


class SizeFault(Exception):
    """A call that is longer than the host accepts."""


def fault_of(error: Exception, *path: str | int) -> ValueFault | SizeFault:
    """The fault of a value that has raised when it was read, or of the whole call."""
    if isinstance(error, ValueFault | SizeFault):
        return error
    return ValueFault([*path], "unreadable", error=described(error))


class _NotJSON(TypeError):
    """A value that JSON does not have."""

    def __init__(self, word: str = "notJSON", **facts: object) -> None:
        super().__init__(word)
        self.word = word
        self.facts = facts


class ExactNumber(float):
    """A number that a float cannot hold exactly, with its text. To a program it is a float like any other."""

    text: str

    def __new__(cls, text: str) -> ExactNumber:
        number = super().__new__(cls, text)
        number.text = text
        return number


def read(text: str | bytes) -> tuple[Any, bool]:
    """Reads JSON so that it can be written again without a change.

    :returns: The value, and whether it holds an `ExactNumber`.
    """
    is_exact = False

    def number(convert: Callable[[str], float], text: str) -> float:
        nonlocal is_exact
        try:
            value = convert(text)
            if repr(value) == text:
                return value
        except ValueError:
            pass  # It has more digits than Python reads as an int.
        is_exact = True
        return ExactNumber(text)

    value = json.loads(text, parse_float=partial(number, float), parse_int=partial(number, int))
    return value, is_exact


def loads(text: str | bytes) -> Any:
    """Reads JSON. A whole number with more digits than Python reads as an int is an `ExactNumber`.

    :raises JSONDecodeError: If it is no JSON.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except ValueError:
        return read(text)[0]


class JSONWriter:
    """Writes values as JSON text."""

    def __init__(self, default: Callable[[Any], object] | None = None) -> None:
        """
        :param default: The program's own function, which turns values that JSON does not have into others.
        """
        self._default = default
        self._local = threading.local()
        """How much text is left of that which is being written on a thread."""
        self._encode = json.JSONEncoder(
            ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":"), default=self._simple
        ).encode

    def write(
        self, members: dict[str, object], names: Mapping[str, str], max_bytes: int, *, is_exact: bool = False
    ) -> bytes:
        """Writes arguments as a JSON object.

        :param members: The arguments by their names.
        :param names: The names of the arguments in a fault.
        :param max_bytes: How long the text may become. It is not written much further than that.
        :param is_exact: Whether there is an `ExactNumber` among the values.
        :raises ValueFault: For NaN, infinities, cycles, lone surrogates, more than 128 levels, keys with the same text,
            and objects of types that JSON does not have.
        :raises SizeFault: For too much text.
        """
        try:
            left = _rest(members, max_bytes)
            if not is_exact:
                self._local.left = left
                text = self._encode(members)
                # Fewer brackets than this cannot be nested too deep.
                if text.count("{") + text.count("[") <= MAX_LEVELS:
                    return text.encode()
        except (ValueFault, SizeFault):
            raise
        except Exception:  # The slow way below finds out what is wrong, if anything is.
            pass
        parts = (
            f"{json.dumps(name)}:{self._argument(value, names.get(name, name), max_bytes)}"
            for name, value in members.items()
        )
        return f"{{{','.join(parts)}}}".encode()

    def _simple(self, value: object) -> object:
        """The value as a type that JSON has, for the fast way; raises if that way cannot write it."""
        if isinstance(value, Decimal):
            raise TypeError
        # The program's own function may make a call, which is written on this thread.
        left = self._local.left
        plain = self._plain(value)
        self._local.left = _rest(plain, left)
        return plain

    def _plain(self, value: object) -> object:
        """The value as a type that JSON has; raises `_NotJSON` if there is none."""
        for kind, convert in _CONVERSIONS:
            if isinstance(value, kind):
                return convert(value)
        if is_dataclass(value) and not isinstance(value, type):
            return {member.name: getattr(value, member.name) for member in fields(value)}
        if type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"):
            return bool(value)
        return self._replacement(value, _NotJSON(type=type(value).__qualname__))

    def _replacement(self, value: object, fault: _NotJSON) -> object:
        """What the program's own function makes of a value; raises the fault if there is none."""
        if self._default is None:
            raise fault
        try:
            return self._default(value)
        except TypeError:
            raise fault from None
        except Exception as error:
            raise _NotJSON("notConverted", error=described(error)) from error

    # The slow way: with exact numbers, and with faults that say where they are.

    def _argument(self, value: object, name: str, most: int) -> str:
        path: list[str | int] = [name]
        try:
            return self._text(value, path, [], most)
        except (ValueFault, SizeFault):
            raise
        except _NotJSON as error:
            raise ValueFault(path, error.word, **error.facts) from None
        except Exception as error:
            raise fault_of(error, *path) from error

    def _text(self, value: object, path: list[str | int], containers: list[object], most: int) -> str:
        match value:
            case None:
                return "null"
            case bool():
                return "true" if value else "false"
            case str():
                return _write_string(value, path)
            case int():
                return int.__repr__(value)
            case ExactNumber():
                return value.text
            case float() if math.isfinite(value):
                return float.__repr__(value)
            case Decimal() if value.is_finite():
                return str(value)
            case float() | Decimal():
                # A signaling NaN is no float.
                is_nan = isinstance(value, Decimal) and value.is_nan()
                fault = _NotJSON(value="NaN" if is_nan else json.dumps(float(value)))
                return self._text(self._replacement(value, fault), path, containers, most)
            case dict() | list() | tuple():
                return self._container(value, path, containers, most)
            case _:
                return self._text(self._plain(value), path, containers, most)

    def _container(
        self, value: dict[object, object] | list[object] | tuple[object, ...], path: list[str | int],
        containers: list[object], most: int,
    ) -> str:  # fmt: skip
        if any(value is container for container in containers):
            raise ValueFault(path, "cycle")
        if len(containers) >= MAX_LEVELS:
            raise ValueFault(path, "tooDeep", most=MAX_LEVELS)
        inner = [*containers, value]
        parts: dict[object, str] = {}
        left = most
        members: Iterator[tuple[object, object]] = iter(value.items()) if isinstance(value, dict) else enumerate(value)
        for key, member in members:
            name = _key_text(key, path) if isinstance(value, dict) else key
            if name in parts:
                raise ValueFault(path, "sameKeys", key=json.dumps(str(name)[:80]))
            path.append(name if isinstance(name, str | int) else str(name))
            text = self._text(member, path, inner, most)
            parts[name] = f"{_write_string(name, path)}:{text}" if isinstance(name, str) else text
            left -= len(parts[name])
            if left < 0:
                raise SizeFault
            path.pop()
        return f"{{{','.join(parts.values())}}}" if isinstance(value, dict) else f"[{','.join(parts.values())}]"


def _rest(value: object, left: int) -> int:
    """How much of so much text is left behind a value at most. Values that share others can stand for more than the memory
    holds.

    :raises SizeFault: If nothing is.
    :raises TypeError: If a key of a dictionary is no string: two others can have the same text.
    """
    members: Iterable[Any] = ()
    if isinstance(value, dict):
        if not _TEXT.issuperset(map(type, value)):
            raise TypeError
        left -= _SHORTEST_MEMBER * len(value)
        members = value.values()
    elif isinstance(value, list | tuple):
        left -= _SHORTEST_ELEMENT * len(value)
        members = value
    elif isinstance(value, str):
        left -= len(value)
    for member in members:
        kind = type(member)
        if kind is str:
            left -= len(member)
        elif kind not in _LEAVES:
            left = _rest(member, left)
    if left < 0:
        raise SizeFault
    return left


_SHORTEST_MEMBER, _SHORTEST_ELEMENT = len('"":0,'), len("0,")
_TEXT = {str}
_LEAVES = {str, int, float, bool, type(None)}


def _iso(value: datetime) -> str:
    if value != value:
        raise _NotJSON(value="NaT")  # The date of pandas that is none.
    # A subclass may have rules of its own: pandas lets no timestamp without a zone have one.
    at = datetime.combine(value.date(), value.time(), value.tzinfo)
    text = at.astimezone(timezone.utc).isoformat(timespec="milliseconds")
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
    (PathLike, fspath),
)


def _write_string(value: str, path: list[str | int]) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueFault(path, "loneSurrogate") from None
    return json.dumps(value, ensure_ascii=False)


def _key_text(key: object, path: list[str | int]) -> str:
    """A key as `json.dumps` writes it."""
    match key:
        case str():
            return key
        case int() | float() | None:
            return json.dumps(key, allow_nan=False)
        case _:
            raise ValueFault(path, "wrongKey")


def _path_of(path: list[str | int]) -> str:
    """The path as text. A long path is cut."""
    shown = "".join(
        f"[{key}]" if isinstance(key, int) else f".{key}" if key.isidentifier() else f"[{json.dumps(key[:80])}]"
        for key in path[1:9]
    )
    return f"{path[0]}{shown}{'…' if len(path) > 9 else ''}"
