"""The trackers."""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Any, Generic, Literal, Self, TypeVar, overload

from ._call import Call
from ._calls import (
    AnalyticsCalls,
    AsyncAnalyticsCalls,
    AsyncBasicCalls,
    AsyncHostCalls,
    AsyncRefusedCalls,
    AsyncTrackerCalls,
    BasicCalls,
    HostCalls,
    RefusedCalls,
    TrackerCalls,
)
from ._channel import Channel, end_of
from ._fault import client_text
from ._notification_listeners import ListenerThread, NotificationListeners
from ._options import TrackerOptions
from .errors import MobileTrackerError, described
from .protocol import CredentialsNotification, DiagnosticNotification, LogNotification, SessionNotification
from .receipt import Awaited, Wakeups, post


C = TypeVar("C")


class _Client(Generic[C]):
    """One of a tracker's clients. At the class it is the client's class, so that `create_autospec` knows its calls."""

    def __init__(self, kind: type[C]) -> None:
        self._kind = kind

    @overload
    def __get__(self, tracker: None, owner: type) -> type[C]: ...
    @overload
    def __get__(self, tracker: Any, owner: type) -> C: ...

    def __get__(self, tracker: Any, owner: type) -> C | type[C]:
        if tracker is None:
            return self._kind
        client: C = tracker._clients[self._kind]
        return client


class _Tracker(TrackerOptions):
    """What the two kinds of tracker have in common."""

    _channel: Channel
    _clients: dict[type[Any], Any]
    _listeners: NotificationListeners
    _stop_answering: Callable[[], None] | None = None
    _catches: type[BaseException]
    """What becomes a warning if a function of the program raises it where notifications are passed on."""

    def _open(self, after_turn: Callable[[], None] = lambda: None) -> Channel:
        channel = Channel(
            self,
            on_notification=lambda *notification: self._listeners.receive(*notification),
            on_ready=self._begin_host,
            before_setup=self._answer_for_credentials,
            after_turn=after_turn,
        )
        self._listeners = NotificationListeners(
            subscribe=channel.subscribe, warn=channel.warnings.warn, catches=self._catches
        )
        return channel

    def _begin_host(self) -> None:
        """There is a host that has got no calls yet."""

    def _answer_for_credentials(self) -> None:
        """Has the program's function answer for credentials, in the loop that runs now."""
        if self.credentials:
            stop = self._listeners.on("credentials", self._give_credentials, self._schedule_answers())
            last, self._stop_answering = self._stop_answering, stop
            if last:
                last()

    async def _give_credentials(self, question: CredentialsNotification) -> None:
        client = question["client"]
        caller: Any = self if client == "tracker" else getattr(self, client)
        try:
            given = self.credentials(client) if self.credentials else {}
            credentials = await given if inspect.isawaitable(given) else given
            answer = caller.set_credentials(credentials.get("key"), credentials.get("headers"))
            if inspect.isawaitable(answer):
                await answer
        except self._catches as error:
            why = str(error) if isinstance(error, MobileTrackerError) else client_text("credentialsFailed", error=described(error))
            self._channel.warnings.warn(client_text("noCredentials", client=client, why=why))

    def _schedule(self) -> Callable[[Callable[[Any], object], Any], object]:
        """What calls a listener that is added now."""
        raise NotImplementedError

    def _schedule_answers(self) -> Callable[[Callable[[Any], object], Any], object]:
        """What asks for the credentials of a client that begins now."""
        return self._schedule()

    @overload
    def on(self, topic: Literal["log"], listener: Callable[[LogNotification], object]) -> Callable[[], None]: ...
    @overload
    def on(
        self, topic: Literal["diagnostic", "delivered"], listener: Callable[[DiagnosticNotification], object]
    ) -> Callable[[], None]: ...
    @overload
    def on(
        self, topic: Literal["session"], listener: Callable[[SessionNotification], object]
    ) -> Callable[[], None]: ...

    @overload
    def on(
        self, topic: Literal["credentials"], listener: Callable[[CredentialsNotification], object]
    ) -> Callable[[], None]: ...

    def on(self, topic: str, listener: Callable[[Any], object]) -> Callable[[], None]:
        """Calls the listener with each notification of this kind from now on: on a thread of its own, or with asyncio in
        the running loop. It may be `async`.

        :returns: A function that removes the listener.
        """
        return self._listeners.on(topic, listener, self._schedule())

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, {self._channel!r}>"


class MobileTracker(_Tracker, TrackerCalls):
    """A tracker and the host behind it, which starts with the first call.

    Calls take effect in the order in which they are made. Tracking calls return at once with a `Receipt`; all others
    wait for their answer. A wrong argument never makes a tracking call raise: its outcome is `dropped`, and a warning
    names the caller's line. Any thread may call. If the host dies it is started again: tracking calls, `reset` and
    `set_consent` that it had not answered are made again under their message ids; others raise `HOST_EXITED`.

    `help(mobiletracker.tracker.TrackerOptions)` describes its options.
    """

    analytics = _Client(AnalyticsCalls)
    """Sends batches of events to an ingestion host. Independent of the other clients."""
    basic = _Client(BasicCalls)
    """Sends events to one endpoint. Independent of the other clients."""
    refused = _Client(RefusedCalls)
    """What the servers of all clients have refused for good."""
    host = _Client(HostCalls)
    """The host behind the tracker."""

    # SystemExit too: it would end the listeners' thread, and nothing else.
    _catches = BaseException

    def __post_init__(self) -> None:
        super().__post_init__()
        channel = self._open()
        TrackerCalls.__init__(self, channel)
        self._listener_thread = ListenerThread(self._listeners.call)
        self._clients = {kind: kind(channel) for kind in (AnalyticsCalls, BasicCalls, RefusedCalls, HostCalls)}

    def _schedule(self) -> Callable[[Callable[[Any], object], Any], object]:
        return self._listener_thread.enqueue

    def shutdown(self) -> None:
        """Sends for at most 1.5 s, and ends the host. What is left waits on disk."""
        ended = end_of(self._channel, self._listener_thread.finish)
        # A finaliser may run on the tracker's own thread, which would wait for itself, or when no thread runs any more.
        if not self._channel.link.io.is_current and not sys.is_finalizing():
            ended.wait()

    close = shutdown

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()


def _running_loop() -> asyncio.AbstractEventLoop:
    """The loop that runs, for what the program sets in it."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        raise RuntimeError(
            "Listeners and `credentials` run in the event loop in which they are set: call this, or initialise, in a "
            "running one, such as that of asyncio.run."
        ) from None


class AsyncMobileTracker(_Tracker, AsyncTrackerCalls):
    """A tracker for programs with an event loop of asyncio. Every call returns at once, and can be awaited.

    In all else, its options too, it is like `MobileTracker`: a call takes effect when it is made, awaited or not.
    """

    analytics = _Client(AsyncAnalyticsCalls)
    """Sends batches of events to an ingestion host. Independent of the other clients."""
    basic = _Client(AsyncBasicCalls)
    """Sends events to one endpoint. Independent of the other clients."""
    refused = _Client(AsyncRefusedCalls)
    """What the servers of all clients have refused for good."""
    host = _Client(AsyncHostCalls)
    """The host behind the tracker."""

    # What else ends a task or the loop is the program's own.
    _catches = Exception

    def __post_init__(self) -> None:
        super().__post_init__()
        wakeups = Wakeups()
        channel = self._open(wakeups.flush)
        AsyncTrackerCalls.__init__(self, channel, wakeups)
        kinds = (AsyncAnalyticsCalls, AsyncBasicCalls, AsyncRefusedCalls, AsyncHostCalls)
        self._clients = {kind: kind(channel, wakeups) for kind in kinds}

    def _schedule(self) -> Callable[[Callable[[Any], object], Any], object]:
        return partial(post, _running_loop(), self._listeners.call)

    def _schedule_answers(self) -> Callable[[Callable[[Any], object], Any], object]:
        return partial(self._ask, _running_loop())

    def _ask(
        self, loop: asyncio.AbstractEventLoop, listener: Callable[[Any], object], question: CredentialsNotification
    ) -> None:
        """Asks in the loop of the setup. Once that is closed, in the one in which the program makes calls."""
        if not any(post(each, self._listeners.call, listener, question) for each in (loop, self._wakeups.loop) if each):
            self._channel.warnings.warn(
                f"The function credentials was not asked for {question['client']}: its event loop is closed. Initialise "
                "again in the one that runs, or call set_credentials."
            )

    def shutdown(self) -> Awaited[None]:
        """Sends for at most 1.5 s, and ends the host. What is left waits on disk."""
        call = Call("host.shutdown", b"")
        self._channel.shut_down(partial(call.finish, None))
        return Awaited(call, self._wakeups)

    close = shutdown

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.shutdown()
