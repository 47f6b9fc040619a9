"""What calls return."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Generator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ._call import Call, wait_for
from .outcome import Outcome

if TYPE_CHECKING:
    from ._channel import Channel
    from ._io_thread import IOThread

T = TypeVar("T")


class Receipt:
    """A tracking call that was made.

    The call takes effect whether you keep the receipt or not. It may be read from any thread.
    """

    __slots__ = ("_call", "_io", "__weakref__")

    def __init__(self, call: Call, io: IOThread) -> None:
        self._call = call
        self._io = io

    def __del__(self) -> None:
        self._call.discard()

    @property
    def is_done(self) -> bool:
        """Whether the outcome is known."""
        return self._call.is_done

    def outcome(self, timeout: float | None = None) -> Outcome:
        """Waits until the event is on disk, or was dropped.

        :param timeout: In seconds; None waits without a limit.
        :raises MobileTrackerError: If there is no host: `HOST_NOT_FOUND`, `HOST_START_FAILED`, `PROTOCOL_MISMATCH`,
            `HOST_EXITED`.
        :raises TimeoutError: If it takes longer. The call itself goes on.
        :raises RuntimeError: On the tracker's own thread, if it is not known yet.
        """
        if not self._call.is_done:
            _expect_other_thread(self._io, self._call.method)
        outcome: Outcome = waited_for(self._call, timeout)
        return outcome

    def __repr__(self) -> str:
        return f"<Receipt of {_described(self._call)}>"


class Awaited(Generic[T]):
    """A call that was made. Await it for its result.

    The call takes effect whether you await it or not. Cancelling a task that awaits it does not undo it. You may await
    it more than once.
    """

    __slots__ = ("_call", "_wakeups", "__weakref__")

    def __init__(self, call: Call, wakeups: Wakeups) -> None:
        self._call = call
        self._wakeups = wakeups

    def __await__(self) -> Generator[Any, None, T]:
        if not self._call.is_done:
            loop = self._wakeups.loop = asyncio.get_running_loop()
            future = loop.create_future()
            self._call.watch(partial(self._wakeups.add, future))
            yield from future
        result: T = self._call.result()
        return result

    def __del__(self) -> None:
        self._call.discard()

    def __repr__(self) -> str:
        return f"<Awaited {_described(self._call)}>"


class Wakeups:
    """Wakes tasks that await calls: once for each event loop and turn of the I/O thread, not once for each call."""

    def __init__(self) -> None:
        self._futures: list[asyncio.Future[None]] = []
        self.loop: asyncio.AbstractEventLoop | None = None
        """That of the task that has made a call, or begun to wait for one, last."""

    def take_note(self) -> None:
        """A call is about to be made. The program may be asked for credentials before it awaits the call."""
        try:
            self.loop = asyncio.get_running_loop()
        except RuntimeError:
            pass  # It is made outside of all loops.

    def add(self, future: asyncio.Future[None]) -> None:
        """The future's call has ended."""
        try:
            is_own = asyncio.get_running_loop() is future.get_loop()
        except RuntimeError:
            is_own = False
        if is_own:
            _resolve([future])
        else:
            self._futures.append(future)

    def flush(self) -> None:
        """Wakes the tasks."""
        if not self._futures:
            return
        futures, self._futures = self._futures, []
        for loop in {future.get_loop() for future in futures}:
            post(loop, _resolve, [future for future in futures if future.get_loop() is loop])


class OutcomeCaller(Generic[T]):
    """Makes calls that have an outcome."""

    def _enqueue(self, method: str, arguments: Sequence[object], message_id: str | None) -> T:
        raise NotImplementedError


class Caller(OutcomeCaller[Receipt]):
    """Makes the calls of a program with threads. Calls with an answer wait for it."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def _enqueue(self, method: str, arguments: Sequence[object], message_id: str | None) -> Receipt:
        return Receipt(self._channel.make(method, arguments, message_id, waits=True), self._channel.link.io)

    def _ask(self, method: str, arguments: Sequence[object] = (), message_id: str | None = None) -> Any:
        _expect_other_thread(self._channel.link.io, method)
        return waited_for(self._channel.make(method, arguments, message_id, waits=True))


class AsyncCaller(OutcomeCaller[Awaited[Outcome]]):
    """Makes the calls of a program with an event loop."""

    def __init__(self, channel: Channel, wakeups: Wakeups) -> None:
        self._channel = channel
        self._wakeups = wakeups

    def _enqueue(self, method: str, arguments: Sequence[object], message_id: str | None) -> Awaited[Outcome]:
        return self._call(method, arguments, message_id)

    def _call(self, method: str, arguments: Sequence[object] = (), message_id: str | None = None) -> Awaited[Any]:
        self._wakeups.take_note()
        return Awaited(self._channel.make(method, arguments, message_id, waits=False), self._wakeups)


def _expect_other_thread(io: IOThread, method: str) -> None:
    """Refuses a call that would wait for its own thread."""
    if io.is_current:
        raise RuntimeError(
            f"{method} was called on the tracker's own thread, as by a logging handler or a finaliser, and would wait for "
            "itself: call it on another thread."
        )


def waited_for(call: Call, timeout: float | None = None) -> Any:
    """Waits for the result of a call."""
    if sys.is_finalizing() and not call.is_done:
        raise RuntimeError(f"The interpreter is ending, and {call.method} cannot be answered any more: call it before.")
    if not wait_for(call, timeout):
        raise TimeoutError(f"{call.method} was not answered within {timeout} s.")
    return call.result()


def post(loop: asyncio.AbstractEventLoop, action: Any, *arguments: Any) -> bool:
    """Runs an action in an event loop; False if the loop is closed, and nothing waits in it."""
    try:
        loop.call_soon_threadsafe(action, *arguments)
    except RuntimeError:
        return False
    return True


def _resolve(futures: list[asyncio.Future[None]]) -> None:
    for future in futures:
        if not future.done():
            future.set_result(None)


def _described(call: Call) -> str:
    what = str(call.site or call.method)
    if not call.is_done:
        return f"{what}: not answered yet"
    if call.error:
        return f"{what}: {call.error.code}"
    return f"{what}: {call.value!r}"
