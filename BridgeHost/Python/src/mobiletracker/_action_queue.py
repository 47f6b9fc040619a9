"""Lets threads change the same state without waiting for one another."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable


class ActionQueue:
    """Runs actions one at a time, in their order. Nobody waits: an action runs on the thread that runs one already.

    A lock that is waited for would not do. A signal handler may interrupt the thread that has it and wait for the answer
    to a call, and the I/O thread, which waits for the lock, could not give that answer.
    """

    def __init__(self) -> None:
        self._actions: deque[Callable[[], None]] = deque()
        self._runner: dict[str, object] = {}
        """Who runs the actions now, by the only key."""

    def run(self, action: Callable[[], None]) -> None:
        """Runs an action now, or as soon as the thread that runs another one has finished that."""
        self._actions.append(action)
        own = object()
        # Whoever runs them looks for actions once more when it has ceased to.
        while self._actions:
            try:
                # In one step: a signal handler may raise after any call, and who runs them is known all the same.
                if self._runner.setdefault("", own) is not own:
                    return
                while self._actions:
                    self._actions.popleft()()
            finally:
                # Without a call, after which a handler might raise.
                if "" in self._runner and self._runner[""] is own:
                    del self._runner[""]
