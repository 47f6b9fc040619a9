"""What the tests share: hosts, stand-ins for them, backends, and programs."""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "BridgeHost/Python"
SOURCE = PACKAGE / "src"
NODE_PACKAGE = ROOT / "BridgeHost/Node"

sys.path.insert(0, str(SOURCE))

from mobiletracker import AsyncMobileTracker, MobileTracker, MobileTrackerError  # noqa: E402
from mobiletracker._find import find_host  # noqa: E402

GUARD = 60.0
"""How long a test waits for what never takes long, in seconds."""

PATIENT = ["--shutdown-timeout", "60s"]
"""Gives a host the time to send what is left at its end: on a busy machine the usual 1.5 s may be too short."""

KEY = "api-key-12345678"


def host_path() -> Path:
    """The real host, or the test is skipped."""
    try:
        return find_host()
    except MobileTrackerError as error:
        raise unittest.SkipTest(error.message) from None


def patient_host(folder: Path) -> Path:
    """A host with that time, for programs that give it no arguments: `MOBILE_TRACKER_HOST` names it."""
    path = folder / "patient-host"
    path.write_text(f'#!/bin/sh\nexec \'{host_path()}\' {" ".join(PATIENT)} "$@"\n')
    path.chmod(0o755)
    return path


class _Leaf(dict[str, Any]):
    """A dictionary that raises when it is read very often."""

    reads = 0

    def values(self) -> Any:
        return self._read().values()

    def items(self) -> Any:
        return self._read().items()

    def _read(self) -> dict[str, Any]:
        self.reads += 1
        if self.reads > 100_000:
            raise AssertionError("is read on and on")
        return {**self}


def doubling(around: Callable[[Any], Any] = lambda inner: {"a": inner, "b": inner}, leaf: object = None) -> Any:
    """A value in 40 levels, each of which holds the next twice: what it stands for has no end in practice."""
    value: Any = _Leaf(leaf=leaf)
    for _ in range(40):
        value = around(value)
    return value


class Collector:
    """A backend on this machine that checks what it gets."""

    def __init__(self) -> None:
        options = ["--port", "0", "--json", "--quiet", "--until-stdin-ends"]
        command = ["node", str(NODE_PACKAGE / "bin/mobile-tracker.js"), "collect", *options]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout
        self.url: str = json.loads(self._process.stdout.readline())["url"]

    def close(self) -> None:
        """Ends it."""
        self._process.communicate(timeout=GUARD)

    def clear(self) -> None:
        """Forgets what has come, and does nothing wrong any more."""
        self.faults([])
        self._ask("/clear", b"")

    def config(self, **changes: Any) -> Any:
        """A configuration of `init` for it."""
        return {"api_url": self.url, "x_api_key": KEY, "retry_delay_ms": 10, **changes}

    def faults(self, script: list[str]) -> None:
        """Sets what it does wrong."""
        self._ask("/faults", json.dumps(script).encode())

    def received(self, **which: Any) -> list[dict[str, Any]]:
        """What has come."""
        requests: list[dict[str, Any]] = self._ask(f"/received?{_query(which)}")["requests"]
        return requests

    def wait(self, **which: Any) -> list[dict[str, Any]]:
        """What has come, once there is as much as asked for by `count` or `requests`."""
        requests: list[dict[str, Any]] = self._ask(f"/wait?timeout={GUARD}&{_query(which)}")["requests"]
        return requests

    def names(self, kind: str = "event") -> list[str | None]:
        """The names of what it has taken, in the order in which each came first."""
        requests = self.received(kind=kind, accepted=True, repeats=False)
        return [item["name"] for request in requests for item in request["items"]]

    def problems(self) -> list[str]:
        """What is wrong with the requests that came. Repeats are not: a crash may cause them."""
        return [
            f"{request['path']}: {problem}"
            for request in self.received()
            for problem in [
                *request["problems"],
                *(flag["text"] for flag in request["flags"] if flag["kind"] != "repeat"),
            ]
        ]

    def _ask(self, path: str, body: bytes | None = None) -> Any:
        try:
            with urllib.request.urlopen(self.url + path, body, timeout=GUARD + 10) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path}: {error.read().decode()[:2000]}") from None


def _query(which: dict[str, Any]) -> str:
    return urllib.parse.urlencode({name: json.dumps(value).strip('"') for name, value in which.items()})


class FakeHost:
    """A stand-in for the host that can be made to fail in ways the real one cannot; see testsupport/fake-host.js."""

    path = NODE_PACKAGE / "testsupport/fake-host.js"

    def __init__(self, folder: Path, *lives: dict[str, Any]) -> None:
        self.folder = folder
        (folder / "script.json").write_text(json.dumps({"lives": lives or [{}]}))

    @property
    def lives(self) -> list[list[dict[str, Any]]]:
        """What each host got: the calls of each life."""
        lives: list[list[dict[str, Any]]] = []
        for entry in self._entries():
            if "born" in entry:
                lives.append([])
            elif "method" in entry:
                lives[-1].append(entry)
        return lives

    @property
    def methods(self) -> list[list[str]]:
        """The methods of those calls."""
        return [[call["method"] for call in life] for life in self.lives]

    @property
    def pid(self) -> int:
        """The process that lives now."""
        return int([entry["born"] for entry in self._entries() if "born" in entry][-1])

    def wait_for_end(self) -> None:
        """Returns as soon as the last host has seen the end of its input, or was shut down."""
        deadline = time.monotonic() + GUARD
        while not self._entries() or "ended" not in self._entries()[-1]:
            if time.monotonic() > deadline:
                raise AssertionError("The host does not end.")
            time.sleep(0.005)

    def _entries(self) -> list[dict[str, Any]]:
        path = self.folder / "log.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


class Warned(logging.Handler):
    """What the package warns of while a test runs."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []
        self.levels: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())
        self.levels.append(record.levelname)


class TestCase(unittest.TestCase):
    """A test with folders, warnings and trackers of its own."""

    def setUp(self) -> None:
        # It tells of callbacks that take long, which waiting for a backend does.
        logging.getLogger("asyncio").setLevel(logging.ERROR)
        self.folder = Path(tempfile.mkdtemp(prefix="mobile-tracker-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        warned = Warned()
        self.warnings = warned.messages
        logger = logging.getLogger("mobiletracker")
        logger.addHandler(warned)
        logger.propagate = False
        self.addCleanup(logger.removeHandler, warned)

    def start_collector(self) -> Collector:
        """A backend."""
        collector = Collector()
        self.addCleanup(collector.close)
        return collector

    def fake(self, *lives: dict[str, Any]) -> tuple[MobileTracker, FakeHost]:
        """A tracker with a stand-in for a host that lives these lives; the last is lived again and again."""
        fake = FakeHost(self.folder, *lives)
        tracker = MobileTracker(host_path=fake.path, host_arguments=[str(self.folder)], stderr="ignore")
        self.addCleanup(tracker.close)
        return tracker, fake

    def real(self, **options: Any) -> MobileTracker:
        """A tracker with a host and a state folder of its own."""
        arguments = ["--storage-dir", str(self.folder / "state"), *PATIENT]
        tracker = MobileTracker(host_path=host_path(), host_arguments=arguments, stderr="ignore", **options)
        self.addCleanup(tracker.close)
        return tracker

    def assertRaisesCode(self, code: str) -> Any:
        """Expects an error with that code."""
        return self.assertRaisesRegex(MobileTrackerError, f"^{code}: ")


class AsyncTestCase(unittest.IsolatedAsyncioTestCase, TestCase):
    """The same with an event loop."""

    def fake_async(self, *lives: dict[str, Any]) -> tuple[AsyncMobileTracker, FakeHost]:
        """A tracker with a stand-in for a host."""
        fake = FakeHost(self.folder, *lives)
        tracker = AsyncMobileTracker(host_path=fake.path, host_arguments=[str(self.folder)], stderr="ignore")
        self.addAsyncCleanup(self._close, tracker)
        return tracker, fake

    def real_async(self, **options: Any) -> AsyncMobileTracker:
        """A tracker with a host and a state folder of its own."""
        arguments = ["--storage-dir", str(self.folder / "state"), *PATIENT]
        tracker = AsyncMobileTracker(host_path=host_path(), host_arguments=arguments, stderr="ignore", **options)
        self.addAsyncCleanup(self._close, tracker)
        return tracker

    async def _close(self, tracker: AsyncMobileTracker) -> None:
        await tracker.close()


def run_program(source: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a Python program to its end."""
    return subprocess.run(
        [sys.executable, "-c", source],
        env={**os.environ, "PYTHONPATH": str(SOURCE), **environment},
        capture_output=True,
        text=True,
        timeout=GUARD,
    )


def snake(name: str) -> str:
    """A name of the bridge as it is in Python."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
