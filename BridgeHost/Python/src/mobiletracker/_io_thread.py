"""The thread that talks to the host."""

from __future__ import annotations

import heapq
import itertools
import os
import selectors
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

Action = Callable[[], None]
T = TypeVar("T")


class Timer:
    """Something to be done later."""

    __slots__ = ("action",)

    def __init__(self, action: Action) -> None:
        self.action: Action | None = action

    def cancel(self) -> None:
        """It is not done any more."""
        self.action = None


class IOThread:
    """A thread that waits for pipes, timers and what other threads hand to it.

    It starts with the first thing to do and ends when its owner says that there is nothing more. It is a daemon: it
    keeps no program alive. All but `post` and `is_current` is for the thread itself.
    """

    def __init__(
        self, *, is_idle: Callable[[], bool], after_turn: Action, on_fault: Callable[[Exception], None]
    ) -> None:
        """
        :param is_idle: Whether the thread may end.
        :param after_turn: Called when all that was there to do has been done.
        :param on_fault: Called with what should not have been raised. The thread goes on: callers wait for it.
        """
        self._on_fault = on_fault
        self._is_idle = is_idle
        self._after_turn = after_turn
        self._posted: deque[tuple[Callable[[Any], None], Any]] = deque()
        self._timers: list[tuple[float, int, Timer]] = []
        self._numbers = itertools.count()
        self._lock = threading.RLock()
        self._thread: threading.Thread | None = None
        self._selector: selectors.BaseSelector | None = None
        # Holds a member while the thread waits and nobody has woken it. Each wait has a list of its own, so that a
        # caller who is late clears that of an earlier wait.
        self._waiting: list[bool] = []
        self._wake_read = self._wake_write = -1

    @property
    def is_running(self) -> bool:
        """Whether there may be something left to do."""
        return self._thread is not None

    @property
    def is_current(self) -> bool:
        """Whether this is the thread."""
        thread = self._thread
        return thread is not None and thread.ident == threading.get_ident()

    def post(self, action: Callable[[Any], None], argument: Any = None) -> None:
        """Has the thread do something, in the order of these calls. A thread that is awake is not woken again."""
        self._posted.append((action, argument))
        if self._thread is None:
            self._start()
        elif waiting := self._waiting:
            # A signal handler may call in between: it must not find the thread marked as awake before it is.
            self._wake()
            waiting.clear()

    def later(self, seconds: float, action: Action) -> Timer:
        """Does something after that time."""
        timer = Timer(action)
        heapq.heappush(self._timers, (time.monotonic() + seconds, next(self._numbers), timer))
        return timer

    def watch(self, descriptor: int, events: int, action: Callable[[int], None]) -> None:
        """Calls `action` with the events whenever some occur; no events end it."""
        assert self._selector is not None
        if descriptor in self._selector.get_map():
            if not events:
                self._selector.unregister(descriptor)
            else:
                self._selector.modify(descriptor, events, action)
        elif events:
            self._selector.register(descriptor, events, action)

    def abandon(self, kind: type[T]) -> list[T]:
        """Lets go of what a fork has copied: the thread lives in the parent. Returns what of this kind was posted."""
        # Its descriptors are closed but not taken out of the selector, which the parent shares.
        if self._selector is not None:
            self._selector.close()
            os.close(self._wake_read)
            os.close(self._wake_write)
        self._selector = None
        return [argument for _, argument in self._posted if isinstance(argument, kind)]

    def _start(self) -> None:
        with self._lock:
            if self._thread is not None:
                return
            self._thread = threading.Thread(target=self._run, name="mobiletracker", daemon=True)
            self._selector = selectors.DefaultSelector()
            self._wake_read, self._wake_write = os.pipe()
            os.set_blocking(self._wake_read, False)
            os.set_blocking(self._wake_write, False)
            self._selector.register(self._wake_read, selectors.EVENT_READ, lambda _: self._drain())
            try:
                self._thread.start()
            except RuntimeError as error:
                # The system has no thread left, or the interpreter is ending: what was posted fails here.
                while not self._ends():
                    self._do_posted()
                    if not self._is_idle():
                        self._on_fault(error)
                    self._after_turn()

    def _wake(self) -> None:
        with self._lock:
            # A thread that has ended meanwhile has done what was posted. Its pipe's number may be another's by now.
            if self._thread is None:
                return
            try:
                os.write(self._wake_write, b"!")
            except BlockingIOError:
                pass  # It is awake already.

    def _drain(self) -> None:
        try:
            os.read(self._wake_read, 4096)
        except BlockingIOError:
            pass

    def _run(self) -> None:
        while not self._ends():
            # Also after a fault: who waits learns of it at the end of the turn, and this may be the last.
            for part in (self._turn, self._after_turn):
                try:
                    part()
                except Exception as error:
                    self._on_fault(error)

    def _turn(self) -> None:
        self._wait()
        self._do_posted()

    def _wait(self) -> None:
        assert self._selector is not None
        # First mark the wait, then look at what was posted; `post` does it the other way round.
        self._waiting = [True]
        ready = self._selector.select(0 if self._posted else self._time_left())
        self._waiting = []
        for key, events in ready:
            # An action before it may have ended this watch and closed the descriptor.
            if self._selector.get_map().get(key.fd) is key:
                key.data(events)
        now = time.monotonic()
        while self._timers and self._timers[0][0] <= now:
            if action := heapq.heappop(self._timers)[2].action:
                action()

    def _do_posted(self) -> None:
        # What is posted meanwhile comes after the next look at the pipes.
        for _ in range(len(self._posted)):
            action, argument = self._posted.popleft()
            action(argument)

    def _time_left(self) -> float | None:
        while self._timers and self._timers[0][2].action is None:
            heapq.heappop(self._timers)
        return max(0.0, self._timers[0][0] - time.monotonic()) if self._timers else None

    def _ends(self) -> bool:
        if self._posted or not self._is_idle():
            return False
        with self._lock:
            me, self._thread = self._thread, None
            # Who posted before it could see that there is no thread relies on this one.
            if self._posted:
                self._thread = me
                return False
            assert self._selector is not None
            self._selector.close()
            self._selector = None
            os.close(self._wake_read)
            os.close(self._wake_write)
            self._timers.clear()
            return True
