"""Calls that are not answered yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ._call import Call
from ._io_thread import Timer
from .errors import MobileTrackerError


class CallTable:
    """Calls that are not answered yet, in the order in which they were made. Only the I/O thread changes it."""

    def __init__(self, on_removal: Callable[[Call], None] = lambda _: None) -> None:
        self._calls: dict[int, Call] = {}
        self._on_removal = on_removal

    def add(self, call: Call) -> None:
        """Adds a call, by its id."""
        self._calls[call.id] = call

    def take(self, number: int) -> Call | None:
        call = self._calls.pop(number, None)
        if call:
            self._on_removal(call)
        return call

    def reject(
        self, error_of: Callable[[Call], MobileTrackerError], matches: Callable[[Call], bool] = lambda _: True
    ) -> None:
        """Removes calls and ends them with an error."""
        for call in [call for call in self if matches(call)]:
            if self.take(call.id):
                call.fail(error_of(call))

    def __iter__(self) -> Iterator[Call]:
        """The calls that are there now: meanwhile others may come and go."""
        return iter([*self._calls.values()])

    def __len__(self) -> int:
        return len(self._calls)


class Shutdown:
    """A shutdown that was asked for, until the host has ended."""

    def __init__(self, id: int) -> None:
        self.call = Call("host.shutdown", b"{}", repeats=True)
        self.call.id = id
        self.is_over = False
        self.timer: Timer | None = None
        self.ended: list[Callable[[], None]] = []

    def finish(self) -> None:
        """The host has ended."""
        if self.timer:
            self.timer.cancel()
        for ended in self.ended:
            ended()
