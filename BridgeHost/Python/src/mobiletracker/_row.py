"""How one method of the host is called from Python."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Literal, NamedTuple


class Gives(Enum):
    """What a call returns."""

    OUTCOME = auto()
    NOTHING = auto()
    REPORT = auto()
    OBJECT = auto()
    MEMBER = auto()
    """One member of the result."""


class Name(NamedTuple):
    """The host's name of an option, and the options in it."""

    wire: str
    members: Mapping[str, Name] = {}


def snake(wire: str) -> str:
    """A name in lower case with underscores: `eventTTLMs` is `event_ttl_ms`."""
    return _BORDER.sub("_", wire).lower()


_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Where a word of a name begins."""


def snake_keys(result: Mapping[str, Any]) -> dict[str, Any]:
    """The same object with names in Python's style."""
    return {snake(key): value for key, value in result.items()}


def names_of(*wires: str, **inner: Mapping[str, Name]) -> dict[str, Name]:
    """The host's names of options, by those that they have in Python, and of options with such names in them."""
    return {snake(wire): Name(wire, inner.get(wire, {})) for wire in (*wires, *inner)}


@dataclass(frozen=True, slots=True)
class Param:
    """One argument of a method."""

    wire: str
    kind: str
    is_required: bool
    fault: str
    """What a wrong value results in: a drop reason if the call has an outcome, else the code of an error."""
    names: Mapping[str, Name] = field(default_factory=dict)
    """The options in it, by their names in Python."""
    member: str = ""
    """The member of an `OutgoingCall` that it is."""
    name: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", snake(self.wire))
        object.__setattr__(self, "member", self.member or self.name)


@dataclass(frozen=True, slots=True)
class Row:
    """One method of the host."""

    method: str
    gives: Gives
    params: tuple[Param, ...] = ()
    member: str = ""
    message_id: Literal["uuid", "stamped"] | None = None
    """The kind of message id to make for a call without one."""
    is_scoped: bool = False
    """Whether the call takes what the scope around it gives."""
    repeats: bool = False
    """Whether the call is made again if the host dies before it answers."""
    is_named: bool = False
    """Whether the first argument is a name that may be logged."""
    person: str = ""
    """The option that says whom a call is about; empty if it has none."""
    restores: Literal["setup", "consent", "user", "credentials", "defaults", "ends", "endsBrand"] | None = None
    """What a new host needs of it after a crash."""
    holds_after: str = ""
    """The error of a setup after which, too, the client goes on."""
    again: Mapping[str, str] = field(default_factory=dict)
    """What the configuration of a setup says besides when it is restored."""
    once: tuple[str, ...] = ()
    """What it lacks then, since it has taken effect."""
    holds_if_dropped: tuple[str, ...] = ()
    """The reasons for which a call is dropped whose user holds all the same."""
    ends: Literal["always", "all"] | None = None
    """Whether the call ends its client, or the brand that it is set up for: always, or if its param `all` is true."""
    is_urgent: bool = False
    """Whether it ends the hold of a setup: see `_setup_hold.py`."""
    when_off: Mapping[str, Any] | Literal["consent", "param", "state"] | None = None
    """What a query is answered while its client is off: this object, whether consent is granted, a param as it is given, or
    the state."""

    @property
    def client(self) -> str:
        """The client that it belongs to; empty for the session-based tracker."""
        return self.method.rpartition(".")[0]
