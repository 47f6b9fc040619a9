"""How much may wait for answers, and how often the host may crash."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

_MOST_BYTES = 32 * 1024 * 1024
"""How many bytes of calls may wait for an answer."""

_MOST_CRASHES = 5
_SPAN = 60.0
"""After so many crashes within so many seconds the host is not started again."""


class Backlog:
    """The size of the calls that have no answer yet. While it is too large, callers wait."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self.size = 0
        """In bytes."""

    def add(self, size: int, *, waits: bool) -> None:
        """Adds a call.

        :param waits: Whether to wait until there is room for it. A call that is larger than the limit waits until there
            is no other.
        """
        with self._change:
            if waits and self.size + size > _MOST_BYTES:
                self._change.wait_for(lambda: self.size == 0 or self.size + size <= _MOST_BYTES)
            self.size += size

    def remove(self, size: int) -> None:
        """Removes calls that have their answers."""
        with self._change:
            self.size -= size
            self._change.notify_all()


class CrashLimit:
    """Counts a host's crashes, so that a host that always crashes is not started for ever."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._times: deque[float] = deque(maxlen=_MOST_CRASHES)

    def record(self) -> None:
        """Counts one crash."""
        self._times.append(self._now())

    @property
    def is_reached(self) -> bool:
        """Whether the host crashed so often within a minute that it is not started again now."""
        return len(self._times) == _MOST_CRASHES and self._now() - self._times[0] < _SPAN
