"""The host's notifications, for who wants them."""

from __future__ import annotations

import os
import queue
import threading
import traceback
from collections.abc import Callable
from typing import Any

from ._core import snake_keys

Listener = Callable[[Any], object]

TOPICS = ("log", "diagnostic", "session", "delivered")

_MOST_WAITING = 10_000
"""How much news may wait for listeners before the newest is left out."""


class News:
    """Hands the host's notifications to who wants them.

    `receive` runs on the I/O thread. Listeners never do: what they call may wait for it.
    """

    def __init__(self, *, subscribe: Callable[[str], None], warn: Callable[[str], None]) -> None:
        """
        :param subscribe: Called once for each topic, when it is first wanted.
        """
        self._subscribe = subscribe
        self._warn = warn
        # Any thread may add and remove: each of these lists changes in one step.
        self._listeners: dict[str, list[tuple[Listener, Callable[[Listener, Any], None]]]] = {
            topic: [] for topic in TOPICS
        }
        self._subscribed: set[str] = set()

    def on(self, topic: str, listener: Listener, hand_over: Callable[[Listener, Any], None]) -> Callable[[], None]:
        """Calls `listener` with all news of this kind from now on. What it raises is logged, and hurts nobody else.

        :param hand_over: Calls the listener where it is to run.
        :returns: What ends it.
        :raises ValueError: For any other topic.
        """
        if topic not in TOPICS:
            raise ValueError(f"There is no news {topic!r}, only {', '.join(TOPICS)}.")
        if not callable(listener):
            raise TypeError("The listener must be a function.")
        entry = (listener, hand_over)
        self._listeners[topic].append(entry)
        if topic not in self._subscribed:
            self._subscribed.add(topic)
            self._subscribe(topic)

        def stop() -> None:
            try:
                self._listeners[topic].remove(entry)
            except ValueError:
                pass  # It was stopped before.

        return stop

    def receive(self, topic: str, params: Any) -> None:
        """News from the host."""
        if topic == "$/lost":
            return self._warn(f"{params.get('count')} notifications were left out: they were not read in time.")
        news = snake_keys(params) if isinstance(params, dict) else {}
        # They are diagnostics, which are many, and so have a topic of their own.
        topic = "delivered" if news.get("kind") == "delivered" else topic
        for listener, hand_over in list(self._listeners.get(topic, [])):
            hand_over(listener, news)

    def call(self, listener: Listener, news: Any) -> None:
        """Calls a listener."""
        try:
            listener(news)
        except Exception:
            self._warn(f"A listener failed: {traceback.format_exc()}")


class Postman:
    """A thread on which listeners run, started when there is the first news in this process.

    What is not private runs on the I/O thread.
    """

    def __init__(self, call: Callable[[Listener, Any], None]) -> None:
        self._call = call
        self._waiting: queue.SimpleQueue[tuple[Listener, Any] | None] | None = None
        self._process = 0

    def hand_over(self, listener: Listener, news: Any) -> None:
        """Has a listener called."""
        if self._waiting is None or self._process != os.getpid():
            self._process = os.getpid()
            self._waiting = queue.SimpleQueue()
            threading.Thread(target=self._run, args=(self._waiting,), name="mobiletracker news", daemon=True).start()
        # Else its listeners are too slow for all of it.
        if self._waiting.qsize() < _MOST_WAITING:
            self._waiting.put((listener, news))

    def finish(self) -> None:
        """Ends the thread once its listeners have what is there. News that comes later starts another."""
        if self._waiting is not None:
            self._waiting.put(None)
            self._waiting = None

    def _run(self, waiting: queue.SimpleQueue[tuple[Listener, Any] | None]) -> None:
        while news := waiting.get():
            self._call(*news)
