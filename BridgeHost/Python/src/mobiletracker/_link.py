"""Starts the host at the first call, and again when it dies, and sends calls to it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from enum import Enum, auto
from functools import partial
from pathlib import Path
from typing import Any

from ._answer_watch import SILENCE, AnswerWatch
from ._call import Call
from ._call_table import CallTable, Shutdown
from ._find import HostEnd, explain_start, find_host
from ._io_thread import IOThread, Timer
from ._limits import Backlog, CrashLimit
from ._messages import Notification, read_message
from ._process import HostProcess
from ._recovery import Recovery
from .errors import (
    MobileTrackerError,
    ended_too_often,
    error_from_answer,
    host_exited,
    not_started,
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
        self._host: HostProcess | None = None
        self._processes: set[HostProcess] = set()
        self._state = _State.IDLE
        self._calls = CallTable(on_removal=lambda call: self.backlog.free(len(call.params)))
        self._own = CallTable()
        self._next_id = 1
        self._watch = AnswerWatch(self.io, lambda: [*self._calls, *self._own], self._warn_of_silence)
        self._crashes = CrashLimit()
        self._wait: Timer | None = None
        # Whether the present host was initialised for a brand that `reset(all=True)` has ended in an earlier host.
        self._has_ended_brand = False
        self._last_failure: MobileTrackerError | None = None
        self._last_warning = ""
        self._handshake: Timer | None = None
        self._shutdown: Shutdown | None = None
        self._forgets = True
        self._when_quiet: list[Callable[[], None]] = []

    # For any thread

    @property
    def is_busy(self) -> bool:
        """Whether a call has no answer yet."""
        return len(self._calls) > 0

    @property
    def host(self) -> int | None:
        """The process of the host, if there is one."""
        return self._host.pid if self._host else None

    def call(self, call: Call, *, waits: bool, is_bounded: bool = False) -> bool:
        """Makes a call.

        :param waits: Whether to wait while too many calls have no answer yet.
        :param is_bounded: Whether the call may be refused then.
        :returns: False if it was refused.
        """
        is_hopeless = self._watch.is_silent or self._crashes.is_obstructed
        waits = waits and not self.io.is_current and not is_hopeless
        if not self.backlog.add(len(call.params), waits=waits, is_bounded=is_bounded):
            return False
        self.io.post(self._add, call)
        return True

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
        open_calls = [*self._calls, *self.io.abandon(Call)]
        for host in self._processes:
            host.abandon()
        self._prepare()
        for call in open_calls:
            call.is_watched = True  # It has not failed: the parent goes on with it, and warns if it fails there.
            call.fail(host_exited("this process was forked, and its parent goes on with the call", call.method))

    # Calls

    def _add(self, call: Call) -> None:
        if call.method == "init":
            self._next_id += 1  # For a shutdown before it; see `_send`.
        self._number(call, self._calls)
        if self._state is _State.READY:
            self._send(call)
        else:
            self._start()

    def _number(self, call: Call, table: CallTable) -> None:
        call.id = self._next_id
        self._next_id += 1
        table.add(call)

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
            # The program knows by its own `init` that there was no session.
            if call.error and call.error.code not in ("HOST_EXITED", "SESSION_CREATION_FAILED"):
                self._warn(f"{method} failed after the host was started: {call.error}")

        call.watch(report)

    def _send(self, call: Call) -> None:
        assert self._host
        # The recovered host still holds to a brand that has ended. Only a fresh one takes this `init` as the last did.
        if call.method == "init" and self._has_ended_brand and not self._shutdown:
            self._send(self._begin_shutdown(call.id - 1, is_own=True).call)
        if shutdown := self._shutdown:
            # Calls after the shutdown go to the next host.
            if call.id > shutdown.call.id:
                return
            if call is shutdown.call:
                self._end_in_time(shutdown)
        self._watch.record_call(call)
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
            delay = self._crashes.delay
            if delay and not self._crashes.is_reached:
                self._wait = self.io.later(delay, lambda: self._spawn(None))
            else:
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
            self.io.open()
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
        self._watch.restart()
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
        self._crashes.record_start()
        self._has_ended_brand = self.recovery.is_brand_ended
        for method, params in self.recovery.calls():
            self._request_or_warn(method, params)
        for waiting in self._calls:
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
        self._watch.restart()
        if self._wait:
            self._wait.cancel()
        self._last_failure = error
        self._warn(str(error))
        for table in (self._own, self._calls):
            table.reject(lambda _: error)
        self._finish_shutdown()

    def _fault(self, error: Exception) -> None:
        """This package has a defect. All calls fail, so that no caller waits for ever."""
        self._refuse(MobileTrackerError("INTERNAL_ERROR", f"The client failed: {error!r}."))

    # Answers

    def _receive(self, host: HostProcess, lines: list[str]) -> None:
        self._watch.record_answer()
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
        call = message and (self._calls.take(message.id) or self._own.take(message.id))
        if not message or not call:
            return False
        if message.result is not None:
            self.recovery.record_answer(call.method, call.params, message.result)
            call.answer(message.result)
        elif message.error is not None:
            error = error_from_answer(message.error)
            self.recovery.record_failure(call.method, call.params, error)
            call.fail(error)
        if self._shutdown and call is self._shutdown.call:
            self._shutdown.is_over = True
        return True

    def _end_turn(self) -> None:
        if self._host:
            self._host.flush()
        self.backlog.end_turn()
        self._after_turn()
        if self._when_quiet and not self._calls:
            actions, self._when_quiet = self._when_quiet, []
            for action in actions:
                action()

    # Ending

    def _shut_down(self, ended: Callable[[], None]) -> None:
        if shutdown := self._shutdown:
            return shutdown.ended.append(partial(self._shut_down, ended) if shutdown.is_own else ended)
        if self._state is _State.IDLE:
            self._forget()
            return ended()
        self._next_id += 1
        shutdown = self._begin_shutdown(self._next_id - 1, is_own=False)
        shutdown.ended.append(ended)
        if self._state is _State.READY:
            self._send(shutdown.call)

    def _begin_shutdown(self, id: int, *, is_own: bool) -> Shutdown:
        self._shutdown = shutdown = Shutdown(id, is_own=is_own)
        self._calls.add(shutdown.call)
        self.backlog.add(len(shutdown.call.params), waits=False, is_bounded=False)
        self._end_in_time(shutdown)
        return shutdown

    def _end_in_time(self, shutdown: Shutdown) -> None:
        """Ends the host, whatever it does, when its time is over."""

        def end() -> None:
            shutdown.is_over = True
            if self._host:
                self._host.kill()
            else:
                self._fail(self._last_failure or host_exited("it did not start in time"))

        if shutdown.timer:
            shutdown.timer.cancel()
        shutdown.timer = self.io.later(_SHUTDOWN, end)

    def _gone(self, host: HostProcess, path: Path, end: HostEnd) -> None:
        self._processes.discard(host)
        if host is self._host:
            self._ended(path, end)

    def _ended(self, path: Path, end: HostEnd) -> None:
        had_started = self._state is _State.READY
        self._host = None
        self._state = _State.IDLE
        self._watch.restart()
        how = str(end)
        self._own.reject(lambda _: host_exited(how))
        if self._shutdown and self._shutdown.is_over:
            return self._ended_after_shutdown(self._shutdown, how)
        reason = None if had_started else explain_start(path, end)
        if end.error and not reason:
            return self._meet_obstacle(how)
        self._crashes.record()
        if reason:
            return self._fail(MobileTrackerError("HOST_START_FAILED", reason))
        if self._crashes.is_reached:
            return self._fail(ended_too_often(how))
        self._last_failure = ended_too_often(how)
        self._warn(f"The host ended unexpectedly ({how}).")
        self._calls.reject(
            lambda call: host_exited(how, call.method), lambda call: call.is_written and not call.repeats
        )
        if self._calls or self.recovery.calls():
            self._start()

    def _meet_obstacle(self, how: str) -> None:
        """The process did not even begin: the system lacks something now."""
        self._crashes.record_obstacle()
        self._last_failure = not_started(how)
        if self._crashes.is_blocked:
            return self._fail(self._last_failure)
        self._warn(f"The host cannot be started now ({how}). This is tried again; calls wait.")
        self._start()

    def _warn_of_silence(self) -> None:
        calls = "1 call waits" if len(self._calls) == 1 else f"{len(self._calls)} calls wait"
        self._warn(
            f"The host (process {self.host}) has not answered for {SILENCE:.0f} s, and {calls} for it: it was stopped, or "
            "its disk does not answer."
        )

    def _ended_after_shutdown(self, shutdown: Shutdown, how: str) -> None:
        self._calls.reject(lambda call: host_exited(how, call.method), lambda call: call.id <= shutdown.call.id)
        if shutdown.is_own:
            self.recovery.end_tracker()
        else:
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
