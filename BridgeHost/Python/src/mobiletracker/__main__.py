"""`python -m mobiletracker`: which package this is, which host or agent it uses, and what waits to be sent."""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

from . import __version__
from ._agent import Agent, explain_agent, find_agent, is_absence, usual_places
from ._fault import client_text
from ._find import find_host
from ._hooks import last_message
from .errors import MobileTrackerError

_CLIENTS = {"session": "MobileTracker", "batch": "AnalyticsClient", "endpoint": "BasicTracker"}

_CLIENTS_OF_METRICS = {"tracker": "MobileTracker", "analytics": "AnalyticsClient", "basic": "BasicTracker"}

_ABSENT = "no agent listens there: your program starts a host of its own"
"""What it prints where `auto` finds no agent."""

_READER_HAS_GONE = 141
"""What a program ended by SIGPIPE has for its status."""

_PATIENCE = 10.0
"""How long an agent may take to answer, in seconds."""


def main() -> int:
    """Prints what was asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m mobiletracker",
        description="Says which version this is, which host it would start or which agent it uses, and what waits to be sent.",
    )
    parser.add_argument("--version", action="version", version=f"mobile-tracker {__version__}")
    parser.add_argument(
        "--storage-directory",
        type=Path,
        default=os.environ.get("MOBILE_TRACKER_STORAGE_DIR") or None,
        help="the state folder to look into, if your program sets one; by default all of this user's programs",
    )
    parser.add_argument(
        "--agent",
        default=os.environ.get("MOBILE_TRACKER_AGENT"),
        help="the socket of the agent that your program uses, or auto",
    )
    options = parser.parse_args()
    chosen: Path | None = options.storage_directory
    print(f"version       {__version__}")
    if agent := find_agent(options.agent or False):
        lines, state = _asked(agent)
        while state == "absent" and agent.next:
            agent = agent.next
            lines, state = _asked(agent)
        print(f"agent         {agent.path}")
        for line in lines:
            print(f"              {line}")
        if state == "unusable":
            return 1
        if state == "answers" and not chosen:
            return 0
    elif options.agent == "auto":
        print(f"agent         {' or '.join(map(str, usual_places()))}")
        print(f"              {_ABSENT}")
    try:
        host = find_host()
    except MobileTrackerError as error:
        print(error.message, file=sys.stderr)
        return 1
    print(f"host          {host}")
    network = _network(host)
    if network:
        print(f"              {network}")
    for folder in [Path(chosen)] if chosen else _folders():
        print(f"state folder  {folder}")
        for line in _waiting(host, folder):
            print(f"              {line}")
    return 1 if network else 0


def _asked(agent: Agent) -> tuple[list[str], Literal["answers", "absent", "unusable"]]:
    """What an agent answers, who may connect to it and what waits in it; or why it cannot be used."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_PATIENCE)
            connection.connect(os.fspath(agent.path))
            reader = connection.makefile("r")
            info, metrics = (_answer(connection, reader, method) for method in ("host.info", "host.metrics"))
    except OSError as error:
        if agent.is_optional and is_absence(error):
            return [_ABSENT], "absent"
        reason = explain_agent(agent.path, error)
        if reason is None and isinstance(error, TimeoutError):
            reason = f"it has not answered for {_PATIENCE:.0f} s: it was stopped, or its disk does not answer"
        return [reason or f"it cannot be used: {error}. Start it with: BridgeHost --listen {agent.path}"], "unusable"
    except ValueError as error:
        return [f"it cannot be used: {error}"], "unusable"
    status = agent.path.stat()
    group = f", group {status.st_gid}" if status.st_mode & 0o060 == 0o060 else ""
    who = f"user {status.st_uid}{group}" + (" and root" if status.st_uid != 0 else "")
    door = f"it serves {who} (mode {stat.S_IMODE(status.st_mode):04o})"
    return [f"mobile-tracker {info['version']} answers", door, *_queues(metrics["text"])], "answers"


def _answer(connection: socket.socket, reader: Any, method: str) -> dict[str, Any]:
    """Makes one call.

    :raises ValueError: With what the agent says instead.
    """
    try:
        connection.sendall(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method}).encode() + b"\n")
    except BrokenPipeError:
        pass  # What it has said before is still to be read.
    line = reader.readline()
    if not line:
        raise ValueError(client_text("connectionClosed"))
    message = json.loads(line)
    if "result" not in message:
        raise ValueError(message["error"]["message"])
    result: dict[str, Any] = message["result"]
    return result


def _queues(text: str) -> list[str]:
    """What waits in the queues that an agent has open, by its metrics."""
    lines = []
    for client, name in _CLIENTS_OF_METRICS.items():
        values = {
            metric: int(number)
            for metric, number in re.findall(rf'^mobile_tracker_(\w+){{client="{client}"}} (\d+)$', text, re.MULTILINE)
        }
        if "queued_records" not in values:
            continue
        state = "; delivery is halted, since the server refuses the key or the address" if values.get("deliveries_halted") else ""
        if values.get("disks_failing"):
            state += "; the disk refuses what is tracked"
        lines.append(f"{name}: {_waits(values['queued_records'])}{state}")
    return lines or ["it has no queue open: nothing waits"]


def _folders() -> list[Path]:
    """The state folders of this user's programs."""
    home = os.environ.get("HOME") or os.path.expanduser("~")
    is_apple = sys.platform == "darwin"
    state = "" if is_apple else os.environ.get("XDG_STATE_HOME", "")
    usual = os.path.join(home, "Library/Application Support" if is_apple else ".local/state")
    root = Path(state if os.path.isabs(state) else usual, "mobile-tracker")
    try:
        return sorted(folder for folder in root.iterdir() if folder.is_dir())
    except OSError:
        return []  # Nothing was tracked yet.


def _network(host: Path) -> str:
    """Why the host cannot send anything, and what to do; empty if it can."""
    command = [str(host), "--version", "--log-format", "json"]
    try:
        match json.loads(subprocess.run(command, capture_output=True, text=True, timeout=10).stdout):
            case {"problem": str(problem)}:
                return problem
    except (OSError, ValueError, subprocess.SubprocessError):
        pass  # What is wrong with it is said of its folders.
    return ""


def _waiting(host: Path, folder: Path) -> list[str]:
    """What waits in a state folder, one line for each queue."""
    try:
        command = [str(host), "--inspect", str(folder), "--log-format", "json"]
        inspected = subprocess.run(command, capture_output=True, timeout=10)
        report: dict[str, Any] = json.loads(inspected.stdout)
        if error := report.get("error"):
            return [f"cannot be read: {error}"]
        return [_line(lane) for lane in report["lanes"]] or ["nothing was tracked yet"]
    except ValueError:
        return [f"cannot be read: {last_message(inspected.stderr)}"]
    except (OSError, subprocess.SubprocessError) as error:
        return [f"cannot be read: {error}"]


def _line(lane: dict[str, Any]) -> str:
    # The owner of an analytics queue is a fingerprint of its key.
    brand = f" {lane['owner']}" if lane["kind"] == "session" else ""
    return f"{_CLIENTS.get(lane['kind'], lane['kind'])}{brand} to {lane['origin']}: {_waits(lane['queued'])}"


def _waits(queued: int) -> str:
    return "nothing waits" if queued == 0 else "1 event waits" if queued == 1 else f"{queued} events wait"


def _main_for_a_reader() -> int:
    """Ends quietly if the reader wants no more, as `head` does."""
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _READER_HAS_GONE
    return code


if __name__ == "__main__":
    sys.exit(_main_for_a_reader())
