"""How a program ends."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import unittest
from typing import Any

from .support import GUARD, PATIENT, SOURCE, FakeHost, TestCase, host_path, run_program

CONFIG = {"api_url": "https://api.example.com", "x_api_key": "key"}

PATIENTLY = f"from mobiletracker import _channel\n_channel._EXIT_FLUSH = _channel._EXIT_SHUTDOWN = {GUARD}\n"
"""Has a program wait for its end longer than usual: on a busy machine that may be too short."""


class ExitTests(TestCase):
    """Programs with a stand-in for the host, run to their end."""

    def run_with(
        self, body: str, life: dict[str, Any] | None = None
    ) -> tuple[subprocess.CompletedProcess[str], FakeHost]:
        """Runs a program that has a tracker."""
        fake = FakeHost(self.folder, life or {})
        source = (
            f"import os, sys, threading\nfrom mobiletracker import *\n{PATIENTLY}"
            f"tracker = MobileTracker(host_path={str(fake.path)!r}, host_arguments=[{str(self.folder)!r}])\n"
            f"config = {CONFIG!r}\n{body}"
        )
        return run_program(source), fake

    def test_waits_for_what_was_called_and_sends_what_is_left(self) -> None:
        ended, fake = self.run_with(
            'tracker.init("925", config)\n'
            'tracker.analytics.initialize({"write_key": "w", "ingestion_host": "https://i.example.com"})\n'
            'tracker.basic.initialize("key", "https://b.example.com")\n'
            'for i in range(1000): tracker.track("A", {"i": i})\n'
        )

        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        [calls] = fake.methods
        self.assertEqual(calls[3:-4], ["track"] * 1000)
        self.assertEqual(calls[-4:], ["flush", "analytics.flush", "basic.flush", "host.shutdown"])

    def test_sends_nothing_for_a_client_that_is_not_initialized(self) -> None:
        ended, fake = self.run_with('tracker.track("A")\n')

        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(fake.methods, [["track", "host.shutdown"]])

    def test_waits_for_nothing_once_the_interpreter_ends(self) -> None:
        for call in ("close()", "flush()", "track('A').outcome()", "get_debug_info()"):
            with self.subTest(call):
                ended, _ = self.run_with(
                    "class Last:\n"
                    "    def __del__(self, tracker=tracker, write=os.write, ends=sys.is_finalizing):\n"
                    "        try:\n"
                    f"            tracker.{call}\n"
                    "        except RuntimeError as error:\n"
                    "            write(2, str(error).encode())\n"
                    "        write(2, b' True' if ends() else b' False')\n"
                    'tracker.init("925", config)\n'
                    "last = Last()\n"
                )

                self.assertEqual(ended.returncode, 0, ended.stderr)
                self.assertTrue(ended.stderr.endswith(" True"), ended.stderr)
                self.assertEqual("The interpreter is ending" in ended.stderr, call != "close()")

    def test_a_tracker_may_be_closed_when_no_thread_can_be_started_any_more(self) -> None:
        """As in an exit function that runs late: Python 3.12 starts no thread then."""
        ended, fake = self.run_with(
            "import atexit\n"
            "def refuse(_): raise RuntimeError('can not create new thread at interpreter shutdown')\n"
            "def close():\n"
            "    threading.Thread.start = refuse\n"
            "    tracker.close()\n"
            'atexit.register(close)\ntracker.track("A")\n'
        )

        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertEqual(fake.methods, [["track", "host.shutdown"]])

    def test_exit_functions_of_the_program_still_track_whenever_they_were_registered(self) -> None:
        fake = FakeHost(self.folder)
        ended = run_program(
            "import atexit\n"
            "atexit.register(lambda: tracker.track('BEFORE_THE_IMPORT'))\n"
            f"from mobiletracker import MobileTracker\n{PATIENTLY}"
            f"tracker = MobileTracker(host_path={str(fake.path)!r}, host_arguments=[{str(self.folder)!r}])\n"
            "atexit.register(lambda: tracker.track('BEFORE_THE_FIRST_CALL'))\n"
            f"tracker.init('925', {CONFIG!r})\n"
            "atexit.register(lambda: tracker.track('AFTER_THE_FIRST_CALL'))\n"
        )

        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertEqual(
            [[call["params"].get("eventName", call["method"]) for call in life] for life in fake.lives],
            [
                ["init", "AFTER_THE_FIRST_CALL", "BEFORE_THE_FIRST_CALL", "flush", "host.shutdown"],
                ["init", "BEFORE_THE_IMPORT"],
            ],
        )

    def test_starts_no_host_that_was_not_used(self) -> None:
        ended, fake = self.run_with("print(tracker)")

        self.assertEqual((ended.returncode, ended.stdout), (0, "<MobileTracker, no host running>\n"))
        self.assertEqual(fake.lives, [])

    def test_an_exception_and_sys_exit_are_no_different(self) -> None:
        for body, code in ((" 1 / 0", 1), (" sys.exit(3)", 3)):
            with self.subTest(body):
                (self.folder / "log.jsonl").unlink(missing_ok=True)
                ended, fake = self.run_with(f'tracker.init("925", config)\ntracker.track("LAST");{body}\n')

                self.assertEqual(ended.returncode, code)
                self.assertEqual(fake.methods, [["init", "track", "flush", "host.shutdown"]])

    def test_ctrl_c_is_no_different(self) -> None:
        fake = FakeHost(self.folder)
        source = (
            # A program that was started in the background ignores it.
            "import signal, threading\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
            f"from mobiletracker import *\n{PATIENTLY}"
            f"tracker = MobileTracker(host_path={str(fake.path)!r}, host_arguments=[{str(self.folder)!r}])\n"
            f'tracker.init("925", {CONFIG!r})\ntracker.track("LAST").outcome()\n'
            'print("ready", flush=True)\nthreading.Event().wait()\n'
        )
        with subprocess.Popen(
            [sys.executable, "-c", source],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
        ) as program:
            assert program.stdout
            self.assertEqual(program.stdout.readline(), b"ready\n")
            program.send_signal(signal.SIGINT)
            try:
                program.communicate(timeout=GUARD)
            finally:
                program.kill()

        self.assertEqual(fake.methods, [["init", "track", "flush", "host.shutdown"]])

    def test_os_exit_leaves_what_was_answered_to_the_host(self) -> None:
        ended, fake = self.run_with('tracker.init("925", config)\ntracker.track("A").outcome()\nos._exit(4)\n')

        self.assertEqual(ended.returncode, 4)
        self.assertEqual(fake.methods, [["init", "track"]])

    def test_does_not_wait_for_a_host_that_is_silent_for_longer_than_its_bound(self) -> None:
        life = {"silent": ["track", "flush", "host.shutdown"]}
        ended, _ = self.run_with(
            "_channel._EXIT_FLUSH = _channel._EXIT_SHUTDOWN = 0.2\n"
            'tracker.init("925", config)\ntracker.track("A")\n',
            life,
        )

        self.assertEqual(
            (ended.returncode, ended.stderr),
            (0, "The program ended before the host had answered 1 call: what it has not received is lost.\n"),
        )

    def test_a_fork_leaves_the_host_to_the_parent_and_has_one_of_its_own(self) -> None:
        ended, fake = self.run_with(
            'tracker.init("925", config)\ntracker.track("PARENT").outcome()\n'
            "child = os.fork()\n"
            "if child == 0:\n"
            '    print(tracker.track("CHILD").outcome(60).status, flush=True)\n'
            "    sys.exit(5)\n"
            "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
            'tracker.track("STILL").outcome(60)\n'
        )

        self.assertEqual((ended.returncode, ended.stdout), (0, "queued\n5\n"), ended.stderr)
        entries = [json.loads(line) for line in (self.folder / "log.jsonl").read_text().splitlines()]
        names = [entry["params"].get("eventName") for entry in entries if entry.get("method") == "track"]
        self.assertEqual(names, ["PARENT", "CHILD", "STILL"])
        methods = [entry["method"] for entry in entries if "method" in entry]
        self.assertEqual(methods[2:6], ["init", "track", "flush", "host.shutdown"])

    def test_a_call_waits_for_no_lock_of_its_own_thread_or_of_one_that_a_fork_has_left(self) -> None:
        fake = FakeHost(self.folder)
        ended = run_program(
            "import os, threading\nfrom mobiletracker import MobileTracker\n"
            f"tracker = MobileTracker(host_path={str(fake.path)!r}, host_arguments=[{str(self.folder)!r}])\n"
            "lock, has, may_end = tracker._channel._off._lock, threading.Event(), threading.Event()\n"
            "with lock: print(tracker.track('A').outcome(float('inf')).status)\n"
            "def hold():\n"
            "    with lock:\n"
            "        has.set()\n"
            "        may_end.wait()\n"
            "thread = threading.Thread(target=hold)\n"
            "thread.start()\n"
            "has.wait()\n"
            "if os.fork() == 0:\n"
            "    print(tracker.track('B').outcome(60).status, flush=True)\n"
            "    os._exit(0)\n"
            "os.wait()\n"
            "may_end.set()\n"
            "thread.join()\n"
        )

        self.assertEqual((ended.returncode, ended.stdout.split()), (0, ["queued", "queued"]), ended.stderr)

    def test_a_forked_child_has_the_clients_whose_setup_has_no_answer_yet(self) -> None:
        opened = ["reset", "setConsent", "setCredentials", "init", "analytics.setDefaults", "analytics.initialize"]
        fake = FakeHost(self.folder, {"silent": opened}, {})
        ended = run_program(
            "import asyncio, os, time\nfrom mobiletracker import AsyncMobileTracker\n"
            f"tracker = AsyncMobileTracker(host_path={str(fake.path)!r}, host_arguments=[{str(self.folder)!r}])\n"
            'calls = [tracker.reset(), tracker.set_consent("denied"), tracker.set_credentials("key")]\n'
            f'calls.append(tracker.init("925", {CONFIG | {"initial_screen": "Home"}!r}))\n'
            'calls += [tracker.analytics.set_defaults({"release": 7}), tracker.analytics.initialize({"write_key": "w"})]\n'
            f"log = {str(fake.folder / 'log.jsonl')!r}\n"
            "while not os.path.exists(log) or '\"analytics.initialize\"' not in open(log).read(): time.sleep(0.01)\n"
            "child = os.fork()\n"
            "if child: os.waitpid(child, 0)\n"
            "async def track():\n"
            '    print((await tracker.analytics.track("A")).status, flush=True)\n'
            "asyncio.run(track())\n"
            "os._exit(0)\n"
        )

        self.assertEqual(ended.stdout, "queued\nqueued\n", ended.stderr)
        methods = ["setConsent", "setCredentials", "init", "analytics.setDefaults", "analytics.initialize", "analytics.track"]
        self.assertEqual(fake.methods[1][: len(methods)], methods)
        again = {"apiUrl": CONFIG["api_url"], "xApiKey": CONFIG["x_api_key"], "sessionCreation": "inBackground"}
        self.assertEqual(fake.lives[1][2]["params"]["config"], again)

    def test_a_forked_child_tells_no_loss_of_what_its_parent_goes_on_with(self) -> None:
        ended, _ = self.run_with(
            'tracker.track("A")\n'
            'receipt = tracker.track("B")\n'
            "child = os.fork()\n"
            "if child == 0:\n"
            "    del receipt\n"
            "    sys.exit(0)\n"
            "os.waitpid(child, 0)\n"
            "os._exit(0)\n",
            {"silent": ["track"]},
        )

        self.assertEqual(ended.returncode, 0)
        self.assertNotIn("HOST_EXITED", ended.stderr)

    def test_a_forked_child_has_every_tracker_but_one_that_fails_to_become_its_own(self) -> None:
        ended, _ = self.run_with(
            f"other = MobileTracker(host_path=tracker.host_path, host_arguments={[str(self.folder)]!r})\n"
            "trackers = [tracker, other]\n"
            'for each in trackers: each.track("PARENT").outcome(60)\n'
            "def fail(): raise OSError(9, 'Bad file descriptor')\n"
            "for failing, sound in (trackers, trackers[::-1]):\n"
            "    failing._channel.become_child = fail\n"
            "    if os.fork() == 0:\n"
            '        print(sound.track("CHILD").outcome(30).status, flush=True)\n'
            "        os._exit(0)\n"
            "    os.wait()\n"
            "    del failing._channel.become_child\n"
        )

        self.assertEqual(ended.stdout, "queued\nqueued\n", ended.stderr)
        self.assertEqual(ended.stderr.count("Bad file descriptor"), 2, ended.stderr)

    def test_a_forked_child_has_its_trackers_though_one_is_being_closed(self) -> None:
        """The thread of the one that is closed has closed its first descriptor, whose number is the program's by now, and
        not the second."""
        ended, _ = self.run_with(
            f"other = MobileTracker(host_path=tracker.host_path, host_arguments={[str(self.folder)]!r})\n"
            'for each in (tracker, other): each.track("PARENT").outcome(60)\n'
            "io, close = tracker._channel.link.io, os.close\n"
            "first, ready, may_go_on = io._wake_read, threading.Event(), threading.Event()\n"
            "def pause(descriptor):\n"
            "    close(descriptor)\n"
            "    if descriptor == first and io._thread is None:\n"
            "        ready.set()\n"
            "        may_go_on.wait()\n"
            "os.close = pause\n"
            "closing = threading.Thread(target=tracker.close)\n"
            "closing.start()\n"
            "ready.wait()\n"
            "os.dup2(1, first)\n"
            "if os.fork() == 0:\n"
            "    os.close = close\n"
            "    os.fstat(first)\n"
            '    for each in (tracker, other): print(each.track("CHILD").outcome(30).status, flush=True)\n'
            "    os._exit(0)\n"
            "os.wait()\n"
            "may_go_on.set()\n"
            "closing.join()\n"
        )

        self.assertEqual((ended.stdout, ended.stderr), ("queued\nqueued\n", ""))

    def test_a_fork_and_a_start_of_a_host_do_not_wait_for_each_other_for_ever(self) -> None:
        ended, _ = self.run_with(
            "from mobiletracker import _fork_lock\n"
            "_fork_lock._PATIENCE = 0.01\n"
            "held, may_end = threading.Event(), threading.Event()\n"
            "def hold():\n"
            "    with _fork_lock.forks_held_back():\n"
            "        held.set()\n"
            "        may_end.wait()\n"
            "thread = threading.Thread(target=hold)\n"
            "thread.start()\n"
            "held.wait()\n"
            "if os.fork() == 0:\n"
            "    print(_fork_lock._lock.acquire(blocking=False), flush=True)\n"
            "    os._exit(0)\n"
            "os.wait()\n"
            "print(tracker.track('A').outcome(60).status)\n"
            "may_end.set()\n"
            "thread.join()\n"
        )

        self.assertEqual(ended.stdout, "True\nqueued\n", ended.stderr)
        self.assertNotIn("Exception ignored", ended.stderr)

    def test_a_program_that_eventlet_or_gevent_has_patched_is_no_different(self) -> None:
        for patch in ("import eventlet; eventlet.monkey_patch()", "from gevent import monkey; monkey.patch_all()"):
            name = patch.split()[1].strip(";")
            if not importlib.util.find_spec(name):
                self.skipTest(f"{name} is not installed; .ci/setup tests does that")
            with self.subTest(name):
                (self.folder / "log.jsonl").unlink(missing_ok=True)
                fake = FakeHost(self.folder)
                ended = run_program(
                    f"import warnings; warnings.simplefilter('ignore')\n{patch}\n"
                    f"from mobiletracker import MobileTracker\n{PATIENTLY}"
                    f"tracker = MobileTracker(host_path={str(fake.path)!r}, host_arguments=[{str(self.folder)!r}])\n"
                    f"tracker.init('925', {CONFIG!r})\n"
                    "print(tracker.track('A').outcome(60).status)\n"
                    "for i in range(100): tracker.track('B', {'i': i})\n"
                )

                self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "queued\n", ""))
                self.assertEqual(fake.methods, [["init", *["track"] * 101, "flush", "host.shutdown"]])

    def test_a_process_of_multiprocessing_sends_what_is_left_too(self) -> None:
        ended, fake = self.run_with(
            "import multiprocessing\n"
            "def work():\n"
            '    tracker.init("925", config)\n'
            '    tracker.track("CHILD")\n'
            'process = multiprocessing.get_context("fork").Process(target=work)\n'
            "process.start()\nprocess.join()\n"
        )

        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(fake.methods, [["init", "track", "flush", "host.shutdown"]])


class ForkTests(TestCase):
    """A fork while the thread of the parent makes descriptors. The child uses no tracker, and outlives its parent."""

    def run_forking(self, moment: str, options: str, fake: FakeHost) -> None:
        """Runs such a program to its end, and expects that its call has an answer, and that its host ends.

        :param moment: Has a function pause at the end of its first call until the program forks.
        """
        source = (
            "import os, socket, subprocess, sys, threading\n"
            "from mobiletracker import MobileTracker\n"
            "reached, forks = threading.Event(), threading.Event()\n"
            "os.register_at_fork(before=forks.set)\n"
            # The program goes on from there until it has forked, or waits.
            "sys.setswitchinterval(60)\n"
            "def pausing(function):\n"
            "    def call(*arguments, **options):\n"
            "        result = function(*arguments, **options)\n"
            "        if not reached.is_set():\n"
            "            reached.set()\n"
            "            forks.wait()\n"
            "        return result\n"
            "    return call\n"
            f"{moment}\n"
            f"tracker = MobileTracker({options})\n"
            "receipt = tracker.track('A')\n"
            "reached.wait()\n"
            "if os.fork() == 0:\n"
            "    os.close(1)\n"
            "    sys.stdin.read()\n"
            "    os._exit(0)\n"
            "print(receipt.outcome(30).status, flush=True)\n"
            "os._exit(0)\n"
        )
        program = subprocess.Popen(
            [sys.executable, "-c", source],
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(program.communicate, timeout=GUARD)  # The child ends with its input.
        assert program.stdout

        self.assertEqual(program.stdout.readline(), "queued\n")
        fake.wait_for_end()

    def test_waits_until_a_host_that_is_being_started_is_known(self) -> None:
        moments = {
            # The pipe by which the new process says that the host runs in it.
            "while the process is made": (
                "def hook(event, _):\n"
                "    if event == 'subprocess.Popen': os.pipe = pausing(os.pipe)\n"
                "sys.addaudithook(hook)"
            ),
            "when it is made": "subprocess.Popen = pausing(subprocess.Popen)",
        }
        root = self.folder
        for name, moment in moments.items():
            with self.subTest(name):
                folder = root / name
                folder.mkdir()
                fake = FakeHost(folder)
                options = f"host_path={str(fake.path)!r}, host_arguments=[{str(folder)!r}], stderr='ignore'"
                self.run_forking(moment, options, fake)

    def test_waits_until_a_connection_that_is_being_made_is_known(self) -> None:
        fake = FakeHost(self.folder)
        path = self.folder / "agent.sock"
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(path))
            listening.listen()

            def serve() -> None:
                connection, _ = listening.accept()
                with connection:
                    subprocess.run([fake.path, self.folder], stdin=connection.fileno(), stdout=connection.fileno())

            thread = threading.Thread(target=serve, daemon=True)
            thread.start()
            self.addCleanup(thread.join, GUARD)
            self.run_forking("socket.socket = pausing(socket.socket)", f"agent={str(path)!r}", fake)


class RealExitTests(TestCase):
    """A program with the real host and a backend."""

    def setUp(self) -> None:
        super().setUp()
        self.arguments = ["--storage-dir", str(self.folder), *PATIENT]

    def test_what_the_last_line_tracked_arrives(self) -> None:
        collector = self.start_collector()
        ended = run_program(
            "from mobiletracker import MobileTracker\n"
            f"tracker = MobileTracker(host_path={str(host_path())!r}, host_arguments={self.arguments!r})\n"
            f'tracker.init("925", {collector.config()!r})\n'
            'tracker.track("FIRST")\ntracker.track("LAST", {"total": 149.99})\n'
        )

        self.assertEqual(ended.returncode, 0, ended.stderr)
        collector.wait(kind="event", count=2)
        self.assertEqual(collector.names(), ["FIRST", "LAST"])
        self.assertEqual(collector.problems(), [])

    def test_a_program_starts_while_the_backend_is_down(self) -> None:
        collector = self.start_collector()
        collector.faults(["503×always"])
        program = (
            "from mobiletracker import MobileTracker\n"
            f"tracker = MobileTracker(host_path={str(host_path())!r}, host_arguments={self.arguments!r})\n"
            f'tracker.init("925", {collector.config(session_creation="inBackground")!r})\n'
            'print(tracker.track("A").outcome().status)\n'
        )
        down = run_program(program)
        collector.faults([])
        up = run_program(program)

        self.assertEqual((down.returncode, down.stdout), (0, "pending\n"), down.stderr)
        self.assertEqual(up.returncode, 0, up.stderr)
        collector.wait(kind="event", count=2)
        self.assertEqual(collector.names(), ["A", "A"])

    def test_what_could_not_be_sent_waits_for_the_next_run(self) -> None:
        collector = self.start_collector()
        program = (
            "import sys\nfrom mobiletracker import MobileTracker\n"
            f"tracker = MobileTracker(host_path={str(host_path())!r}, host_arguments={self.arguments!r})\n"
            f'tracker.init("925", {collector.config()!r})\n'
            "tracker.track(sys.argv[0] and NAME)\n"
        )
        run_program(program.replace("NAME", '"FIRST"'))
        collector.faults(["503×always"])
        failed = run_program(program.replace("NAME", '"SECOND"'))
        collector.faults([])
        run_program(program.replace("NAME", '"THIRD"'))

        self.assertEqual(failed.returncode, 0, failed.stderr)
        collector.wait(kind="event", accepted=True, repeats=False, count=3)
        self.assertEqual(collector.names(), ["FIRST", "SECOND", "THIRD"])


if __name__ == "__main__":
    unittest.main()
