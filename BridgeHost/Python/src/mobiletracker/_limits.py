"""How much may wait, and how often a host may end."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

_MOST_HELD = 32 * 1024 * 1024
"""How many bytes of calls may wait for an answer."""

_MOST_ENDS = 5
_SPAN = 60.0
"""So many ends are borne within so many seconds."""


class Room:
    """The calls that have no answer yet, in bytes. A caller that can wait does so while they are too many."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self.held = 0
        """How many bytes there are."""

    def take(self, size: int, *, waits: bool) -> None:
        """A call is made.

        :param waits: Whether to wait until there is room for it. One that is larger than the room may be alone in it.
        """
        with self._change:
            if waits and self.held + size > _MOST_HELD:
                self._change.wait_for(lambda: self.held == 0 or self.held + size <= _MOST_HELD)
            self.held += size

    def give(self, size: int) -> None:
        """Calls were settled."""
        with self._change:
            self.held -= size
            self._change.notify_all()


class CrashLimit:
    """Counts a host's unexpected ends, so that one that always dies is not started for ever."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._times: deque[float] = deque(maxlen=_MOST_ENDS)

    def note(self) -> None:
        """The host ended."""
        self._times.append(self._now())

    @property
    def is_reached(self) -> bool:
        """Whether it ended so often within a minute that another start would be in vain."""
        return len(self._times) == _MOST_ENDS and self._now() - self._times[0] < _SPAN
