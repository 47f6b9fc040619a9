"""How much may wait for answers, and how often the host may crash."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from functools import partial

from ._action_queue import ActionQueue
from ._clock import now as clock

MOST_CALLS = 100_000
MOST_BYTES = 32 * 1024 * 1024
"""How many calls may wait for an answer, and how many bytes of them."""

_PATIENCE = 10.0
"""How long a caller waits for room while no call is answered, in seconds."""

_MOST_CRASHES = 5
_SPAN = 60.0
"""After so many crashes within so many seconds the host is not started again."""

_FIRST_WAIT = 0.05
_LONGEST_WAIT = 5.0
"""The wait before the next start, in seconds: the first, doubled with each failure in a row, and the longest."""


class Backlog:
    """The calls that have no answer yet. While there are too many, tracking calls wait or are dropped.

    Only a call that waits for room waits for another thread.
    """

    def __init__(self) -> None:
        self._changes = ActionQueue()
        self._freed: list[int] = []
        self._waiting: deque[threading.Lock] = deque()
        """Those who wait for room, each by a lock of its own, which `_change` releases."""
        self.count = 0
        self.size = 0
        """In bytes."""

    def add(self, size: int, *, waits: bool, is_bounded: bool) -> bool:
        """Adds a call.

        :param waits: Whether to wait until there is room for it. A call that is larger than the limit waits until there
            is no other.
        :param is_bounded: Whether the call may be refused. The others are few.
        :returns: False if there is no room.
        """
        while is_bounded and not self._has_room(size):
            if not waits or not self._wait_for_room(size):
                return False
        self._changes.run(partial(self._change, 1, size))
        return True

    def grow(self, size: int) -> None:
        """A call that was added is larger by so many bytes."""
        self._changes.run(partial(self._change, 0, size))

    def free(self, size: int) -> None:
        """A call has its answer. `end_turn` makes its room known. Both are for one thread alone."""
        self._freed.append(size)

    def end_turn(self) -> None:
        """Lets those go on who wait for room."""
        if not self._freed:
            return
        freed, self._freed = self._freed, []
        self._changes.run(partial(self._change, -len(freed), -sum(freed)))

    def _change(self, count: int, size: int) -> None:
        self.count += count
        self.size += size
        if count < 0:
            for _ in range(len(self._waiting)):
                self._waiting.popleft().release()

    def _wait_for_room(self, size: int) -> bool:
        """Waits until there may be room; False if no call was answered meanwhile."""
        change = threading.Lock()
        change.acquire()
        self._waiting.append(change)
        # A change before this line is seen here, and one after it releases the lock.
        return self._has_room(size) or change.acquire(timeout=_PATIENCE)

    def _has_room(self, size: int) -> bool:
        return self.count == 0 or self.count < MOST_CALLS and self.size + size <= MOST_BYTES


class CrashLimit:
    """Counts failures of a host: crashes, so that a host that always crashes is not started for ever, and failed
    starts."""

    def __init__(self, now: Callable[[], float] = clock) -> None:
        self._now = now
        self._times: deque[float] = deque(maxlen=_MOST_CRASHES)
        self._obstacles = 0
        self._blocked_since = 0.0

    def record(self) -> None:
        self._times.append(self._now())

    def record_obstacle(self) -> None:
        """The system could not start the host now: it lacks memory, processes or descriptors. This is no crash."""
        if self._obstacles == 0:
            self._blocked_since = self._now()
        self._obstacles += 1

    def record_start(self) -> None:
        """The host has started."""
        self._obstacles = 0

    @property
    def is_reached(self) -> bool:
        """Whether the host crashed so often within a minute that it is not started again now."""
        return len(self._times) == _MOST_CRASHES and self._is_recent(self._times[0])

    @property
    def is_obstructed(self) -> bool:
        """Whether the last start was not possible."""
        return self._obstacles > 0

    @property
    def is_blocked(self) -> bool:
        """Whether the system has not been able to start the host for a minute."""
        return self._obstacles > 1 and not self._is_recent(self._blocked_since)

    @property
    def delay(self) -> float:
        """How long to wait before the next start, in seconds."""
        failures = sum(map(self._is_recent, self._times)) + self._obstacles
        return min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** min(failures - 1, 30)) if failures else 0.0

    def _is_recent(self, time: float) -> bool:
        return self._now() - time < _SPAN
