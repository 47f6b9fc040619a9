"""What the tests of agents share: an agent that runs, and a client without the package."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import time
import unittest
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .support import GUARD, PATIENT, host_path


class AgentProcess:
    """A real agent with a state folder of its own; it is killed after the test."""

    def __init__(
        self,
        test: unittest.TestCase,
        folder: Path,
        *arguments: str,
        prefix: Sequence[str] = (),
        waits: bool = True,
        **options: Any,
    ) -> None:
        """
        :param prefix: A command that runs it.
        :param waits: Whether to wait until it listens.
        """
        self.path = folder / "agent.sock"
        self.state = folder / "state"
        self._log = folder / f"agent-{time.monotonic_ns()}.log"
        command = [*prefix, str(host_path()), "--listen", str(self.path), "--storage-dir", str(self.state)]
        with self._log.open("w") as log:
            self.process = subprocess.Popen([*command, *PATIENT, *arguments], stderr=log, **options)
        test.addCleanup(self._clean)
        if waits:
            self.wait_until_it_listens()

    @property
    def log(self) -> str:
        """What it has logged."""
        return self._log.read_text()

    def wait_until_it_listens(self) -> None:
        """Returns as soon as a client can connect."""
        deadline = time.monotonic() + GUARD
        while "Listening" not in self.log:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"The agent does not listen: {self.log}")
            select.select([], [], [], 0.005)

    def status(self, name: str) -> int:
        """A number of `/proc/PID/status`."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith(f"{name}:")).split()[1])

    def end(self, number: int = signal.SIGTERM) -> int:
        """Sends it a signal, and waits for its end."""
        self.process.send_signal(number)
        return self.process.wait(GUARD)

    def _clean(self) -> None:
        self.process.kill()
        self.process.wait()


class Connection:
    """A client that has nothing but a socket."""

    def __init__(self, place: Path | str | socket.socket) -> None:
        """
        :param place: The agent's socket, or one that is connected.
        """
        self.socket = place if isinstance(place, socket.socket) else socket.socket(socket.AF_UNIX)
        self.socket.settimeout(GUARD)
        if not isinstance(place, socket.socket):
            self.socket.connect(os.fspath(place))
        self._reader = self.socket.makefile("rb")
        self._count = 0

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends it."""
        self._reader.close()
        self.socket.close()

    def send(self, method: str, *params: Any) -> int:
        """Makes a call; returns its id."""
        self._count += 1
        message = {"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}
        self.socket.sendall(json.dumps(message).encode() + b"\n")
        return self._count

    def read(self) -> Any:
        """The next message; None at the end."""
        line = self._reader.readline()
        return json.loads(line) if line else None

    def read_bytes(self, count: int) -> bytes:
        """So many bytes."""
        return self._reader.read(count)

    def call(self, method: str, *params: Any) -> Any:
        """Makes a call, and waits for its result."""
        number = self.send(method, *params)
        answer = self.read()
        if answer is None or answer["id"] != number or "error" in answer:
            raise AssertionError(f"{method}: {answer}")
        return answer["result"]


class Supervisor:
    """Starts an agent again whenever it ends, as systemd does."""

    def __init__(self, command: Sequence[str]) -> None:
        # When it is told to end, it ends the agent that runs.
        loop = "trap 'kill -9 $PID; exit 0' TERM\nwhile :; do \"$@\" & PID=$!; wait $PID; done"
        self._process = subprocess.Popen(["/bin/sh", "-c", loop, "sh", *command], stderr=subprocess.DEVNULL)

    def end(self) -> None:
        """Ends the agent, for good."""
        self._process.terminate()
        self._process.wait(GUARD)
