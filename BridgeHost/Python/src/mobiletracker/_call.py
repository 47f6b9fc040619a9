"""One call on its way to the host and back."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol

from .errors import MobileTrackerError

# One thread may come here twice: a signal handler, or an object that is let go of meanwhile, may make calls.
_watching = threading.RLock()


def reset() -> None:
    """After a fork: a thread that is not there any more may hold the lock."""
    global _watching
    _watching = threading.RLock()


class Asker(Protocol):
    """Who made a call, and what it makes of the answer."""

    def read(self, result: dict[str, Any]) -> object:
        """What the caller gets for a result."""

    def renamed(self, error: MobileTrackerError) -> MobileTrackerError:
        """The error with the names that the caller knows."""

    def outcome_of(self, error: MobileTrackerError) -> object | None:
        """What an error comes to that is not raised."""

    def unhandled(self, error: MobileTrackerError) -> None:
        """Nobody waits for this error."""


class Call:
    """One call on its way to the host and back. There may be very many at a time: it holds as little as it can."""

    __slots__ = (
        "id", "method", "params", "repeats", "asker", "is_written", "is_done", "is_watched", "is_discarded", "value",
        "error", "_watchers",
    )  # fmt: skip

    def __init__(self, method: str, params: bytes, *, repeats: bool = False, asker: Asker | None = None) -> None:
        """
        :param repeats: Whether it is made again, as it is, if the host dies before it answers.
        """
        self.id = 0
        """Never used twice, not even for another host. Set by the link."""
        self.method = method
        self.params = params
        self.repeats = repeats
        self.asker = asker
        self.is_written = False
        """Whether the host may have got it."""
        self.is_done = False
        self.is_watched = False
        """Whether anybody looks at what becomes of it."""
        self.is_discarded = False
        """Whether nobody can look any more."""
        self.value: Any = None
        self.error: MobileTrackerError | None = None
        self._watchers: list[Callable[[], None]] | None = None

    @property
    def line(self) -> bytes:
        """The message."""
        return b'{"jsonrpc":"2.0","id":%d,"method":"%b","params":%b}\n' % (self.id, self.method.encode(), self.params)

    def answer(self, result: dict[str, Any]) -> None:
        """The host said yes."""
        try:
            value = self.asker.read(result) if self.asker else result
        except (KeyError, TypeError):
            sentence = f"The host answered {self.method} with what this package does not understand."
            return self.fail(MobileTrackerError("INTERNAL_ERROR", sentence))
        self.settle(value)

    def fail(self, error: MobileTrackerError) -> None:
        """The host said no, or nothing."""
        if self.asker:
            error = self.asker.renamed(error)
            if (outcome := self.asker.outcome_of(error)) is not None:
                return self.settle(outcome)
        self.error = error
        self.settle(None)
        if self.is_discarded:
            self.warn_if_unhandled()

    def settle(self, value: object) -> None:
        """It is over."""
        self.value = value
        self.params = b""  # Who keeps a receipt need not keep the event.
        self.is_done = True
        # Who begins to watch now sees that it is done.
        for watcher in self._watchers or ():
            watcher()

    def watch(self, watcher: Callable[[], None]) -> None:
        """Calls `watcher` when it is over: at least once, from any thread."""
        self.is_watched = True
        with _watching:
            self._watchers = [*(self._watchers or ()), watcher]
        if self.is_done:
            watcher()

    def result(self) -> Any:
        """What it came to; raises the error if it failed."""
        self.is_watched = True
        if self.error:
            raise self.error.copy()
        return self.value

    def discard(self) -> None:
        """Nobody can look at what becomes of it any more."""
        self.is_discarded = True
        if self.is_done:
            self.warn_if_unhandled()

    def warn_if_unhandled(self) -> None:
        """An error that nobody has seen is told."""
        if self.error and not self.is_watched and self.asker:
            self.is_watched = True
            self.asker.unhandled(self.error)
