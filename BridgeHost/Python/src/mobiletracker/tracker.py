"""The trackers."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Sequence
from functools import partial
from types import TracebackType
from typing import Any, Generic, Literal, Self, TypeVar, overload

from ._async_calls import AsyncAnalyticsCalls, AsyncBasicCalls, AsyncTrackerCalls
from ._call import Call
from ._calls import AnalyticsCalls, BasicCalls, TrackerCalls
from ._core import Core, Stderr, end_of
from ._hooks import BeforeSend
from ._notification_listeners import ListenerThread, NotificationListeners
from .protocol import DiagnosticNotification, LogNotification, SessionNotification
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


class MobileTracker(TrackerCalls):
    """A tracker and the host behind it, which starts with the first call.

    Calls take effect in the order in which they are made. Tracking calls return at once with a `Receipt`; all others
    wait for their answer. A wrong argument never makes a tracking call raise: its outcome is `dropped`, and a warning
    names the caller's line. Any thread may call. If the host dies it is started again: tracking calls, `reset` and
    `set_consent` that it had not answered are made again under their message ids; others raise `HOST_EXITED`.
    """

    analytics = _Client(AnalyticsCalls)
    """Sends batches of events to an ingestion host. Independent of the other clients."""
    basic = _Client(BasicCalls)
    """Sends events to one endpoint. Independent of the other clients."""

    def __init__(
        self,
        *,
        host_path: str | os.PathLike[str] | None = None,
        host_arguments: Sequence[str] = (),
        stderr: Stderr = "inherit",
        warnings: bool = True,
        app_name: str | None = None,
        logger: logging.Logger | None = None,
        before_send: BeforeSend | None = None,
        default: Callable[[Any], object] | None = None,
    ) -> None:
        """Makes a tracker with a host of its own. Make one, and share it.

        :param host_path: The path of the host program. Without it the package searches for the host.
        :param host_arguments: Arguments for the host program.
        :param stderr: Where the host's log goes: to this program's stderr (`inherit`), or nowhere (`ignore`).
        :param warnings: Whether to warn by the logger `mobiletracker`, of dropped calls above all.
        :param app_name: The program's name, which is in the path of the default state folder. By default the name of
            the package that runs, else of the script.
        :param logger: Receives the warnings and the host's log, instead of the logger `mobiletracker` and stderr.
        :param before_send: Receives each tracking call before it is written. It returns the call, changed or not, or
            None to drop it.
        :param default: Receives each value that JSON does not have, as in `json.dumps`, and returns one that it has.
            Without it, such a value drops its call.
        """
        core = Core(
            host_path=host_path,
            host_arguments=host_arguments,
            stderr=stderr,
            warnings=warnings,
            app_name=app_name,
            logger=logger,
            before_send=before_send,
            default=default,
            on_notification=lambda topic, params: self._listeners.receive(topic, params),
        )
        super().__init__(core)
        self._listeners = NotificationListeners(subscribe=core.link.subscribe, warn=core.warnings.warn)
        self._listener_thread = ListenerThread(self._listeners.call)
        self._clients = {kind: kind(core) for kind in (AnalyticsCalls, BasicCalls)}

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

    def on(self, topic: str, listener: Callable[[Any], object]) -> Callable[[], None]:
        """Calls the listener with each notification of this kind from now on, on a thread of its own. It may be `async`.

        :returns: A function that removes the listener.
        """
        return self._listeners.on(topic, listener, self._listener_thread.enqueue)

    def shutdown(self) -> None:
        """Sends for at most 1.5 s, and ends the host. What is left waits on disk."""
        end_of(self._core, self._listener_thread.finish).wait()

    close = shutdown

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()

    def __repr__(self) -> str:
        return f"<MobileTracker, {self._core!r}>"


class AsyncMobileTracker(AsyncTrackerCalls):
    """A tracker for programs with an event loop of asyncio. Every call returns at once, and can be awaited.

    In all else it is like `MobileTracker`: a call takes effect when it is made, awaited or not.
    """

    analytics = _Client(AsyncAnalyticsCalls)
    """Sends batches of events to an ingestion host. Independent of the other clients."""
    basic = _Client(AsyncBasicCalls)
    """Sends events to one endpoint. Independent of the other clients."""

    def __init__(
        self,
        *,
        host_path: str | os.PathLike[str] | None = None,
        host_arguments: Sequence[str] = (),
        stderr: Stderr = "inherit",
        warnings: bool = True,
        app_name: str | None = None,
        logger: logging.Logger | None = None,
        before_send: BeforeSend | None = None,
        default: Callable[[Any], object] | None = None,
    ) -> None:
        """Makes a tracker with a host of its own. Make one, and share it.

        :param host_path: The path of the host program. Without it the package searches for the host.
        :param host_arguments: Arguments for the host program.
        :param stderr: Where the host's log goes: to this program's stderr (`inherit`), or nowhere (`ignore`).
        :param warnings: Whether to warn by the logger `mobiletracker`, of dropped calls above all.
        :param app_name: The program's name, which is in the path of the default state folder. By default the name of
            the package that runs, else of the script.
        :param logger: Receives the warnings and the host's log, instead of the logger `mobiletracker` and stderr.
        :param before_send: Receives each tracking call before it is written. It returns the call, changed or not, or
            None to drop it.
        :param default: Receives each value that JSON does not have, as in `json.dumps`, and returns one that it has.
            Without it, such a value drops its call.
        """
        wakeups = Wakeups()
        core = Core(
            host_path=host_path,
            host_arguments=host_arguments,
            stderr=stderr,
            warnings=warnings,
            app_name=app_name,
            logger=logger,
            before_send=before_send,
            default=default,
            on_notification=lambda topic, params: self._listeners.receive(topic, params),
            after_turn=wakeups.flush,
        )
        super().__init__(core, wakeups)
        self._listeners = NotificationListeners(subscribe=core.link.subscribe, warn=core.warnings.warn)
        self._clients = {kind: kind(core, wakeups) for kind in (AsyncAnalyticsCalls, AsyncBasicCalls)}

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

    def on(self, topic: str, listener: Callable[[Any], object]) -> Callable[[], None]:
        """Calls the listener with each notification of this kind from now on, in the running loop. It may be `async`.

        :returns: A function that removes the listener.
        """
        return self._listeners.on(topic, listener, partial(post, asyncio.get_running_loop(), self._listeners.call))

    def shutdown(self) -> Awaited[None]:
        """Sends for at most 1.5 s, and ends the host. What is left waits on disk."""
        call = Call("host.shutdown", b"")
        self._core.shut_down(partial(call.finish, None))
        return Awaited(call, self._wakeups)

    close = shutdown

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.shutdown()

    def __repr__(self) -> str:
        return f"<AsyncMobileTracker, {self._core!r}>"
