"""What the two kinds of tracker, for threads and for asyncio, have in common."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from types import FrameType
from typing import Any

from ._agent import find_agent, ignored_arguments
from ._call import Call, wait_for
from ._clock import now
from ._fault import client_text, message_of, sentence, written_in
from ._hooks import CallDropped, HostLog, filtered
from ._json import JSONWriter, SizeFault, ValueFault, fault_of
from ._kept_params import KeptParams
from ._limits import MOST_BYTES, MOST_CALLS
from ._link import HostLink, LinkOptions
from ._off import Kept, OffClients
from ._options import TrackerOptions, arguments_of_host, working_folder
from ._params import write_params
from ._row import Gives, Row, snake_keys
from ._scope import current_scope, written
from ._table import ROWS
from ._texts import ERRORS
from ._warnings import Drop, Warnings, argument_hint, call_name
from .errors import MobileTrackerError, message_too_large
from .outcome import FlushReport, Outcome

_PACKAGE = os.path.join(os.path.dirname(__file__), "")
"""What the paths of this package's files begin with."""

_TOO_MANY = {"reason": "unanswered", "calls": MOST_CALLS, "megabytes": MOST_BYTES >> 20}
"""What is wrong with a call that comes when very many wait."""

_EXIT_FLUSH = 5.0
"""How long the program's end may wait for events that are not sent yet, in seconds."""

_EXIT_SHUTDOWN = 2.0
"""How long the host may take to end after that. It normally takes at most 1.5 s."""


class Channel:
    """Makes the calls of a tracker to its host, and reads what they return."""

    def __init__(
        self,
        options: TrackerOptions,
        *,
        on_notification: Callable[[str, Any], None],
        on_ready: Callable[[], None],
        before_setup: Callable[[], None],
        after_turn: Callable[[], None] = lambda: None,
    ) -> None:
        """
        :param on_ready: Called when there is a host, before it gets calls.
        :param before_setup: Called before each call that begins a client.
        """
        self.warnings = Warnings(
            options.logger, is_on=options.warnings, is_on_io_thread=lambda: self.link.io.is_current
        )
        self._before_send = options.before_send
        self.writer = JSONWriter(options.default)
        self._after_turn = after_turn
        self._before_setup = before_setup
        folder = working_folder()
        self.link = HostLink(
            LinkOptions(
                host_path=options.host_path,
                agent=options.agent,
                folder=folder,
                host_arguments=partial(arguments_of_host, options, folder),
                on_stderr=HostLog(options.logger, is_passed=options.stderr == "inherit" and sys.__stderr__ is not None).take,
                on_notification=on_notification,
                on_ready=on_ready,
                after_turn=self._end_turn,
                warn=self.warnings.warn,
            )
        )
        if ignored := ignored_arguments(find_agent(options.agent), options.host_arguments):
            self.warnings.warn(ignored)
        self._off = OffClients(is_recorder="--record" in options.host_arguments)
        self._is_used = False
        self.is_closed = False
        """Whether the program has closed the tracker, and begun no client since."""
        _all.add(self)

    def make(self, method: str, arguments: Sequence[object], message_id: str | None, *, waits: bool) -> Call:
        """Makes a call for the program's innermost function."""
        row = ROWS[method]
        site = _CallSite(row, arguments, _frame_of_program(), self)
        try:
            params = self._write(row, arguments, message_id)
        except CallDropped as dropped:
            return site.filtered(str(dropped))
        except Exception as error:  # A value may raise anything when it is asked for its type.
            return site.refuse(fault_of(error))
        call = Call(method, params, repeats=row.repeats, site=site)
        answer = self._off.take(row, params)
        if isinstance(answer, dict):
            call.answer(answer)
            return call
        first, then = answer
        for kept in first:
            self._hand_over(kept)
        if row.repeats and not self._is_used:
            self._is_used = True
            _register()
        if row.restores == "setup":
            self.is_closed = False
            self._before_setup()
        if not self.link.call(call, waits=waits, is_bounded=row.gives is Gives.OUTCOME):
            return site.overflow()
        for kept in then:
            self._hand_over(kept)
        if _has_left and row.repeats and not sys.is_finalizing():  # Then nothing runs any more that could hand it over.
            wait_for(call, _EXIT_SHUTDOWN)
            call.is_watched = False  # The program has not asked for its result.
        return call

    def subscribe(self, topic: str) -> None:
        """Asks the host, and those that follow it, for notifications of this kind. While all is off none is started."""
        if self._off.is_all:
            self.link.recovery.subscribe(topic)
        else:
            self.link.subscribe(topic)

    def _hand_over(self, kept: Kept) -> None:
        """Makes a call that was answered while its client was off. Without a host, or a client, it is kept for the next."""
        call = Call(kept.row.method, kept.params, repeats=True)

        def ended() -> None:
            needs_setup = call.error and call.error.code == "NOT_INITIALIZED" and not kept.row.restores
            if call.error and (call.error.number is None or needs_setup):
                self._off.keep(kept)
            elif call.error:
                why = message_of(call.error.code, call.error.data, frozenset()) or call.error.message
                self.warnings.warn(client_text("failedLater", method=call.method, why=why))

        call.watch(ended)
        self.link.call(call, waits=False)

    def _write(self, row: Row, arguments: Sequence[object], message_id: str | None) -> bytes:
        most = self.link.max_params_bytes
        scope = current_scope().json if row.is_scoped else b""
        params = write_params(self.writer, row, arguments, message_id, most, scope=scope)
        if row.gives is not Gives.OUTCOME:
            return KeptParams(params)
        if self._before_send:
            outgoing = filtered(self._before_send, row, params)
            if outgoing is None:
                return params
            changed, scopes, is_exact = outgoing
            scope = written(scopes, self.writer, most, is_exact=is_exact)
            return write_params(self.writer, row, changed, message_id, most, is_exact=is_exact, scope=scope)
        return params

    def shut_down(self, ended: Callable[[], None]) -> None:
        """Sends what can be sent in the host's time, and ends the host."""

        def finish() -> None:
            self.warnings.finish()
            ended()

        self._off.clear()
        self.is_closed = not _has_left
        self.link.shut_down(finish, forgets=not _has_left)

    # At the end of the program

    def begin_flush(self) -> threading.Event | None:
        """Sends what is left once all calls are answered.

        :returns: An event that is set when this is done; None if there is nothing to do.
        """
        if not self._is_used or not self.link.io.is_running:
            return None
        self._is_used = False
        done = threading.Event()

        def flush() -> None:
            for method in () if self.link.is_away else self.link.recovery.flushes():
                self.link.call(Call(method, KeptParams.of(timeoutMs=int(_EXIT_FLUSH * 1000))), waits=False)
            self.link.when_quiet(done.set)

        self.link.when_quiet(flush)
        return done

    def become_child(self) -> None:
        """After a fork."""
        self._is_used = False
        self._off.become_child()
        self.warnings.become_child()
        self.link.become_child()

    def _end_turn(self) -> None:
        if not self.link.is_busy:
            self.warnings.report_first()
        self._after_turn()

    def __repr__(self) -> str:
        host = self.link.host
        return f"host {host}" if host else "no host running"


class _CallSite:
    """The place in the program that made a call. Turns the answer into what the program receives."""

    __slots__ = ("_row", "_arguments", "_name", "_hint", "_file", "_line", "_channel")

    def __init__(self, row: Row, arguments: Sequence[object], frame: FrameType, channel: Channel) -> None:
        self._row = row
        # A receipt that is kept does not keep the event in memory.
        self._arguments = () if row.gives is Gives.OUTCOME else arguments
        # Its type, since a value may raise when it is asked for its class.
        self._name = arguments[0] if row.is_named and issubclass(type(arguments[0]), str) else None
        self._hint = argument_hint(row, arguments)
        self._file = frame.f_code.co_filename
        self._line = frame.f_lineno
        self._channel = channel

    def read(self, result: dict[str, Any]) -> object:
        """What the program receives for a result."""
        match self._row.gives:
            case Gives.OUTCOME:
                return self._outcome(result)
            case Gives.NOTHING:
                return None
            case Gives.MEMBER:
                value = result.get(self._row.member)
                if not isinstance(value, list):
                    return value
                return [snake_keys(each) if isinstance(each, dict) else each for each in value]
            case Gives.REPORT:
                return FlushReport(result["delivered"], result["remaining"], result.get("stoppedBy"))
            case Gives.OBJECT:
                return snake_keys(result)

    def renamed(self, error: MobileTrackerError) -> MobileTrackerError:
        """The error with the names of the Python API."""
        if "code" not in error.data and error.code not in ERRORS:  # The client has made it, and named the method.
            return error
        message = message_of(error.code, error.data, written_in(self._arguments))
        return error if message is None else error.copy(message)

    def outcome_of(self, error: MobileTrackerError) -> object | None:
        """The outcome of a wrong argument, or of a call that is too large; None for calls without an outcome, which raise."""
        if self._row.gives is not Gives.OUTCOME:
            return None
        match error.code:
            case "INVALID_PARAMS":
                data = error.data
                return self._drop(data.get("reason", "INVALID_VALUE"), data.get("fault"), hint=self._hint)
            case "MESSAGE_TOO_LARGE":
                fault = {"reason": "size", "option": "--max-message-bytes", "most": error.data["limit"]}
                return self._drop("TOO_LARGE", fault)
            case _:
                return None

    def unhandled(self, error: MobileTrackerError) -> None:
        """Nobody handles the error. A missing host is one warning, with the number of calls that failed."""
        if error.number is None:  # There is no host.
            if self._row.message_id:
                drop = Drop(self._row, self._name, error.code, self._place, has_failed=True)
                self._channel.warnings.dropped(drop)
        else:
            words = client_text("unhandled", method=self._row.method, error=error, place=self._place)
            self._channel.warnings.warn(words)

    def refuse(self, fault: ValueFault | SizeFault) -> Call:
        """Answers a call that cannot be written, as the host would."""
        if isinstance(fault, SizeFault):
            return self._ended(message_too_large(self._row.method, self._channel.link.max_message_bytes))
        param = next((param for param in self._row.params if param.wire == fault.argument), None)
        is_repeated = fault.data["reason"] == "repeated"
        code = param.fault if param and (is_repeated or param.fault != "INVALID_PARAMS") else "SERIALIZATION_ERROR"
        if self._row.gives is Gives.OUTCOME:
            reason = code if fault.is_of_argument else "SERIALIZATION_ERROR"
            # The keys of the program's own data stay as they are.
            kept = {*(fault.keys[1:] if param and param.names else fault.keys)} - {fault.argument}
            if is_repeated:
                kept = {*fault.keys, fault.data["other"]}
            data = fault.data
            if param and fault.is_of_argument and not is_repeated:
                data = {"reason": "wrongKind", "option": data["option"], "expected": param.kind, "given": data["type"]}
            return self._ended(self._drop(reason, data, written=frozenset(kept)))
        method, data = self._row.method, fault.data
        words = sentence(data["reason"], data, written_in(self._arguments))
        if code == "INVALID_PARAMS":
            data = {"method": method, "param": fault.argument, "fault": data}
        return self._ended(MobileTrackerError(code, f"{method}: {words}.", data=data))

    def overflow(self) -> Call:
        """Answers a call for which too many others wait."""
        return self._ended(self._drop("QUEUE_FULL", _TOO_MANY))

    def filtered(self, fault: str) -> Call:
        """Answers a call that `before_send` has dropped. `fault` says what is wrong with `before_send`, if so."""
        if fault:
            self._channel.warnings.warn(Drop(self._row, self._name, fault, self._place).warning())
        return self._ended(Outcome("dropped", reason="BEFORE_SEND"))

    def _ended(self, end: Outcome | MobileTrackerError) -> Call:
        """A call that has ended so, and is not sent."""
        call = Call(self._row.method, b"", site=self)
        if isinstance(end, Outcome):
            call.finish(end)
        else:
            call.fail(end)
        return call

    def _outcome(self, result: dict[str, Any]) -> Outcome:
        status = result["status"]
        if status == "dropped":
            is_late = result["reason"] == "NOT_INITIALIZED" and self._channel.is_closed
            return self._drop(result["reason"], {"reason": "closed"} if is_late else result.get("fault"))
        self._channel.warnings.accepted(self._row)
        return Outcome(status, result["messageId"])

    def _drop(
        self, reason: Any, fault: Any = None, *, hint: str = "", written: frozenset[object] = frozenset()
    ) -> Outcome:
        self._channel.warnings.dropped(Drop(self._row, self._name, reason, self._place, fault or {}, hint, written))
        return Outcome("dropped", reason=reason, fault=fault)

    @property
    def _place(self) -> str:
        return client_text("at", place=f"{self._file}:{self._line}")

    def __repr__(self) -> str:
        return call_name(self._row.method, self._name)


def _frame_of_program() -> FrameType:
    """The innermost frame outside this package."""
    frame = sys._getframe()
    while frame.f_back and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame


_all: weakref.WeakSet[Channel] = weakref.WeakSet()
_registered_in = 0
_has_left = False
"""Whether this process is past its end as far as this package is concerned: what is called now, by an exit function of
the program that runs later, may be the last thing that the process does."""


def _register() -> None:
    """Makes the end of a process that ends without `atexit` wait for events that are not sent yet."""
    global _registered_in, _has_left
    if _registered_in == os.getpid():
        return
    _registered_in = os.getpid()
    multiprocessing = sys.modules.get("multiprocessing.process")
    if multiprocessing and multiprocessing.parent_process() is not None:
        util = sys.modules["multiprocessing.util"]
        util.Finalize(None, _leave, exitpriority=0)
        # A thread may go on when the functions for the end have been called.
        _has_left = _has_left or bool(getattr(util, "_exiting", False))
    # A process of billiard, whose pools have their own way to end. Celery says when.
    billiard = sys.modules.get("billiard.process")
    if billiard and billiard.current_process()._parent_pid is not None:
        sys.modules["billiard.util"].Finalize(None, _leave, exitpriority=0)
        if signals := sys.modules.get("celery.signals"):
            signals.worker_process_shutdown.connect(_leave_worker, weak=False)


def _leave() -> None:
    """Sends what is left in all trackers, and ends their hosts."""
    global _has_left
    channels = list(_all)
    deadline = now() + _EXIT_FLUSH
    flushes = [done for channel in channels if (done := channel.begin_flush())]
    for done in flushes:
        done.wait(max(0.0, deadline - now()))
    _has_left = True
    deadline = now() + _EXIT_SHUTDOWN
    for ended in [end_of(channel) for channel in channels if channel.link.io.is_running]:
        ended.wait(max(0.0, deadline - now()))
    for channel in channels:
        channel.link.report_unanswered()
        channel.warnings.finish()


def _leave_worker(**_: object) -> None:
    """A worker of Celery ends."""
    _leave()


atexit.register(_leave)


def end_of(channel: Channel, finish: Callable[[], None] = lambda: None) -> threading.Event:
    """Ends the host of a tracker.

    :returns: An event that is set when the host has ended, after `finish` was called.
    """
    ended = threading.Event()

    def end() -> None:
        finish()
        ended.set()

    channel.shut_down(end)
    return ended


def _become_child() -> None:
    global _has_left
    _has_left = False
    # One that fails keeps no other from its turn.
    with ExitStack() as turns:
        for channel in list(_all):
            turns.callback(channel.become_child)


os.register_at_fork(after_in_child=_become_child)
