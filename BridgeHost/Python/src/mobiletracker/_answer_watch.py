"""Notices when the host does not answer."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable

from ._call import Call
from ._clock import now
from ._io_thread import IOThread, Timer
from ._kept_params import members_of
from ._row import Gives
from ._table import ROWS

SILENCE = 10.0
"""How long the host may be silent while a call waits that it normally answers at once, in seconds."""

_LATE = 30.0
"""How long the calls take that the host may answer late, unless they say so themselves."""


class AnswerWatch:
    """Notices when the host does not answer. Only the I/O thread uses it."""

    def __init__(self, io: IOThread, calls: Callable[[], Iterable[Call]], on_silence: Callable[[], None]) -> None:
        """
        :param calls: Those that have no answer yet.
        :param on_silence: Called when the host falls silent.
        """
        self._io = io
        self._calls = calls
        self._on_silence = on_silence
        self.heard_at = 0.0
        """When the host has last written something, by the clock of `_clock`."""
        self._timer: Timer | None = None
        self.is_silent = False
        """Whether the host has been silent for too long."""

    def record_call(self, call: Call) -> None:
        """The call goes to the host now."""
        call.due_at = now() + SILENCE + _lateness(call)
        if self._timer is None:
            self._timer = self._io.later(SILENCE, self._look)

    def record_answer(self) -> None:
        """The host has written something."""
        self.heard_at = now()
        self.is_silent = False

    def restart(self) -> None:
        """There is no host, or another one, and it has got no call yet."""
        if self._timer:
            self._timer.cancel()
        self._timer = None
        self.is_silent = False
        for call in self._calls():
            call.due_at = math.inf

    def _look(self) -> None:
        self._timer = None
        due = min((call.due_at for call in self._calls()), default=None)
        if due is None or due == math.inf:
            return
        left = max(due, self.heard_at + SILENCE) - now()
        self._timer = self._io.later(min(max(left, 1.0), SILENCE), self._look)
        if left <= 0 and not self.is_silent:
            self.is_silent = True
            self._on_silence()


def _lateness(call: Call) -> float:
    """How long the host may take for a call by itself: a flush sends, and an `init` may wait for a session."""
    row = ROWS.get(call.method)
    if not row or row.gives is not Gives.REPORT and row.restores != "setup":
        return 0.0
    params = members_of(call.params)
    config = params.get("config")
    own = params.get("timeoutMs", config.get("initTimeoutMs") if isinstance(config, dict) else None)
    # One that no float holds is the host's to refuse.
    return max(0, min(own, sys.maxsize)) / 1000 if isinstance(own, int | float) else _LATE
