"""What calls return."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .protocol import DropReason, Fault, StopReason


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a tracking call."""

    status: Literal["queued", "pending", "dropped"]
    """`queued`: it is on disk. `pending`: it is on disk, and waits for a session or for consent. `dropped`: it was
    refused, and nothing of it was stored."""
    message_id: str | None = None
    """The id of the call; None if it was dropped."""
    reason: DropReason | None = None
    """Why it was dropped."""
    fault: Fault | None = field(default=None, compare=False)
    """What is wrong with the call, as data, if the reason does not say all."""

    @property
    def is_dropped(self) -> bool:
        """Whether the call was dropped."""
        return self.status == "dropped"


@dataclass(frozen=True, slots=True)
class FlushReport:
    """The result of a flush."""

    delivered: int
    """How many of the events that were queued at the call have been delivered."""
    remaining: int
    """How many of them still wait, or were dropped since the server refused the client."""
    stopped_by: StopReason | None = None
    """Why they were not delivered; None if none remain."""
