"""A connection to the agent of this machine."""

from __future__ import annotations

import errno
import json
import os
import selectors
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ._call import Call
from ._fault import client_text
from ._find import HostEnd
from ._io_thread import IOThread
from ._process import READ, LineBuffer, LineWriter

_SOCKET = Path("mobile-tracker") / "agent.sock"
"""What an agent is called at the places where one is looked for."""

_OF_THE_MACHINE = Path("/run")
"""Where the agent of the machine has its folder."""

_LONGEST_PATH = 107 if sys.platform == "linux" else 103
"""How many bytes the path of a socket may have (`sun_path` less its end, in `sys/un.h`)."""

_REFUSED = "CONNECTION_REFUSED"
"""The code of the line with which an agent refuses a client."""


@dataclass(frozen=True, slots=True)
class Agent:
    """Where the agent of this machine is."""

    path: Path
    is_optional: bool
    """Whether the next one is connected to where none listens, or else a host is started."""
    next: Agent | None = None
    """Where else to look then."""


def find_agent(option: str | os.PathLike[str] | Literal[False] | None) -> Agent | None:
    """Says which agent to connect to: that of the option, else that of `MOBILE_TRACKER_AGENT`. `auto` is the usual places,
    and a host of the program's own where none listens.

    :returns: None if the program has a host of its own.
    """
    if option is False:
        return None
    name = os.environ.get("MOBILE_TRACKER_AGENT") if option is None else option
    if not name:
        return None
    if name != "auto":
        return Agent(Path(name).absolute(), is_optional=False)
    agent = None
    for path in reversed(usual_places()):
        if os.path.exists(path) if path == _OF_THE_MACHINE / _SOCKET else _is_of_this_user(path):
            agent = Agent(path, is_optional=True, next=agent)
    return agent


def usual_places() -> list[Path]:
    """Where `auto` looks for an agent: the user's own, then that of the machine."""
    folder = os.environ.get("XDG_RUNTIME_DIR")
    return [*([Path(folder) / _SOCKET] if folder else []), _OF_THE_MACHINE / _SOCKET]


def _is_of_this_user(path: Path) -> bool:
    """Whether this user has made what is there. After `sudo` or `su`, `XDG_RUNTIME_DIR` may be the folder of another user,
    whose agent is not to get this one's key; if it is closed, nothing is seen in it.
    """
    try:
        return os.stat(path).st_uid == os.geteuid()
    except OSError:
        return False


def ignored_arguments(agent: Agent | None, arguments: Sequence[str]) -> str | None:
    """Says that a program gives arguments to a host that it does not start; None if it may start one."""
    if agent is None or agent.is_optional or not arguments:
        return None
    return client_text("ignoredArguments", path=agent.path)


def is_absence(error: OSError | None) -> bool:
    """Whether an error says that no agent listens there."""
    return error is not None and error.errno in (errno.ENOENT, errno.ECONNREFUSED)


def explain_agent(path: Path, error: OSError | None) -> str | None:
    """Says in a sentence why an agent cannot be used; None if another try may succeed."""
    if isinstance(error, Refusal):
        return client_text("agentRefuses", path=path, how=error) if error.is_final else None
    if error is None:
        return None
    match error.errno:
        case errno.EACCES | errno.EPERM:
            return client_text("agentForbidden", path=path)
        case errno.ENOTSOCK | errno.EPROTOTYPE:
            return client_text("notListening", path=path)
        case errno.ECONNREFUSED if path.exists() and not path.is_socket():
            return client_text("noSocket", path=path, folder="" if path.is_dir() else None)
        case None if len(os.fsencode(path)) > _LONGEST_PATH:
            return client_text("longPath", path=path)
        case _:
            return None


class Refusal(OSError):
    """The agent refuses this client."""

    def __init__(self, message: str, *, is_final: bool) -> None:
        """
        :param is_final: Whether another try would be refused as well.
        """
        super().__init__(message)
        self.is_final = is_final


class AgentConnection:
    """One connection to an agent. It is used as a host of the program's own is: see `HostProcess`.

    Its end says nothing of the agent's other clients, and what the agent has taken it still delivers. Only the I/O thread
    uses this object.
    """

    def __init__(
        self,
        io: IOThread,
        path: Path,
        *,
        on_lines: Callable[[list[str]], None],
        on_end: Callable[[HostEnd], None],
    ) -> None:
        """
        :param on_lines: Called with the lines that have arrived.
        :param on_end: Called once, after the last line.
        :raises OSError: If there is no agent, or it has too many clients that wait.
        """
        self._io = io
        self._on_lines = on_lines
        self._on_end = on_end
        self.name = client_text("agentName", path=path)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.setblocking(False)
        try:
            self._socket.connect(os.fspath(path))
        except OSError:
            self._socket.close()
            raise
        self._writer = LineWriter(self._socket.send)
        self._lines = LineBuffer()
        self._error: OSError | None = None
        self._has_ended = False
        io.watch(self._socket.fileno(), selectors.EVENT_READ, self._ready)

    @property
    def pid(self) -> int | None:
        """No process of this program."""
        return None

    def send(self, call: Call) -> None:
        """Queues a call for the next `flush`, unless the connection has ended."""
        if not self._has_ended:
            self._writer.send(call)

    def flush(self) -> None:
        """Writes what the socket accepts."""
        try:
            self._writer.flush()
        except BlockingIOError:
            self._watch(selectors.EVENT_READ | selectors.EVENT_WRITE)
        except OSError:
            self._read_rest()  # What the agent said last is still to be read.

    def kill(self) -> None:
        """Ends the connection at once."""
        self._io.post(lambda _: self._finish())

    def abandon(self) -> None:
        """After a fork, in the child: closes the copy of the parent's socket."""
        self._socket.close()

    def _watch(self, events: int) -> None:
        self._io.watch(self._socket.fileno(), events, self._ready)

    def _ready(self, events: int) -> None:
        if self._has_ended:
            return
        if events & selectors.EVENT_WRITE:
            self._watch(selectors.EVENT_READ)
            self.flush()
        if events & selectors.EVENT_READ and not self._has_ended:
            self._read()

    def _read(self) -> bool:
        """Reads some; False if there is nothing now."""
        try:
            chunk = self._socket.recv(READ)
        except BlockingIOError:
            return False
        except OSError as error:
            self._error = self._error or error
            chunk = b""
        if not chunk:
            self._emit(self._lines.rest())
            self._finish()
            return False
        self._emit(self._lines.push(chunk))
        return True

    def _read_rest(self) -> None:
        while not self._has_ended and self._read():
            pass
        self._finish()

    def _emit(self, lines: list[str]) -> None:
        if lines := [line for line in lines if not self._refuses(line)]:
            self._on_lines(lines)

    def _refuses(self, line: str) -> bool:
        """Keeps the reason if the agent refuses this client."""
        if _REFUSED not in line:
            return False
        try:
            message = json.loads(line)
            error = message["error"]
            if message["id"] is not None or error["data"]["code"] != _REFUSED:
                return False
            self._error = Refusal(error["message"], is_final=error["data"]["retryable"] is False)
        except (ValueError, LookupError, TypeError):
            return False  # An answer that has this word.
        return True

    def _finish(self) -> None:
        if self._has_ended:
            return
        self._has_ended = True
        self._writer.clear()
        self._io.watch(self._socket.fileno(), 0, lambda _: None)
        self._socket.close()
        self._on_end(HostEnd(error=self._error, how=client_text("connectionClosed")))
