"""How one method of the host is called from Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Literal, NamedTuple


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


@dataclass(frozen=True, slots=True)
class Param:
    """One argument of a method."""

    wire: str
    name: str
    kind: str
    is_required: bool
    fault: str
    """What a wrong value results in: a drop reason if the call has an outcome, else the code of an error."""
    names: Mapping[str, Name] = field(default_factory=dict)
    """The names of the options in it, if Python's differ from the host's."""


@dataclass(frozen=True, slots=True)
class Row:
    """One method of the host."""

    method: str
    gives: Gives
    params: tuple[Param, ...] = ()
    member: str = ""
    message_id: Literal["uuid", "stamped"] | None = None
    """The kind of message id to make for a call without one."""
    repeats: bool = False
    """Whether the call is made again if the host dies before it answers."""
    is_named: bool = False
    """Whether the first argument is a name that may be logged."""

    @property
    def shown(self) -> dict[str, str]:
        """The Python names of the params, by the host's names."""
        return {param.wire: param.name for param in self.params}
