"""The package: its types, its parity with the host, and the wheel."""

from __future__ import annotations

import inspect
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import unittest
import venv
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from unittest import mock

from .agents import AgentProcess, Connection
from .support import GUARD, KEY, PACKAGE, SOURCE, TestCase, host_path, run_program, snake

import mobiletracker  # isort: skip
from mobiletracker import AnalyticsCallOptions, AsyncMobileTracker, MobileTracker, OutgoingCall  # isort: skip
from mobiletracker.testing import AsyncTestTracker, TestTracker  # isort: skip
from mobiletracker._link import PROTOCOL_VERSION  # isort: skip
from mobiletracker._row import Gives  # isort: skip
from mobiletracker._table import ROWS, VERSION  # isort: skip

LONG = 600.0
"""How long pip may take, in seconds."""


def ask(method: str) -> Any:
    """What the host answers to a question that needs no tracker."""
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method}) + "\n"
    answer = subprocess.run([host_path()], input=line, capture_output=True, text=True, check=True, timeout=GUARD)
    return json.loads(answer.stdout)["result"]


class ParityTests(unittest.TestCase):
    """The client and the host agree."""

    def test_on_all_methods_and_their_params(self) -> None:
        tracker, other = TestTracker(), AsyncTestTracker()
        described = ask("rpc.discover")["methods"]
        methods = [each for each in described if each["name"] in ROWS or not re.match("(host|rpc)[.]", each["name"])]

        stale = "the client's table is not what the host's says: build the host, and run make generate"
        self.assertEqual({method["name"] for method in methods}, set(ROWS), stale)
        for method in methods:
            client, _, name = method["name"].rpartition(".")
            names = [snake(param["name"]) for param in method["params"]]
            for owner in (tracker, other):
                # The link says `repeats`. What records calls is behind the functions of a tracker for tests.
                caller = getattr(owner, "_record" if client == "record" else client) if client else owner
                function = getattr(caller, snake(name))
                # The members of `options` are keywords too, but for those that are arguments.
                keywords = AnalyticsCallOptions.__annotations__ if "options" in names and "message_id" in names else ()
                with self.subTest(method["name"], owner=owner):
                    given = [*inspect.signature(function).parameters]
                    others = [keyword for keyword in keywords if keyword == snake(keyword)]
                    also = [keyword for keyword in others if keyword != names[0].removeprefix("new_")]
                    arguments = [name for name in names if name not in ("scope", "repeats")]
                    self.assertEqual(given, [*arguments[:-1], *also, *arguments[-1:]], stale)
                    self.assertTrue(function.__doc__)

    def test_on_what_before_send_sees(self) -> None:
        for row in ROWS.values():
            if row.gives is Gives.OUTCOME:
                for name in {param.member for param in row.params} - {"options"}:
                    edit = "add one to OutgoingCallType.swift (Docs/Contributing.md, \"Adding a method\")"
                    self.assertIn(name, OutgoingCall.__annotations__, f"{row.method}: OutgoingCall has no such member: {edit}")

    def test_on_the_version_of_the_protocol_and_of_the_product(self) -> None:
        info = ask("host.info")

        self.assertEqual((info["protocolVersion"], info["version"]), (PROTOCOL_VERSION, VERSION))

    def test_every_public_name_is_there(self) -> None:
        for name in mobiletracker.__all__:
            self.assertTrue(hasattr(mobiletracker, name), name)


class MockTests(unittest.TestCase):
    """A stand-in for a tracker in the tests of a program."""

    def test_has_the_calls_of_all_three_clients_and_refuses_others(self) -> None:
        for tracker in (MobileTracker, AsyncMobileTracker):
            for stand_in in (mock.create_autospec(tracker, instance=True), mock.create_autospec(tracker)()):
                stand_in.track("A", {"a": 1})
                stand_in.analytics.track("B", {}, user_id="u1")
                stand_in.basic.identify("u2")

                stand_in.analytics.track.assert_called_once_with("B", {}, user_id="u1")
                with self.assertRaises(AttributeError):
                    stand_in.analytics.trak("B")
                with self.assertRaises(TypeError):
                    stand_in.analytics.track("B", usr_id="u1")


class TypeTests(unittest.TestCase):
    """The types, for a program that is checked."""

    def test_mypy_finds_nothing(self) -> None:
        if not shutil.which("mypy", path=Path(sys.executable).parent):
            self.skipTest("mypy is not installed; .ci/setup tests does that")
        command = [sys.executable, "-m", "mypy", "--strict", "src", "tests"]
        checked = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True, timeout=LONG)

        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_a_wrong_option_is_found_and_a_right_one_is_not(self) -> None:
        if not shutil.which("mypy", path=Path(sys.executable).parent):
            self.skipTest("mypy is not installed; .ci/setup tests does that")
        source = (
            "from mobiletracker import AsyncMobileTracker, MobileTracker, Outcome\n"
            "from typing_extensions import assert_type\n"
            "tracker = MobileTracker()\n"
            'tracker.init("925", {"api_url": "u", "x_api_key": "k", "retry_delay_ms": 10})\n'
            'tracker.init("925", {"api_ulr": "u"})\n'
            'tracker.init("925", {"apiUrl": "u", "x_api_key": "k", "device": {"osName": "Linux"}})\n'
            'tracker.analytics.initialize({"writeKey": "w", "ingestionHost": "u", "retryDelayMs": 10})\n'
            'tracker.analytics.track("A", options={"userId": 7, "group_id": "g"})\n'
            'tracker.basic.initialize("k", "u", "1", {"maxQueueSize": "ten"})\n'
            'tracker.set_consent("maybe")\n'
            'tracker.analytics.track("A", {}, user_id="u", context={"a": 1})\n'
            'tracker.analytics.track("A", {}, user_id=None)\n'
            'tracker.analytics.trak("A")\n'
            "assert_type(tracker.get_session_id(), str | None)\n"
            'assert_type(tracker.track("A").outcome(), Outcome)\n'
            "async def work() -> None:\n"
            '    assert_type(await AsyncMobileTracker().track("A"), Outcome)\n'
        )
        command = [sys.executable, "-m", "mypy", "--strict", "-c", source]
        checked = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, timeout=LONG)

        self.assertEqual(re.findall(r"^<string>:(\d+): error", checked.stdout, re.M), ["5", "9", "10", "12", "13"], checked.stdout)


class CommandTests(TestCase):
    """`python -m mobiletracker`."""

    def test_prints_the_version_and_the_host_that_it_finds(self) -> None:
        version = self.run_command("--version")
        host = self.run_command(MOBILE_TRACKER_HOST="/bin/true", XDG_STATE_HOME="/nowhere")
        none = self.run_command(MOBILE_TRACKER_HOST="/nowhere")

        self.assertEqual((version.returncode, version.stdout), (0, f"mobile-tracker {VERSION}\n"))
        self.assertEqual((host.returncode, host.stdout), (0, f"version       {VERSION}\nhost          /bin/true\n"))
        self.assertEqual(none.returncode, 1)
        self.assertIn("/nowhere (MOBILE_TRACKER_HOST)", none.stderr)

    def test_says_what_waits_in_the_state_folders(self) -> None:
        shop = self.folder / "mobile-tracker/shop"
        tracker = MobileTracker(host_path=host_path(), host_arguments=["--storage-dir", str(shop)], stderr="ignore")
        self.addCleanup(tracker.close)
        collector = self.start_collector()
        tracker.init("925", collector.config())
        collector.faults(["503×always"])
        for _ in range(2):
            tracker.track("A").outcome(GUARD)
        tracker.close()
        (self.folder / "mobile-tracker/empty").mkdir()

        environment = {"MOBILE_TRACKER_HOST": str(host_path()), "XDG_STATE_HOME": str(self.folder)}
        everything = self.run_command(**environment)
        one = self.run_command("--storage-directory", str(shop), **environment)

        own = f"state folder  {shop}\n              MobileTracker 925 to {collector.url}: 2 events wait\n"
        other = f"state folder  {shop.parent / 'empty'}\n              nothing was tracked yet\n"
        head = f"version       {VERSION}\nhost          {host_path()}\n"
        self.assertEqual(everything.stdout, head + other + own)
        self.assertEqual(one.stdout, head + own)

    def test_says_that_libcurl_is_too_old_and_what_to_install(self) -> None:
        info = 'struct { int age; const char *version; unsigned number; } info = { 10, "7.68.0", 0x074400 };'
        (self.folder / "curl.c").write_text(f"{info}\nvoid *curl_version_info(int now) {{ return &info; }}\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", "libcurl.so.4", "curl.c"], cwd=self.folder, check=True)

        old = self.run_command(
            MOBILE_TRACKER_HOST=str(host_path()), XDG_STATE_HOME="/nowhere", LD_LIBRARY_PATH=str(self.folder)
        )

        self.assertEqual(old.returncode, 1)
        self.assertIn("libcurl cannot be loaded: it is of version 7.68.0. Install libcurl 7.74 or newer", old.stdout)

    def test_says_of_libcurl_what_the_host_says_as_json_and_nothing_of_another_host(self) -> None:
        host = self.folder / "BridgeHost"
        says = ('{"name": "mobile-tracker", "problem": "No libcurl."}', '["libcurl"]', "mobile-tracker 0.0.9\nlibcurl is missing.")
        for text, expected in zip(says, ["              No libcurl.\n", "", ""], strict=True):
            with self.subTest(text):
                host.write_text(f"#!/bin/sh\necho '{text}'\n")
                host.chmod(0o755)
                told = self.run_command(MOBILE_TRACKER_HOST=str(host), XDG_STATE_HOME="/nowhere")

                self.assertEqual(told.returncode, 1 if expected else 0)
                self.assertEqual(told.stdout, f"version       {VERSION}\nhost          {host}\n{expected}")

    def test_says_why_the_host_cannot_read_a_folder(self) -> None:
        host = self.folder / "BridgeHost"
        entry = json.dumps({"level": "error", "message": "the state folder is locked", "at": "2025-11-27T10:30:00.000Z"})
        cases = ((f"A library starts.\n{entry}\nA library ends.", "the state folder is locked"), ("one\ntwo", "two"))
        for printed, words in cases:
            with self.subTest(words):
                (self.folder / "log").write_text(printed)
                host.write_text(f"#!/bin/sh\n[ \"$1 $3 $4\" = '--inspect --log-format json' ] && cat '{self.folder}/log' >&2\nexit 1\n")
                host.chmod(0o755)
                told = self.run_command("--storage-directory", str(self.folder), MOBILE_TRACKER_HOST=str(host))

                self.assertIn(f"state folder  {self.folder}\n              cannot be read: {words}\n", told.stdout)

    def test_asks_the_agent_of_the_program_instead_of_a_host(self) -> None:
        agent = AgentProcess(self, self.folder)
        collector = self.start_collector()
        collector.faults(["503×always"])
        environment = {"MOBILE_TRACKER_HOST": "/nowhere", "MOBILE_TRACKER_AGENT": str(agent.path)}
        idle = self.run_command(**environment)
        tracker = MobileTracker(agent=agent.path)
        self.addCleanup(tracker.close)
        tracker.basic.initialize(KEY, f"{collector.url}/events", options={"retry_delay_ms": 10})
        self.assertEqual(tracker.basic.track("A").outcome(GUARD).status, "queued")
        busy = self.run_command("--agent", str(agent.path), MOBILE_TRACKER_HOST="/nowhere")

        user = os.geteuid()
        head = (
            f"version       {VERSION}\nagent         {agent.path}\n              mobile-tracker {VERSION} answers\n"
            f"              it serves user {user}{' and root' if user else ''} (mode 0600)\n"
        )
        self.assertEqual((idle.returncode, idle.stdout), (0, f"{head}              it has no queue open: nothing waits\n"))
        self.assertEqual((busy.returncode, busy.stdout), (0, f"{head}              BasicTracker: 1 event waits\n"))

    def test_says_why_an_agent_cannot_be_used(self) -> None:
        agent = AgentProcess(self, self.folder, "--max-connections", "1")
        with Connection(agent.path) as first:
            first.call("host.info")
            full = self.run_command("--agent", str(agent.path))
        absent = self.run_command("--agent", str(self.folder / "none"))
        folder = self.run_command("--agent", str(self.folder))
        nowhere = {"XDG_RUNTIME_DIR": "/nowhere", "XDG_STATE_HOME": "/nowhere"}
        auto = self.run_command("--agent", "auto", MOBILE_TRACKER_HOST="/bin/true", **nowhere)

        self.assertEqual([full.returncode, absent.returncode, folder.returncode, auto.returncode], [1, 1, 1, 0])
        self.assertIn("it cannot be used: 1 client is connected, and no more may be", full.stdout)
        self.assertIn(f"Start it with: BridgeHost --listen {self.folder}/none", absent.stdout)
        self.assertIn("it is a folder, and no socket", folder.stdout)
        self.assertIn(
            "agent         /nowhere/mobile-tracker/agent.sock or /run/mobile-tracker/agent.sock\n"
            "              no agent listens there: your program starts a host of its own\nhost          /bin/true\n",
            auto.stdout,
        )

    def test_ends_quietly_when_its_reader_wants_no_more(self) -> None:
        reading, writing = os.pipe()
        os.close(reading)
        try:
            ended = subprocess.run(
                [sys.executable, "-m", "mobiletracker"], stdout=writing, stderr=subprocess.PIPE, text=True, timeout=GUARD,
                env={**os.environ, "PYTHONPATH": str(SOURCE), "MOBILE_TRACKER_HOST": "/bin/true"},
            )
        finally:
            os.close(writing)

        self.assertEqual((ended.returncode, ended.stderr), (141, ""))

    def run_command(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs it."""
        run = f"import runpy, sys; sys.argv[1:] = {arguments!r}; runpy.run_module('mobiletracker', run_name='__main__')"
        return run_program(run, **environment)


class WheelTests(TestCase):
    """The wheel, installed where there is nothing of this repository."""

    def test_tracks_the_readmes_event_in_a_fresh_environment(self) -> None:
        wheel = self.distributed() or self.built()
        self.assertRegex(wheel.name, rf"^mobiletracker-{re.escape(VERSION)}-py3-none-(manylinux|linux|macosx)_\w+\.whl$")
        self.assertLess(wheel.stat().st_size, 8_000_000)

        home = self.folder / "home"
        venv.create(home / "venv", with_pip=True)
        python = home / "venv/bin/python"
        # Isolated: the package's sources in PYTHONPATH would pass for an installed package.
        install = [str(python), "-I", "-m", "pip", "install", "--quiet", "--no-index", str(wheel)]
        installed = subprocess.run(install, capture_output=True, text=True, timeout=LONG)
        self.assertEqual(installed.returncode, 0, installed.stderr)
        collector = self.start_collector()
        text = (PACKAGE / "README.md").read_text()
        example = text.partition("```python\n")[2].partition("```")[0].replace("https://api.example.com", collector.url)
        (home / "shop.py").write_text(example)
        ended = subprocess.run(
            [python, "shop.py"],
            cwd=home,
            env={"PATH": str(home / "venv/bin"), "HOME": str(home)},
            capture_output=True,
            text=True,
            timeout=GUARD,
        )

        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        collector.wait(kind="event")
        self.assertEqual(collector.names(), ["PURCHASE"])
        self.assertEqual(collector.problems(), [])
        self.assertTrue((home / ".local/state/mobile-tracker/shop").is_dir())

    @unittest.skipUnless(sys.platform == "linux" and "DIST" in os.environ, "make dist runs it, on the wheel it has made")
    def test_is_accepted_by_auditwheel_as_one_for_glibc_2_31(self) -> None:
        wheel = self.distributed()
        assert wheel
        tag = f"manylinux_2_31_{platform.machine()}"

        shown = subprocess.run(
            [sys.executable, "-m", "auditwheel", "show", wheel], capture_output=True, text=True, timeout=LONG
        )

        self.assertTrue(wheel.name.endswith(f"-{tag}.whl"), wheel.name)
        self.assertIn(f'consistent with the following platform tag: "{tag}"', " ".join(shown.stdout.split()), shown.stderr)

    def test_is_named_for_the_processor_of_its_host(self) -> None:
        number, name = (0xB7, "aarch64") if platform.machine() == "x86_64" else (0x3E, "x86_64")
        other = self.folder / "BridgeHost"
        other.write_bytes(host_path().read_bytes())
        with other.open("r+b") as file:
            file.seek(18)
            file.write(number.to_bytes(2, "little"))
        script = self.folder / "script"
        script.write_text("#!/bin/sh\n")

        named, refused = (self.wheel_of(host, self.folder / host.name.lower()) for host in (other, script))

        self.assertEqual(named.returncode, 0, named.stderr)
        (wheel,) = (self.folder / "bridgehost").glob("*.whl")
        self.assertRegex(wheel.name, rf"-py3-none-(manylinux_2_31|linux)_{name}[.]whl$")
        self.assertIn("is not a program for Linux on x86_64 or aarch64", refused.stdout + refused.stderr)

    def distributed(self) -> Path | None:
        """What `make dist` has made, if this is about that."""
        folder = os.environ.get("DIST")
        return next(Path(folder).glob("*.whl")) if folder else None

    def built(self) -> Path:
        """A wheel with the host at hand."""
        if needs_toolchain(host_path()):
            self.skipTest(
                "the host at hand needs the Swift toolchain where it runs; make build makes one that does not"
            )
        built = self.wheel_of(host_path(), self.folder / "wheels", strip="strip")
        self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
        return next((self.folder / "wheels").iterdir())

    def wheel_of(self, host: Path, wheels: Path, strip: str = "true") -> subprocess.CompletedProcess[str]:
        """Makes a wheel of a host, from a copy of the sources."""
        try:
            has_setuptools = int(version("setuptools").split(".")[0]) >= 77
        except PackageNotFoundError:
            has_setuptools = False
        if not has_setuptools:
            self.skipTest("setuptools 77 is not installed; .ci/setup tests does that")
        source = self.folder / f"source-{wheels.name}"
        shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("tests", "build", "*.egg-info", "__pycache__"))
        return subprocess.run(
            [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-w", wheels, source],
            env={**os.environ, "MOBILE_TRACKER_HOST": str(host), "STRIP": strip},
            capture_output=True,
            text=True,
            timeout=LONG,
        )


def needs_toolchain(host: Path) -> bool:
    """Whether the host was built for this machine alone, as debug builds are."""
    libraries = subprocess.run(["ldd", host], capture_output=True, text=True).stdout
    return "libswift" in libraries


if __name__ == "__main__":
    unittest.main()
