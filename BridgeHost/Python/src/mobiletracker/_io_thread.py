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

from ._clock import now

_POLL = 0.05
"""How often the thread looks again for work while it has no descriptors, or cannot end yet, in seconds."""

Action = Callable[[], None]
T = TypeVar("T")


class Timer:
    """An action for later."""

    __slots__ = ("action",)

    def __init__(self, action: Action) -> None:
        self.action: Action | None = action

    def cancel(self) -> None:
        self.action = None


class IOThread:
    """A thread that waits for pipes, timers and actions of other threads.

    It starts with the first action and ends when its owner is idle. It is a daemon: it keeps no program alive. Only the
    thread itself may use more than `post` and `is_current`.
    """

    def __init__(
        self, *, is_idle: Callable[[], bool], after_turn: Action, on_fault: Callable[[BaseException], None]
    ) -> None:
        """
        :param is_idle: Whether the thread may end.
        :param after_turn: Called after each turn: everything that was due has been done.
        :param on_fault: Called with an unexpected exception. The thread goes on, because callers wait for it.
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
        # Has a member while the thread waits and nobody has woken it. Each wait has a list of its own, so a late caller
        # clears the list of an earlier wait.
        self._waiting: list[bool] = []
        self._wake_read = self._wake_write = -1

    @property
    def is_running(self) -> bool:
        return self._thread is not None

    @property
    def is_current(self) -> bool:
        """Whether this is the thread."""
        thread = self._thread
        return thread is not None and thread.ident == threading.get_ident()

    def post(self, action: Callable[[Any], None], argument: Any = None) -> None:
        """Runs an action on the thread, in the order of these calls. Wakes the thread only if it waits."""
        self._posted.append((action, argument))
        if self._thread is None:
            self._start()
        elif waiting := self._waiting:
            # A signal handler may call in between: it must not see the thread marked as awake before it is woken.
            self._wake()
            waiting.clear()

    def later(self, seconds: float, action: Action) -> Timer:
        """Runs an action after so many seconds."""
        timer = Timer(action)
        heapq.heappush(self._timers, (now() + seconds, next(self._numbers), timer))
        return timer

    def watch(self, descriptor: int, events: int, action: Callable[[int], None]) -> None:
        """Calls `action` whenever such events occur. Without events, stops watching."""
        assert self._selector is not None
        if descriptor in self._selector.get_map():
            if not events:
                self._selector.unregister(descriptor)
            else:
                self._selector.modify(descriptor, events, action)
        elif events:
            self._selector.register(descriptor, events, action)

    def abandon(self, kind: type[T]) -> list[T]:
        """After a fork, in the child: releases the copies of the parent's descriptors.

        :returns: The posted arguments of this kind.
        """
        # The descriptors are closed but not removed from the selector, which the parent shares.
        try:
            self._close()
        except OSError:
            pass  # The child goes on without them.
        return [argument for _, argument in self._posted if isinstance(argument, kind)]

    def _start(self) -> None:
        with self._lock:
            if self._thread is not None:
                return
            # Whoever takes it decides whether the thread runs.
            claim = [None]
            try:
                self._thread = threading.Thread(target=self._run, args=(claim,), name="mobiletracker", daemon=True)
                self._thread.start()
            except BaseException as error:
                if not _take(claim):
                    # A signal handler has raised, and the thread runs.
                    raise
                if not isinstance(error, RuntimeError):
                    # The next call starts a thread, and this one ends if it starts after all.
                    self._thread = None
                    raise
                # The system has no thread left, or the interpreter is ending: the posted actions fail here.
                while not self._ends():
                    self._do_posted()
                    if not self._is_idle():
                        self._on_fault(error)
                    self._after_turn()

    def open(self) -> None:
        """Makes what the thread needs to wait for pipes.

        :raises OSError: If the system has no descriptors left. The thread itself goes on without, and tries again.
        """
        if self._selector is not None:
            return
        selector = selectors.DefaultSelector()
        try:
            ends = os.pipe()
        except OSError:
            selector.close()
            raise
        for end in ends:
            os.set_blocking(end, False)
        selector.register(ends[0], selectors.EVENT_READ, lambda _: self._drain())
        self._wake_read, self._wake_write = ends
        self._selector = selector

    def _close(self) -> None:
        # Another thread may fork in between. The child must not close again what is closed: the number may be another's.
        selector, self._selector = self._selector, None
        ends = self._wake_read, self._wake_write
        self._wake_read = self._wake_write = -1
        if selector is not None:
            selector.close()
            for end in ends:
                os.close(end)

    def _wake(self) -> None:
        with self._lock:
            # A thread that has ended meanwhile has done what was posted. Its pipe may have been closed, and its number
            # reused.
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

    def _run(self, claim: list[None]) -> None:
        if not _take(claim):
            return
        while not self._ends():
            # Both parts run even after a fault: callers are woken at the end of a turn, and this may be the last one.
            for part in (self._turn, self._after_turn):
                try:
                    part()
                except BaseException as error:  # Also `SystemExit`, which ends other threads silently.
                    self._on_fault(error)

    def _turn(self) -> None:
        self._wait()
        self._do_posted()

    def _wait(self) -> None:
        for key, events in self._ready():
            # An action before it may have ended this watch and closed the descriptor.
            if self._selector is not None and self._selector.get_map().get(key.fd) is key:
                key.data(events)
        present = now()
        while self._timers and self._timers[0][0] <= present:
            if action := heapq.heappop(self._timers)[2].action:
                action()

    def _ready(self) -> list[tuple[selectors.SelectorKey, int]]:
        """Waits until something is due. Without descriptors nobody can wake the thread, so it looks again soon."""
        try:
            self.open()
        except OSError:
            left = self._time_left()
            time.sleep(0 if self._posted else _POLL if left is None else min(_POLL, left))
            return []
        assert self._selector is not None
        # First mark the wait, then read what was posted; `post` writes first and then reads the mark.
        self._waiting = [True]
        ready = self._selector.select(0 if self._posted else self._time_left())
        self._waiting = []
        return ready

    def _do_posted(self) -> None:
        # Actions that are posted meanwhile run after the pipes were read again.
        for _ in range(len(self._posted)):
            action, argument = self._posted.popleft()
            action(argument)

    def _time_left(self) -> float | None:
        while self._timers and self._timers[0][2].action is None:
            heapq.heappop(self._timers)
        return max(0.0, self._timers[0][0] - now()) if self._timers else None

    def _ends(self) -> bool:
        if self._posted or not self._is_idle():
            return False
        if not self._lock.acquire(blocking=False):
            # A caller has it. A signal handler may have interrupted that caller, and wait for this thread.
            self.later(_POLL, lambda: None)
            return False
        try:
            me, self._thread = self._thread, None
            # Callers that posted while they still saw this thread rely on it.
            if self._posted:
                self._thread = me
                return False
            self._close()
            self._timers.clear()
            return True
        finally:
            self._lock.release()


def _take(claim: list[None]) -> bool:
    """Takes what only one can have, in one step that no signal handler interrupts."""
    try:
        claim.pop()
    except IndexError:
        return False
    return True
