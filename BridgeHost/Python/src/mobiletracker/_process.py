"""One running host."""

from __future__ import annotations

import os
import selectors
import subprocess
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from ._call import Call
from ._fault import client_text
from ._find import HostEnd
from ._io_thread import IOThread

_STDERR_KEPT = 4096
"""How many bytes of the host's stderr are kept, to explain why it ended."""

_GRACE = 2.0
"""How long the process may outlive its output, or its output the process, in seconds."""

_CHUNK = 64 * 1024
"""How many bytes go into one write: about the capacity of a pipe."""

READ = 256 * 1024
"""How many bytes are read at a time."""


class LineBuffer:
    """Splits what arrives into lines, in time linear in its length."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []

    def push(self, chunk: bytes) -> list[str]:
        """The lines that end in a piece of the stream; blank ones are left out."""
        head, newline, tail = chunk.rpartition(b"\n")
        lines: list[str] = []
        if newline:
            self._rest.append(head)
            lines = self.rest()
        if tail:
            self._rest.append(tail)
        return lines

    def rest(self) -> list[str]:
        """What is left, at the end of the stream."""
        text = b"".join(self._rest)
        self._rest = []
        return [line for line in text.decode(errors="replace").split("\n") if line and not line.isspace()]


class LineWriter:
    """Writes calls in their order, and no more than is accepted."""

    def __init__(self, write: Callable[[memoryview], int]) -> None:
        self._write = write
        self._queue: deque[Call] = deque()
        self._unwritten = memoryview(b"")

    def send(self, call: Call) -> None:
        """Queues a call for the next `flush`."""
        self._queue.append(call)

    def flush(self) -> None:
        """Writes what is accepted.

        :raises BlockingIOError: If not all is.
        :raises OSError: If nothing is any more.
        """
        while self._queue or self._unwritten:
            if not self._unwritten:
                self._unwritten = memoryview(self._next_chunk())
            self._unwritten = self._unwritten[self._write(self._unwritten) :]

    def clear(self) -> None:
        """Forgets what is not written."""
        self._queue.clear()
        self._unwritten = memoryview(b"")

    def _next_chunk(self) -> bytes:
        """As many calls as go into one write. They may take effect from now on."""
        lines, size = [], 0
        while self._queue and size < _CHUNK:
            call = self._queue.popleft()
            call.is_written = True
            lines.append(call.line)
            size += len(lines[-1])
        return b"".join(lines)


class HostProcess:
    """One running host: writes calls to it, reads its lines, and reports its end.

    It has a session of its own, so Ctrl-C reaches this program alone, which can then finish its calls. The host ends
    when its input ends: when this program ends. Only the I/O thread uses this object.
    """

    def __init__(
        self,
        io: IOThread,
        path: Path,
        arguments: Sequence[str],
        *,
        folder: str | None = None,
        on_stderr: Callable[[bytes], None],
        on_lines: Callable[[list[str]], None],
        on_end: Callable[[HostEnd], None],
    ) -> None:
        """
        :param folder: Where it runs: there its relative arguments lead. Where the program is if it is left out, gone or
            closed.
        :param on_stderr: Receives what the host logs.
        :param on_lines: Called with the lines that have arrived.
        :param on_end: Called once, after the last line.
        :raises OSError: If the process cannot be started.
        """
        self._io = io
        self._on_stderr = on_stderr
        self._on_lines = on_lines
        self._on_end = on_end
        self._child = subprocess.Popen(
            [path, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder if folder and _is_open(folder) else None,
            start_new_session=True,
            bufsize=0,
        )
        assert self._child.stdin and self._child.stdout and self._child.stderr
        self._stdin, self._stdout, self._stderr = self._child.stdin, self._child.stdout, self._child.stderr
        self._writer = LineWriter(partial(os.write, self._stdin.fileno()))
        self._lines = LineBuffer()
        self._stderr_tail = b""
        self._has_closed = False
        self._has_exited = False
        self._has_ended = False
        for stream in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(stream.fileno(), False)
        io.watch(self._stdout.fileno(), selectors.EVENT_READ, lambda _: self._read())
        io.watch(self._stderr.fileno(), selectors.EVENT_READ, lambda _: self._pass_stderr())
        self._exit = self._watch_exit()

    @property
    def pid(self) -> int | None:
        return self._child.pid

    @property
    def name(self) -> str:
        """What it is called in a warning."""
        return client_text("hostName", pid=str(self.pid))

    def send(self, call: Call) -> None:
        """Queues a call for the next `flush`, unless the process has ended."""
        if not self._has_ended:
            self._writer.send(call)

    def flush(self) -> None:
        """Writes what the pipe accepts."""
        try:
            self._writer.flush()
        except BlockingIOError:
            self._io.watch(self._stdin.fileno(), selectors.EVENT_WRITE, lambda _: self._continue())
        except OSError:
            self.kill()  # It closed its input, so no call can reach it.

    def kill(self) -> None:
        """Ends the process at once."""
        self._writer.clear()
        self._child.kill()

    def abandon(self) -> None:
        """After a fork, in the child: closes the copies of the parent's pipes."""
        for stream in (self._stdin, self._stdout, self._stderr):
            stream.close()
        if self._exit >= 0:
            os.close(self._exit)
        self._child.returncode = 0  # Then `Popen` does not wait for it.

    # Writing

    def _continue(self) -> None:
        self._io.watch(self._stdin.fileno(), 0, _ignore)
        self.flush()

    # Reading

    def _read(self) -> None:
        try:
            chunk = os.read(self._stdout.fileno(), READ)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            self._io.watch(self._stdout.fileno(), 0, _ignore)
            self._emit(self._lines.rest())
            self._has_closed = True
            self._io.later(_GRACE, self.kill)
            return self._end_if_over()
        self._emit(self._lines.push(chunk))

    def _emit(self, lines: list[str]) -> None:
        if lines:
            self._on_lines(lines)

    def _read_stderr(self) -> bool:
        """Reads some; False if there is nothing now."""
        try:
            chunk = os.read(self._stderr.fileno(), READ)
        except OSError:  # Nothing is there, or the log cannot be read. Then only the log is lost.
            return False
        if not chunk:
            self._io.watch(self._stderr.fileno(), 0, _ignore)
            return False
        self._stderr_tail = (self._stderr_tail + chunk)[-_STDERR_KEPT:]
        self._on_stderr(chunk)
        return True

    def _pass_stderr(self) -> None:
        self._read_stderr()

    # Ending

    def _watch_exit(self) -> int:
        if hasattr(os, "pidfd_open"):
            try:
                descriptor = os.pidfd_open(self._child.pid)
            except OSError:
                pass  # An old kernel, or a sandbox.
            else:
                self._io.watch(descriptor, selectors.EVENT_READ, lambda _: self._check_exit())
                return descriptor
        self._io.later(0.05, self._check_exit)
        return -1

    def _check_exit(self) -> None:
        if self._has_exited:
            return
        if self._child.poll() is None:
            self._io.later(0.05, self._check_exit)
            return
        self._has_exited = True
        if self._exit >= 0:
            # Another thread may fork in between, and the child closes what this still has.
            descriptor, self._exit = self._exit, -1
            self._io.watch(descriptor, 0, _ignore)
            os.close(descriptor)
        # A child of the host may still have its output open. That must not delay the end for ever.
        self._io.later(_GRACE, self._finish)
        self._end_if_over()

    def _end_if_over(self) -> None:
        if self._has_closed and self._has_exited:
            self._finish()

    def _finish(self) -> None:
        if self._has_ended:
            return
        self._has_ended = True
        self._writer.clear()
        while self._read_stderr():
            pass
        if self._stderr_tail and not self._stderr_tail.endswith(b"\n"):
            self._on_stderr(b"\n")
        for stream in (self._stdin, self._stdout, self._stderr):
            self._io.watch(stream.fileno(), 0, _ignore)
            stream.close()
        status = self._child.returncode
        # It may begin inside a character.
        stderr = self._stderr_tail.decode(errors="replace").lstrip("\ufffd")
        if status < 0:
            self._on_end(HostEnd(signal=-status, stderr=stderr))
        else:
            self._on_end(HostEnd(code=status, stderr=stderr))


def _is_open(folder: str) -> bool:
    """Whether a folder is there, and may be entered: the program may have become another user."""
    is_effective = os.access in os.supports_effective_ids
    return os.path.isdir(folder) and os.access(folder, os.X_OK, effective_ids=is_effective)


def _ignore(_: int) -> None:
    pass
