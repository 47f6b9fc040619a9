"""`python -m mobiletracker`: which package this is, which host it finds, and what waits in the state folders."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from . import __version__
from ._find import find_host
from .errors import MobileTrackerError

_CLIENTS = {"session": "MobileTracker", "batch": "AnalyticsClient", "endpoint": "BasicTracker"}


def main() -> int:
    """Prints what was asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m mobiletracker",
        description="Says which version this is, which host it would start, and what waits to be sent.",
    )
    parser.add_argument("--version", action="version", version=f"mobile-tracker {__version__}")
    parser.add_argument(
        "--storage-directory",
        type=Path,
        default=os.environ.get("MOBILE_TRACKER_STORAGE_DIR"),
        help="the state folder to look into, if your program sets one; by default all of this user's programs",
    )
    chosen: Path | None = parser.parse_args().storage_directory
    print(f"version       {__version__}")
    try:
        host = find_host()
    except MobileTrackerError as error:
        print(error.message, file=sys.stderr)
        return 1
    print(f"host          {host}")
    for folder in [Path(chosen)] if chosen else _folders():
        print(f"state folder  {folder}")
        for line in _waiting(host, folder):
            print(f"              {line}")
    return 0


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


def _waiting(host: Path, folder: Path) -> list[str]:
    """What waits in a state folder, one line for each queue."""
    try:
        inspected = subprocess.run([host, "--inspect", folder], capture_output=True, text=True, timeout=10)
        report: dict[str, Any] = json.loads(inspected.stdout)
        if error := report.get("error"):
            return [f"cannot be read: {error}"]
        return [_line(lane) for lane in report["lanes"]] or ["nothing was tracked yet"]
    except ValueError:
        return [f"cannot be read: {inspected.stderr.strip().partition(chr(10))[0]}"]
    except (OSError, subprocess.SubprocessError) as error:
        return [f"cannot be read: {error}"]


def _line(lane: dict[str, Any]) -> str:
    queued = lane["queued"]
    what = "nothing waits" if queued == 0 else "1 event waits" if queued == 1 else f"{queued} events wait"
    # The owner of an analytics queue is a fingerprint of its key.
    brand = f" {lane['owner']}" if lane["kind"] == "session" else ""
    return f"{_CLIENTS.get(lane['kind'], lane['kind'])}{brand} to {lane['origin']}: {what}"


if __name__ == "__main__":
    sys.exit(main())
