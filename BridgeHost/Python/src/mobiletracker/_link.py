"""The link to the host."""

from __future__ import annotations

from collections.abc import Callable

from ._call import ENVELOPE, Call
from ._fault import client_text
from ._host_loop import PROTOCOL_VERSION, HostLoop, LinkOptions
from ._io_thread import IOThread
from ._limits import Backlog
from ._recovery import Recovery
from .errors import host_exited

__all__ = ["PROTOCOL_VERSION", "HostLink", "LinkOptions"]


class HostLink:
    """Makes calls to the host, which starts with the first one. Calls reach it in the order in which they are made. Any
    thread may use it."""

    def __init__(self, options: LinkOptions) -> None:
        self._options = options
        self.recovery = Recovery()
        """The calls that a new host needs first."""
        self._loop = HostLoop(options, self.recovery)

    @property
    def io(self) -> IOThread:
        """The thread that talks to the host."""
        return self._loop.io

    @property
    def backlog(self) -> Backlog:
        """The calls that have no answer yet."""
        return self._loop.backlog

    @property
    def is_busy(self) -> bool:
        """Whether a call has no answer yet."""
        return len(self._loop.calls) > 0

    @property
    def host(self) -> int | None:
        """The process of the host, if there is one."""
        host = self._loop.host
        return host.pid if host else None

    @property
    def is_away(self) -> bool:
        """Whether it is being connected to an agent. What the agent has, it delivers meanwhile."""
        return self._loop.is_away

    @property
    def max_message_bytes(self) -> int:
        """The longest message that the host accepts, as far as it is known."""
        return self._loop.max_message_bytes

    @property
    def max_params_bytes(self) -> int:
        """The longest params of a call that the host accepts, as far as it is known."""
        return self.max_message_bytes - ENVELOPE

    def call(self, call: Call, *, waits: bool, is_bounded: bool = False) -> bool:
        """Makes a call.

        :param waits: Whether to wait while too many calls have no answer yet.
        :param is_bounded: Whether the call may be refused then.
        :returns: False if it was refused.
        """
        loop = self._loop
        is_hopeless = loop.watch.is_silent or loop.crashes.is_obstructed
        waits = waits and not loop.io.is_current and not is_hopeless
        if not loop.backlog.add(len(call.params), waits=waits, is_bounded=is_bounded):
            return False
        loop.io.post(loop.add, call)
        return True

    def subscribe(self, topic: str) -> None:
        """Asks this host, and those that follow it, for notifications of this kind."""
        # A program that forks before the thread takes it has it in the child too.
        self.recovery.subscribe(topic)
        self.io.post(self._loop.subscribe, topic)

    def shut_down(self, ended: Callable[[], None], *, forgets: bool = True) -> None:
        """Lets the host send for its 1.5 s and end. A later call starts another host.

        :param ended: Called when it has ended.
        :param forgets: Whether the next host starts without clients. If not, the process is ending, and the thread stays
            for calls that exit functions make: at that time no other can be started.
        """
        self._loop.forgets = forgets
        if self.io.is_running:
            return self.io.post(self._loop.shut_down, ended)
        # There is no host. At the end of the interpreter no thread can be started, so this must not need one.
        self._loop.forget()
        ended()

    def when_quiet(self, action: Callable[[], None]) -> None:
        """Runs an action on the I/O thread once every call made before has ended."""
        self.io.post(self._loop.when_quiet.append, action)

    def report_unanswered(self) -> None:
        """Warns of calls that have no answer when the program ends."""
        count = sum(1 for call in self._loop.calls if call.site and call.repeats)
        if count:
            self._options.warn(client_text("lostAtEnd", one="" if count == 1 else None, calls=count))

    def become_child(self) -> None:
        """After a fork, in the child: the host and its calls stay the parent's. The next call starts another host, with
        the same clients: also with those whose setup has no answer yet."""
        parent = self._loop
        untaken = parent.io.abandon(Call)
        for call in untaken:
            call.id = parent.next_id
            parent.next_id += 1
        self._loop = HostLoop(self._options, self.recovery, joined=parent.joined, next_id=parent.next_id)
        open_calls = [*parent.calls, *untaken]
        for host in parent.processes:
            host.abandon()
        for call in open_calls:
            # What the parent's host does of it, the child's host has to do as well.
            self.recovery.record_answer(call, {}, is_answered=False)
            if not call.site:
                call.answer({})  # A call that was kept while its client was off is not kept once more.
                continue
            call.is_watched = True  # It has not failed: the parent goes on with it, and warns if it fails there.
            call.fail(host_exited("this process was forked, and its parent goes on with the call", call.method))
