"""The part of the link to the host that runs on the I/O thread."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

from ._agent import Agent, AgentConnection, find_agent, is_absence
from ._answer_watch import SILENCE, AnswerWatch
from ._call import ENVELOPE, Call
from ._call_table import CallTable, Shutdown
from ._clock import now
from ._fault import client_text
from ._find import HostEnd, find_host
from ._fork_lock import forks_held_back
from ._host_end import after_agent, after_host
from ._io_thread import IOThread, Timer
from ._limits import Backlog, CrashLimit
from ._messages import Notification, read_message
from ._process import HostProcess
from ._recovery import SETUPS, Recovery, repeated
from ._setup_hold import SetupHold, is_urgent
from .errors import (
    MobileTrackerError,
    error_from_answer,
    host_exited,
    message_too_large,
    protocol_mismatch,
)

PROTOCOL_VERSION = 1
"""The version of the protocol that this client speaks."""

_HANDSHAKE = 10.0
"""How long a host may take to answer its first request, in seconds."""

_SHUTDOWN = 10.0
"""How long a host may write nothing after `host.shutdown` before it is ended, in seconds. It normally ends within 1.5 s."""


class _State(Enum):
    IDLE = auto()
    STARTING = auto()
    READY = auto()


@dataclass(frozen=True, slots=True)
class LinkOptions:
    """What a link to the host needs of its tracker."""

    host_path: str | os.PathLike[str] | None
    agent: str | os.PathLike[str] | Literal[False] | None
    folder: str | None
    """From where relative paths lead, also those in `host_arguments`."""
    host_arguments: Callable[[], list[str]]
    """Called at each start."""
    on_stderr: Callable[[bytes], None]
    on_notification: Callable[[str, Any], None]
    on_ready: Callable[[], None]
    """Called when a host, or an agent, has answered first, before it gets calls."""
    after_turn: Callable[[], None]
    """Called on the I/O thread after each turn: everything that had arrived has been read."""
    warn: Callable[[str], None]
    """Receives warnings for the developer."""


class HostLoop:
    """Starts the host at the first call, and again when it dies, and sends calls to it.

    Each call ends with an answer or with an error; after a crash those that can be repeated are sent again. It belongs to
    one process: after a fork the child makes another. Only its I/O thread calls its methods.
    """

    def __init__(
        self, options: LinkOptions, recovery: Recovery, *, joined: Agent | Literal[False] | None = None, next_id: int = 1
    ) -> None:
        """
        :param recovery: The calls that a new host needs first.
        :param joined: That of the parent.
        :param next_id: A higher id than that of any call that the recovery knows.
        """
        self._options = options
        self.recovery = recovery
        self.max_message_bytes = 16 * 1024 * 1024
        """The longest params of a call that the host accepts; until it says so, what a host accepts by default."""
        self.io = IOThread(is_idle=self._is_idle, after_turn=self._end_turn, on_fault=self._fault)
        self.backlog = Backlog()
        self.host: HostProcess | AgentConnection | None = None
        self.processes: set[HostProcess | AgentConnection] = set()
        """Those that have descriptors, which a forked child closes."""
        self._agent: Agent | None = None
        """The agent that is connected to, instead of a host of the program's own."""
        self.joined = joined
        """What has answered first, until the shutdown: an agent, or False for a host of the program's own. What a client
        has there, the other has not."""
        self._state = _State.IDLE
        self.calls = CallTable(on_removal=lambda call: self.backlog.free(len(call.params)))
        self._own = CallTable()
        self.next_id = next_id
        self._hold = SetupHold()
        self.watch = AnswerWatch(self.io, lambda: [*self.calls, *self._own], self._warn_of_silence)
        self.crashes = CrashLimit()
        self._wait: Timer | None = None
        self._last_failure: MobileTrackerError | None = None
        self._last_warning = ""
        self._handshake: Timer | None = None
        self._shutdowns: list[Shutdown] = []
        """Those that were asked for, in the order of their calls. Each but the first waits for the next host."""
        self.forgets = True
        """Whether the next host starts without clients after a shutdown. If not, the thread stays."""
        self.when_quiet: list[Callable[[], None]] = []
        """Called once, as soon as no call waits for an answer."""

    @property
    def is_away(self) -> bool:
        """Whether it is being connected to an agent. What the agent has, it delivers meanwhile."""
        return self._state is _State.STARTING and self._agent is not None

    # Calls

    def add(self, call: Call) -> None:
        """Makes a call, after those that were made before."""
        self._number(call, self.calls)
        if self._state is not _State.READY:
            self._start()
        elif self._is_too_large(call):
            self._reject_too_large()
        else:
            self._send(call)

    def _is_too_large(self, call: Call) -> bool:
        """Whether the host refuses a call: it was checked when it was made, which may be before that host was known."""
        return len(call.params) > self.max_message_bytes - ENVELOPE

    def _reject_too_large(self) -> None:
        self.calls.reject(lambda call: message_too_large(call.method, self.max_message_bytes), self._is_too_large)

    def _number(self, call: Call, table: CallTable) -> None:
        call.id = self.next_id
        self.next_id += 1
        table.add(call)

    def _request(self, call: Call) -> None:
        """Makes a call of this link's own to the present host."""
        assert self.host
        self._number(call, self._own)
        self.host.send(call)

    def _request_or_warn(self, method: str, params: bytes) -> Call:
        """Makes a call of this link's own. If it fails, warns."""
        call = Call(method, params)
        if self._is_too_large(call):
            call.fail(message_too_large(method, self.max_message_bytes))
        else:
            self._request(call)

        def report() -> None:
            # The program knows by its own `init` that there was no session, or has replaced it by that.
            if call.error and not call.is_replaced and call.error.code not in ("HOST_EXITED", "SESSION_CREATION_FAILED"):
                self._warn(client_text("replayFailed", method=method, error=call.error))

        call.watch(report)
        return call

    def _send(self, call: Call) -> None:
        assert self.host
        if is_urgent(call):
            self._send_held(self._hold.end(), before=call.id)
        if setup := self._hold.setup_before(call):
            # From now on the program waits for its answer.
            if setup.due_at == math.inf:
                self.watch.record_call(setup)
            return
        if shutdown := self._shutdown:
            # Calls after the shutdown go to the next host.
            if call.id > shutdown.call.id:
                return
            if call is shutdown.call:
                self._end_in_time(shutdown)
        self._hold.record_sent(call.method, call.params)
        self.watch.record_call(call)
        self.host.send(call)

    def _end_again(self, id: int, method: str, params: bytes) -> None:
        """Brings a new host to where the last one was after a reset."""
        self._send_held(self._hold.end(), before=id)
        self._hold.record_sent(method, params)
        self._request_or_warn(method, params)

    def _send_held(self, first: float, *, before: float = math.inf) -> None:
        """Sends the calls that were held back, from one on and before another, in their order."""
        if first < math.inf and self._state is _State.READY:
            for call in self.calls:
                if first <= call.id < before:
                    self._send(call)

    def subscribe(self, topic: str) -> None:
        """Asks for notifications of this kind, which the recovery has among those of every further host."""
        if self._state is _State.READY:
            self._request_or_warn("host.subscribe", json.dumps([topic]).encode())
        else:
            self._start()

    # Starting

    def _start(self) -> None:
        if self._state is _State.IDLE:
            self._state = _State.STARTING
            delay = self.crashes.delay
            if delay and not self.crashes.is_reached:
                self._wait = self.io.later(delay, lambda: self._spawn(None))
            else:
                # All calls of this turn share this start, and its failure.
                self.io.post(self._spawn)

    def _spawn(self, _: object) -> None:
        # A fault may have ended this start, and a call may have begun another.
        if self._state is not _State.STARTING or self.host:
            return
        if self.crashes.is_reached and self._last_failure:
            return self._fail(self._last_failure)
        self._agent = find_agent(self._options.agent) if self.joined is None else self.joined or None
        self._connect_or_spawn()

    def _connect_or_spawn(self) -> None:
        if self._agent:
            return self._begin(self._agent.path, partial(AgentConnection, self.io))
        try:
            path = find_host(self._options.host_path, self._options.folder)
        except MobileTrackerError as error:
            return self._fail(error)
        self._begin(path, self._spawn_host)

    def _spawn_host(self, path: Path, **listeners: Any) -> HostProcess:
        options = self._options
        arguments = options.host_arguments()
        return HostProcess(self.io, path, arguments, folder=options.folder, on_stderr=options.on_stderr, **listeners)

    def _begin(self, path: Path, make: Callable[..., HostProcess | AgentConnection]) -> None:
        try:
            self.io.open()
            with forks_held_back():
                host: HostProcess | AgentConnection = make(
                    path, on_lines=lambda lines: self._receive(host, lines), on_end=lambda end: self._gone(host, path, end)
                )
                self.processes.add(host)
        except OSError as error:
            return self._ended(path, HostEnd(error=error))
        self._shake_hands(host, path)

    def _shake_hands(self, host: HostProcess | AgentConnection, path: Path) -> None:
        self.host = host
        self.watch.restart()
        call = Call("host.info", b"{}")
        self._request(call)
        # An agent that was known before may have been stopped. Calls wait for it, as they do while it is connected.
        if self.joined:
            self.watch.record_call(call)
        else:
            self._handshake = self.io.later(_HANDSHAKE, lambda: self._fail_handshake(host, path))
        call.watch(lambda: self._complete_handshake(path, call))

    def _fail_handshake(self, host: HostProcess | AgentConnection, path: Path) -> None:
        seconds = f"{_HANDSHAKE:.0f}"
        if self._agent:
            host.kill()
            return self._ended(path, HostEnd(how=client_text("agentSlow", seconds=seconds)))
        self._refuse(MobileTrackerError("HOST_START_FAILED", client_text("hostSlow", path=path, seconds=seconds)))

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
        self.joined = replace(self._agent, is_optional=False) if self._agent else False
        self._last_warning = ""
        self.crashes.record_start()
        self._options.on_ready()
        self._reject_too_large()
        for call in self.calls:
            if call.is_written and self.recovery.may_have_ended(call):
                params = repeated(call.params, "unanswered")
                self.backlog.grow(len(params) - len(call.params))
                call.params = params
        again = [self._request_or_warn(method, params) for method, params in self.recovery.calls()]
        self._hold.begin([call for call in again if call.method in SETUPS and not call.is_done])
        endings = [(id, partial(self._end_again, id, method, params)) for id, method, params in self.recovery.endings()]
        calls = [(call.id, partial(self._send, call)) for call in self.calls]
        for _, make in sorted(calls + endings, key=itemgetter(0)):
            make()

    def _refuse(self, error: MobileTrackerError) -> None:
        """This host cannot be used, and starting it again would not help."""
        self.crashes.record()
        if self.host:
            self.host.kill()
        self._fail(error)

    def _fail(self, error: MobileTrackerError) -> None:
        """There is no host: every call fails."""
        self._last_failure = error
        self._warn(str(error))
        self._stop(error)
        self.calls.reject(lambda _: error)
        if self._shutdown:
            self.forget()
        shutdowns, self._shutdowns = self._shutdowns, []
        for shutdown in shutdowns:
            shutdown.finish()

    def _stop(self, error: MobileTrackerError) -> None:
        """There is no host, and none is being started."""
        self.host = None
        self._state = _State.IDLE
        self.watch.restart()
        if self._wait:
            self._wait.cancel()
        self._own.reject(lambda _: error)

    def _fault(self, error: BaseException) -> None:
        """This package has a defect. All calls fail, so that no caller waits for ever."""
        self._refuse(MobileTrackerError("INTERNAL_ERROR", f"The client failed: {error!r}."))

    # Answers

    def _receive(self, host: HostProcess | AgentConnection, lines: list[str]) -> None:
        self.watch.record_answer()
        for line in lines:
            if host is self.host and not self._read(line):
                # It may be the answer to any call, and only a new host can answer that call.
                self._warn(client_text("strayLine"))
                host.kill()

    def _read(self, line: str) -> bool:
        """Reads a line; False if it is neither an answer nor a notification."""
        message = read_message(line)
        if isinstance(message, Notification):
            self._options.on_notification(message.method, message.params)
            return True
        call = message and self.calls.take(message.id)
        is_replay = call is None
        call = call or (message and self._own.take(message.id))
        if not message or not call:
            return False
        if message.result is not None:
            self.recovery.record_answer(call, message.result, is_replay=is_replay, unanswered=self.calls)
            call.answer(message.result)
        elif message.error is not None:
            error = error_from_answer(message.error)
            if not call.is_replaced:
                self.recovery.record_failure(call, error, is_replay=is_replay)
            call.fail(error)
        if self._shutdown and call is self._shutdown.call:
            self._shutdown.is_over = True
        self._send_held(self._hold.record_answer(call))
        return True

    def _end_turn(self) -> None:
        if self.host:
            self.host.flush()
        self.backlog.end_turn()
        self._options.after_turn()
        if self.when_quiet and not self.calls:
            actions, self.when_quiet = self.when_quiet, []
            for action in actions:
                action()

    # Ending

    def shut_down(self, ended: Callable[[], None]) -> None:
        """Lets the host send for its 1.5 s and end."""
        if self._shutdowns and not self._has_calls_after(last := self._shutdowns[-1]):
            return last.ended.append(ended)
        if self.is_away and not self.calls:
            if self.host:
                self.host.kill()
            self._stop(host_exited(client_text("wasShutDown")))
        if self._state is _State.IDLE:
            self.forget()
            return ended()
        shutdown = Shutdown(self.next_id)
        self.next_id += 1
        shutdown.ended.append(ended)
        self._shutdowns.append(shutdown)
        self._begin_shutdown(shutdown)
        if self._state is _State.READY:
            self._send(shutdown.call)

    @property
    def _shutdown(self) -> Shutdown | None:
        """The one that the present host gets."""
        return self._shutdowns[0] if self._shutdowns else None

    def _has_calls_after(self, shutdown: Shutdown) -> bool:
        return any(call.id > shutdown.call.id for call in self.calls)

    def _begin_shutdown(self, shutdown: Shutdown) -> None:
        self.calls.add(shutdown.call)
        self.backlog.add(len(shutdown.call.params), waits=False, is_bounded=False)
        if shutdown is self._shutdown:
            self._end_in_time(shutdown)

    def _end_in_time(self, shutdown: Shutdown, time: float = _SHUTDOWN) -> None:
        """Ends the host when its time is over, which begins anew with whatever it writes: it may have many calls to
        answer."""

        def end() -> None:
            if (left := self.watch.heard_at + _SHUTDOWN - now()) > 0:
                return self._end_in_time(shutdown, left)
            shutdown.is_over = True
            if self.host:
                self.host.kill()
            else:
                self._fail(self._last_failure or host_exited(client_text("lateStart")))

        if shutdown.timer:
            shutdown.timer.cancel()
        shutdown.timer = self.io.later(time, end)

    def _gone(self, host: HostProcess | AgentConnection, path: Path, end: HostEnd) -> None:
        self.processes.discard(host)
        if host is self.host:
            self._ended(path, end)

    def _ended(self, path: Path, end: HostEnd) -> None:
        had_started = self._state is _State.READY
        how = str(end)
        self._stop(host_exited(how))
        if self._shutdown and (self._shutdown.is_over or self._agent and self._is_alone(self._shutdown)):
            return self._ended_after_shutdown(how)
        if self._agent and self._agent.is_optional and not had_started and is_absence(end.error):
            self._state = _State.STARTING
            self._agent = self._agent.next
            return self._connect_or_spawn()
        follow = after_agent if self._agent else after_host
        consequence = follow(self.crashes, path, end, had_started)
        if not consequence.warning:
            return self._fail(consequence.error)
        self._last_failure = consequence.error
        self._warn(consequence.warning)
        self.calls.reject(
            lambda call: host_exited(how, call.method), lambda call: call.is_written and not call.repeats
        )
        if self.calls or self.recovery.calls():
            self._start()

    def _warn_of_silence(self) -> None:
        host, calls = self.host.name if self.host else None, len(self.calls)
        one = "" if calls == 1 else None
        self._warn(client_text("hostSilent", host=host, seconds=f"{SILENCE:.0f}", calls=calls, one=one))
        self._send_held(self._hold.end())

    def _is_alone(self, shutdown: Shutdown) -> bool:
        """Whether no call before a shutdown waits for the next host."""
        waiting = [call for call in self.calls if call.repeats or not call.is_written]
        return all(call.id >= shutdown.call.id for call in waiting)

    def _ended_after_shutdown(self, how: str) -> None:
        shutdown = self._shutdowns.pop(0)
        self.calls.reject(lambda call: host_exited(how, call.method), lambda call: call.id <= shutdown.call.id)
        self.forget()
        shutdown.finish()
        if self._shutdown:
            self._end_in_time(self._shutdown)
        if self.calls:
            self._start()

    def forget(self) -> None:
        """The host has ended."""
        if self.forgets:
            self.recovery.clear()
            self.joined = None

    def _is_idle(self) -> bool:
        return self.forgets and self._state is _State.IDLE and not self.calls and not self.processes

    def _warn(self, message: str) -> None:
        """Warns, unless the last warning was the same: many calls can have one cause."""
        if message != self._last_warning:
            self._options.warn(message)
        self._last_warning = message
