"""The host's notifications and their listeners."""

from __future__ import annotations

import asyncio
import inspect
import os
import queue
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any

from ._fault import client_text
from ._row import snake_keys
from .errors import described

Listener = Callable[[Any], object]

TOPICS = ("log", "diagnostic", "session", "delivered", "credentials")

_MOST_WAITING = 10_000
"""How many notifications may wait for listeners. While so many wait, new ones are left out."""


class NotificationListeners:
    """Passes the notifications of the host to their listeners.

    `receive` runs on the I/O thread. Listeners do not, because a call they make may wait for that thread.
    """

    def __init__(
        self, *, subscribe: Callable[[str], None], warn: Callable[[str], None], catches: type[BaseException]
    ) -> None:
        """
        :param subscribe: Called once for each topic, with its first listener.
        :param catches: What becomes a warning if a listener raises it.
        """
        self._subscribe = subscribe
        self._warn = warn
        self._catches = catches
        # Any thread may add and remove: each of these lists changes in one step.
        self._listeners: dict[str, list[tuple[Listener, Callable[[Listener, Any], object]]]] = {
            topic: [] for topic in TOPICS
        }
        self._subscribed: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def on(self, topic: str, listener: Listener, run: Callable[[Listener, Any], object]) -> Callable[[], None]:
        """Calls `listener` with each notification of this kind from now on. What it raises becomes a warning.

        :param run: Calls the listener on the right thread or in the right loop.
        :returns: A function that removes the listener.
        :raises ValueError: For any other topic.
        """
        if topic not in TOPICS:
            raise ValueError(client_text("noTopic", topic=str(topic), topics=[*TOPICS]))
        if not callable(listener):
            raise TypeError(client_text("noListener"))
        entry = (listener, run)
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
        """Passes on a notification of the host."""
        if topic == "$/lost":
            return self._warn(client_text("notificationsLost", **params))
        notification = snake_keys(params) if isinstance(params, dict) else {}
        # The host sends these as diagnostics. There are many, so they have a topic of their own.
        topic = "delivered" if notification.get("kind") == "delivered" else topic
        for listener, run in list(self._listeners.get(topic, [])):
            run(listener, notification)

    def call(self, listener: Listener, notification: Any) -> None:
        """Calls a listener. One that is `async` runs as a task of the loop, or to its end where there is no loop."""
        try:
            result = listener(notification)
            if inspect.iscoroutine(result):
                self._run(self._finish(result))
        except self._catches as error:
            self._warn_of(error)

    async def _finish(self, result: Awaitable[object]) -> None:
        try:
            await result
        except self._catches as error:
            self._warn_of(error)

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(work)
        task = loop.create_task(work)
        # The loop itself keeps no task alive.
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _warn_of(self, error: BaseException) -> None:
        self._warn(client_text("listenerFailed", error=described(error)))


class ListenerThread:
    """The thread on which listeners run. It starts with the first notification in this process.

    The public methods run on the I/O thread.
    """

    def __init__(self, call: Callable[[Listener, Any], object]) -> None:
        self._call = call
        self._waiting: queue.SimpleQueue[tuple[Listener, Any] | None] | None = None
        self._process = 0

    def enqueue(self, listener: Listener, notification: Any) -> None:
        """Calls the listener on the thread."""
        if self._waiting is None or self._process != os.getpid():
            waiting: queue.SimpleQueue[tuple[Listener, Any] | None] = queue.SimpleQueue()
            name = "mobiletracker listeners"
            try:
                threading.Thread(target=self._run, args=(waiting,), name=name, daemon=True).start()
            except RuntimeError:
                return  # The program ends, and listens no more. What is queued is still to be sent.
            self._process = os.getpid()
            self._waiting = waiting
        # If the queue is full the listeners are too slow, and the notification is left out.
        if self._waiting.qsize() < _MOST_WAITING:
            self._waiting.put((listener, notification))

    def finish(self) -> None:
        """Ends the thread after the notifications that wait now. A later notification starts another thread."""
        if self._waiting is not None:
            self._waiting.put(None)
            self._waiting = None

    def _run(self, waiting: queue.SimpleQueue[tuple[Listener, Any] | None]) -> None:
        while entry := waiting.get():
            with suppress(BaseException):  # A logging handler may exit: the other listeners wait for this thread.
                self._call(*entry)
