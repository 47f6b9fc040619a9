"""Says what is wrong, from the data of the host and in the names of the Python API."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from ._row import Name
from ._table import ROWS
from ._texts import CLIENT_TEXTS, ERRORS, KINDS, TEXTS

_MARK = re.compile(r"\[([^\]]*)\]|\{(\w+)\}")

_PART = re.compile(r'"(?:\\.|[^"\\])*"|\w+')

_NAMES = {"option", "param", "argument", "suggestion", "other", "parent", "known"}
"""The facts that are names."""


def sentence(word: object, facts: Mapping[str, Any], written: frozenset[object] = frozenset()) -> str:
    """What is wrong, in words; empty if there is no text for it.

    :param word: The key of the text.
    :param written: The names that the caller wrote: they stay as they are.
    """
    return filled(TEXTS.get(str(word), ""), facts, written)


def message_of(code: str, data: Mapping[str, Any], written: frozenset[object]) -> str | None:
    """The message of an error; None if its data do not say what is wrong."""
    # That of a param is apart: beside it, `reason` says why the call has no effect.
    facts = data.get("fault", data)
    fault = sentence(facts.get("reason"), facts, written)
    facts = {**data, "fault": fault or None}
    return filled(ERRORS.get(code, ""), facts, written) or fault or None


def client_text(word: str, **facts: object) -> str:
    """What a client says of its host or of itself. `word` is the key of the text."""
    return filled(CLIENT_TEXTS[word], facts)


def filled(text: str, facts: Mapping[str, Any], written: frozenset[object] = frozenset()) -> str:
    """A text with its facts; empty if one is missing."""
    return _filled(text, lambda name: _words(name, facts.get(name), written)) or ""


def written_in(arguments: Sequence[object]) -> frozenset[object]:
    """The names of options that the caller wrote: they stay as they are."""
    try:
        return frozenset(key for value in arguments for key in _keys(value))
    except Exception:  # They may raise when they are read, or be in themselves.
        return frozenset()


def own_name(path: str, written: frozenset[object]) -> str:
    """The name of an option in Python, or of each option on the way to one. What is between quotes is no name."""
    names = _python_names()
    return _PART.sub(lambda part: part[0] if part[0] in written else names.get(part[0], part[0]), path)


def _filled(text: str, words: Callable[[str], str | None]) -> str | None:
    """The text with its facts; None if one is missing."""
    missing = False

    def fill(mark: re.Match[str]) -> str:
        nonlocal missing
        part, name = mark.groups()
        if part is not None:
            return next((filled for each in part.split("|") if (filled := _filled(each, words)) is not None), "")
        found = words(name)
        missing = missing or found is None
        return found or ""

    filled = _MARK.sub(fill, text)
    return None if missing else filled


def _words(name: str, fact: Any, written: frozenset[object]) -> str | None:
    match fact:
        case None:
            return None
        case list() if name == "expected":
            return " or ".join(f"'{word}'" for word in fact)
        case str() if name == "expected":
            return KINDS.get(fact, fact)
        case [{}, *_]:
            return " ".join(sentence("unknown", each, written) for each in fact)
        case list():
            return ", ".join(str(_words(name, each, written)) for each in fact)
        case str() if name in _NAMES:
            return own_name(fact, written)
        case str() if name == "advice":
            return TEXTS.get(fact)
        case int() | float():
            return f"{fact:,}"
        case _:
            return str(fact)


@cache
def _python_names() -> dict[str, str]:
    """The names of arguments and options in Python, by those that the host has."""
    names = {"messageId": "message_id"}
    for param in (param for row in ROWS.values() for param in row.params):
        names[param.wire] = param.name
        names.update(_pairs(param.names))
    return names


def _pairs(names: Mapping[str, Name]) -> Iterator[tuple[str, str]]:
    for name, (wire, members) in names.items():
        yield wire, name
        yield from _pairs(members)


def _keys(value: object) -> Iterator[object]:
    for key, member in value.items() if isinstance(value, Mapping) else ():
        yield key
        yield from _keys(member)
