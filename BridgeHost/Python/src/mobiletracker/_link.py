"""Starts the host at the first call, and again when it dies, and sends calls to it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from enum import Enum, auto
from pathlib import Path
from typing import Any

from ._call import Call
from ._find import HostEnd, explain_start, find_host
from ._io_thread import IOThread, Timer
from ._limits import CrashLimit, Backlog
from ._messages import Notification, read_message
from ._process import HostProcess
from ._recovery import Recovery
from .errors import (
    MobileTrackerError,
    ended_too_often,
    error_from_answer,
    host_exited,
    protocol_mismatch,
)

PROTOCOL_VERSION = 1
"""The version of the protocol that this client speaks."""

_HANDSHAKE = 10.0
"""How long a host may take to answer its first request, in seconds."""

_SHUTDOWN = 10.0
"""How long a host may take to end after `host.shutdown`. It normally takes at most 1.5 s."""


class _State(Enum):
    IDLE = auto()
    STARTING = auto()
    READY = auto()


class _Shutdown:
    """A shutdown that was asked for, until the host has ended."""

    def __init__(self) -> None:
        self.call = Call("host.shutdown", b"{}", repeats=True)
        self.is_over = False
        self.timer: Timer | None = None
        self.ended: list[Callable[[], None]] = []


class HostLink:
    """Starts the host at the first call, and again when it dies, and sends calls to it.

    Calls reach the host in the order they are made. Each ends with an answer or with an error; after a crash those that
    can be repeated are sent again. Methods that begin with an underscore run on the I/O thread.
    """

    def __init__(
        self,
        *,
        host_path: str | os.PathLike[str] | None,
        host_arguments: Callable[[], list[str]],
        on_stderr: Callable[[bytes], None],
        on_notification: Callable[[str, Any], None],
        after_turn: Callable[[], None],
        warn: Callable[[str], None],
    ) -> None:
        """
        :param host_arguments: Called at each start.
        :param after_turn: Called on the I/O thread after each turn: everything that had arrived has been read.
        :param warn: Receives warnings for the developer.
        """
        self._host_path = host_path
        self._host_arguments = host_arguments
        self._on_stderr = on_stderr
        self._on_notification = on_notification
        self._after_turn = after_turn
        self._warn_user = warn
        self.recovery = Recovery()
        """The calls that a new host needs first."""
        self.max_message_bytes = 16 * 1024 * 1024
        """The longest message that the host accepts."""
        self._prepare()

    def _prepare(self) -> None:
        self.io = IOThread(is_idle=self._is_idle, after_turn=self._end_turn, on_fault=self._fault)
        self.backlog = Backlog()
        self._freed = 0
        self._host: HostProcess | None = None
        self._processes: set[HostProcess] = set()
        self._state = _State.IDLE
        self._calls: dict[int, Call] = {}
        self._own: dict[int, Call] = {}
        self._next_id = 1
        self._crashes = CrashLimit()
        self._last_failure: MobileTrackerError | None = None
        self._last_warning = ""
        self._handshake: Timer | None = None
        self._shutdown: _Shutdown | None = None
        self._forgets = True
        self._when_quiet: list[Callable[[], None]] = []

    # For any thread

    @property
    def is_busy(self) -> bool:
        """Whether a call has no answer yet."""
        return bool(self._calls)

    @property
    def host(self) -> int | None:
        """The process of the host, if there is one."""
        return self._host.pid if self._host else None

    def call(self, call: Call, *, waits: bool) -> None:
        """Makes a call.

        :param waits: Whether to wait while calls of more than 32 MiB have no answer yet.
        """
        self.backlog.add(len(call.params), waits=waits and not self.io.is_current)
        self.io.post(self._add, call)

    def subscribe(self, topic: str) -> None:
        """Asks this host, and those that follow it, for notifications of this kind."""
        self.io.post(self._subscribe, topic)

    def shut_down(self, ended: Callable[[], None], *, forgets: bool = True) -> None:
        """Lets the host send for its 1.5 s and end. A later call starts another host.

        :param ended: Called when it has ended.
        :param forgets: Whether the next host starts without clients. If not, the process is ending, and the thread stays
            for calls that exit functions make: at that time no other can be started.
        """
        self._forgets = forgets
        if self.io.is_running:
            return self.io.post(self._shut_down, ended)
        # There is no host. At the end of the interpreter no thread can be started, so this must not need one.
        self._forget()
        ended()

    def when_quiet(self, action: Callable[[], None]) -> None:
        """Runs an action on the I/O thread once every call made before has ended."""
        self.io.post(self._when_quiet.append, action)

    def become_child(self) -> None:
        """After a fork, in the child: the host and its calls stay the parent's. The next call starts another host, with
        the same clients."""
        open_calls = [*self._calls.values(), *self.io.abandon(Call)]
        for host in self._processes:
            host.abandon()
        self._prepare()
        for call in open_calls:
            call.is_watched = True  # It has not failed: the parent goes on with it, and warns if it fails there.
            call.fail(host_exited("this process was forked, and its parent goes on with the call", call.method))

    # Calls

    def _add(self, call: Call) -> None:
        self._number(call, self._calls)
        if self._state is _State.READY:
            self._send(call)
        else:
            self._start()

    def _number(self, call: Call, table: dict[int, Call]) -> None:
        call.id = self._next_id
        self._next_id += 1
        table[call.id] = call

    def _request(self, method: str, params: bytes) -> Call:
        """Makes a call of this link's own to the present host."""
        assert self._host
        call = Call(method, params)
        self._number(call, self._own)
        self._host.send(call)
        return call

    def _request_or_warn(self, method: str, params: bytes) -> None:
        """Makes a call of this link's own. If it fails, warns."""
        call = self._request(method, params)

        def report() -> None:
            if call.error and call.error.code != "HOST_EXITED":
                self._warn(f"{method} failed after the host was started: {call.error}")

        call.watch(report)

    def _send(self, call: Call) -> None:
        assert self._host
        if shutdown := self._shutdown:
            # Calls after the shutdown go to the next host.
            if call.id > shutdown.call.id:
                return
            if call is shutdown.call:
                shutdown.timer = self.io.later(_SHUTDOWN, self._end_now)
        self._host.send(call)

    def _subscribe(self, topic: str) -> None:
        self.recovery.subscribe(topic)
        if self._state is _State.READY:
            self._request_or_warn("host.subscribe", json.dumps([topic]).encode())
        else:
            self._start()

    # Starting

    def _start(self) -> None:
        if self._state is _State.IDLE:
            self._state = _State.STARTING
            # All calls of this turn share this start, and its failure.
            self.io.post(self._spawn)

    def _spawn(self, _: object) -> None:
        # A fault may have ended this start, and a call may have begun another.
        if self._state is not _State.STARTING or self._host:
            return
        if self._crashes.is_reached and self._last_failure:
            return self._fail(self._last_failure)
        try:
            path = find_host(self._host_path)
        except MobileTrackerError as error:
            return self._fail(error)
        try:
            host = HostProcess(
                self.io,
                path,
                self._host_arguments(),
                on_stderr=self._on_stderr,
                on_lines=lambda lines: self._receive(host, lines),
                on_end=lambda end: self._gone(host, path, end),
            )
        except OSError as error:
            return self._ended(path, HostEnd(error=error))
        self._host = host
        self._processes.add(host)
        self._handshake = self.io.later(_HANDSHAKE, lambda: self._fail_handshake(path))
        call = self._request("host.info", b"{}")
        call.watch(lambda: self._complete_handshake(path, call))

    def _fail_handshake(self, path: Path) -> None:
        sentence = f"The host at {path} did not answer within {_HANDSHAKE:.0f} s: is it the BridgeHost program?"
        self._refuse(MobileTrackerError("HOST_START_FAILED", sentence))

    def _complete_handshake(self, path: Path, call: Call) -> None:
        if self._handshake:
            self._handshake.cancel()
        if call.error:
            return
        info = call.value
        if info.get("protocolVersion") != PROTOCOL_VERSION:
            return self._refuse(protocol_mismatch(str(path), info, PROTOCOL_VERSION))
        if isinstance(most := info.get("maxMessageBytes"), int):
            self.max_message_bytes = most
        self._state = _State.READY
        self._last_warning = ""
        for method, params in self.recovery.calls():
            self._request_or_warn(method, params)
        for waiting in self._calls.values():
            self._send(waiting)

    def _refuse(self, error: MobileTrackerError) -> None:
        """This host cannot be used, and starting it again would not help."""
        self._crashes.record()
        if self._host:
            self._host.kill()
        self._fail(error)

    def _fail(self, error: MobileTrackerError) -> None:
        """There is no host: every call fails."""
        self._host = None
        self._state = _State.IDLE
        self._last_failure = error
        self._warn(str(error))
        for table in (self._own, self._calls):
            self._reject(table, lambda _: error)
        self._finish_shutdown()

    def _fault(self, error: Exception) -> None:
        """This package has a defect. All calls fail, so that no caller waits for ever."""
        self._refuse(MobileTrackerError("INTERNAL_ERROR", f"The client failed: {error!r}."))

    # Answers

    def _receive(self, host: HostProcess, lines: list[str]) -> None:
        for line in lines:
            if host is self._host and not self._read(line):
                # It may be the answer to any call, and only a new host can answer that call.
                sentence = "The host sent a line that is neither a notification nor the answer to a call."
                self._warn(f"{sentence} It is started again.")
                host.kill()

    def _read(self, line: str) -> bool:
        """Reads a line; False if it is neither an answer nor a notification."""
        message = read_message(line)
        if isinstance(message, Notification):
            self._on_notification(message.method, message.params)
            return True
        call = message and (self._take(self._calls, message.id) or self._take(self._own, message.id))
        if not message or not call:
            return False
        if message.result is not None:
            self.recovery.record_answer(call.method, call.params, message.result)
            call.answer(message.result)
        elif message.error is not None:
            call.fail(error_from_answer(message.error))
        if self._shutdown and call is self._shutdown.call:
            self._shutdown.is_over = True
        return True

    def _take(self, table: dict[int, Call], number: int) -> Call | None:
        call = table.pop(number, None)
        if call and table is self._calls:
            self._freed += len(call.params)
        return call

    def _reject(
        self,
        table: dict[int, Call],
        error_of: Callable[[Call], MobileTrackerError],
        matches: Callable[[Call], bool] = lambda _: True,
    ) -> None:
        for call in [call for call in table.values() if matches(call)]:
            if self._take(table, call.id):
                call.fail(error_of(call))

    def _end_turn(self) -> None:
        if self._host:
            self._host.flush()
        if self._freed:
            self.backlog.remove(self._freed)
            self._freed = 0
        self._after_turn()
        if self._when_quiet and not self._calls:
            actions, self._when_quiet = self._when_quiet, []
            for action in actions:
                action()

    # Ending

    def _shut_down(self, ended: Callable[[], None]) -> None:
        if self._shutdown:
            return self._shutdown.ended.append(ended)
        if self._state is _State.IDLE:
            self._forget()
            return ended()
        self._shutdown = _Shutdown()
        self._shutdown.ended.append(ended)
        self._number(self._shutdown.call, self._calls)
        if self._state is _State.READY:
            self._send(self._shutdown.call)

    def _end_now(self) -> None:
        if self._shutdown and self._host:
            self._shutdown.is_over = True
            self._host.kill()

    def _gone(self, host: HostProcess, path: Path, end: HostEnd) -> None:
        self._processes.discard(host)
        if host is self._host:
            self._ended(path, end)

    def _ended(self, path: Path, end: HostEnd) -> None:
        had_started = self._state is _State.READY
        self._host = None
        self._state = _State.IDLE
        how = str(end)
        self._reject(self._own, lambda _: host_exited(how))
        if self._shutdown and self._shutdown.is_over:
            return self._ended_after_shutdown(self._shutdown, how)
        self._crashes.record()
        reason = None if had_started else explain_start(path, end)
        if reason:
            return self._fail(MobileTrackerError("HOST_START_FAILED", reason))
        if self._crashes.is_reached:
            return self._fail(ended_too_often(how))
        self._last_failure = ended_too_often(how)
        self._warn(f"The host ended unexpectedly ({how}).")
        self._reject(
            self._calls,
            lambda call: host_exited(how, call.method),
            lambda call: call.is_written and not call.repeats,
        )
        if self._calls or self.recovery.calls():
            self._start()

    def _ended_after_shutdown(self, shutdown: _Shutdown, how: str) -> None:
        self._reject(self._calls, lambda call: host_exited(how, call.method), lambda call: call.id <= shutdown.call.id)
        self._forget()
        self._finish_shutdown()
        if self._calls:
            self._start()

    def _finish_shutdown(self) -> None:
        shutdown, self._shutdown = self._shutdown, None
        if shutdown:
            if shutdown.timer:
                shutdown.timer.cancel()
            for ended in shutdown.ended:
                ended()

    def _forget(self) -> None:
        if self._forgets:
            self.recovery.clear()

    def _is_idle(self) -> bool:
        return self._forgets and self._state is _State.IDLE and not self._calls and not self._processes

    def _warn(self, message: str) -> None:
        """Warns, unless the last warning was the same: many calls can have one cause."""
        if message != self._last_warning:
            self._warn_user(message)
        self._last_warning = message
