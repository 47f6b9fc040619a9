"""One call on its way to the host and back."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any, Protocol

from .errors import MobileTrackerError

ENVELOPE = 200
"""The most bytes of a message besides its params."""


def wait_for(call: Call, timeout: float | None = None) -> bool:
    """Waits until a call has ended; False if it takes longer."""
    if call.is_done:
        return True
    # No `Event`: it has a lock of its own, and one that a thread of the parent holds at a fork stays locked in the child.
    ended = threading.Lock()
    ended.acquire()

    def end() -> None:
        try:
            ended.release()
        except RuntimeError:
            pass  # It was told before.

    call.watch(end)
    return ended.acquire(timeout=-1 if timeout is None else min(max(timeout, 0), threading.TIMEOUT_MAX))


class CallSite(Protocol):
    """The place in the program that made a call. It reads the answer."""

    def read(self, result: dict[str, Any]) -> object:
        """What the program receives for a result."""

    def renamed(self, error: MobileTrackerError) -> MobileTrackerError:
        """The error with the names of the Python API."""

    def outcome_of(self, error: MobileTrackerError) -> object | None:
        """The outcome that stands for an error; None if the error is raised."""

    def unhandled(self, error: MobileTrackerError) -> None:
        """Warns: nobody handles this error."""


class Call:
    """One call on its way to the host and back. There may be very many at a time, so it is as small as possible."""

    __slots__ = (
        "id", "method", "params", "repeats", "site", "is_written", "is_replaced", "is_done", "is_watched", "is_discarded", "value",
        "error", "due_at", "_watchers",
    )  # fmt: skip

    def __init__(self, method: str, params: bytes, *, repeats: bool = False, site: CallSite | None = None) -> None:
        """
        :param repeats: Whether to send it again if the host dies before it answers.
        """
        self.id = 0
        """Never used twice, not even for another host. Set by the link."""
        self.method = method
        self.params = params
        self.repeats = repeats
        self.site = site
        self.is_written = False
        """Whether the host may have received it."""
        self.is_replaced = False
        """Whether it is a setup that the link has repeated, and another one has come behind a reset."""
        self.is_done = False
        self.is_watched = False
        """Whether anybody has asked for the result."""
        self.is_discarded = False
        """Whether nobody can ask for the result any more."""
        self.value: Any = None
        self.error: MobileTrackerError | None = None
        self.due_at = math.inf
        """When its answer is overdue, by the clock of `_clock`; infinite until the present host gets it."""
        self._watchers: list[Callable[[], None]] = []

    @property
    def line(self) -> bytes:
        return b'{"jsonrpc":"2.0","id":%d,"method":"%b","params":%b}\n' % (self.id, self.method.encode(), self.params)

    def answer(self, result: dict[str, Any]) -> None:
        """Ends the call with a result of the host."""
        try:
            value = self.site.read(result) if self.site else result
        except (KeyError, TypeError):
            sentence = f"The host answered {self.method} with what this package does not understand."
            return self.fail(MobileTrackerError("INTERNAL_ERROR", sentence))
        self.finish(value)

    def fail(self, error: MobileTrackerError) -> None:
        """Ends the call with an error."""
        if self.site:
            error = self.site.renamed(error)
            if (outcome := self.site.outcome_of(error)) is not None:
                return self.finish(outcome)
        self.error = error
        self.finish(None)
        if self.is_discarded:
            self.warn_if_unhandled()

    def finish(self, value: object) -> None:
        """Ends the call and wakes its watchers."""
        self.value = value
        self.params = b""  # A receipt that is kept does not keep the event in memory.
        self.is_done = True
        # A watcher that is added after this line sees that it is done.
        for watcher in self._watchers:
            watcher()

    def watch(self, watcher: Callable[[], None]) -> None:
        """Calls `watcher` when the call has ended: at least once, on any thread."""
        self.is_watched = True
        # No lock: the I/O thread watches calls too, and must not wait for a thread that a signal handler has interrupted.
        self._watchers.append(watcher)
        if self.is_done:
            watcher()

    def result(self) -> Any:
        """The result; raises the error if it failed."""
        self.is_watched = True
        if self.error:
            raise self.error.copy()
        return self.value

    def discard(self) -> None:
        """Nobody can ask for the result any more."""
        self.is_discarded = True
        if self.is_done:
            self.warn_if_unhandled()

    def warn_if_unhandled(self) -> None:
        """Warns of an error that nobody has seen."""
        if self.error and not self.is_watched and self.site:
            self.is_watched = True
            self.site.unhandled(self.error)
