"""The package as the client of an agent: `agent=`, `MOBILE_TRACKER_AGENT`, and agents that are started again."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import patch

from .agents import AgentProcess, Supervisor
from .support import GUARD, KEY, PATIENT, SOURCE, TestCase, host_path, run_program

from mobiletracker import MobileTracker, MobileTrackerError, Receipt  # isort: skip
from mobiletracker.__main__ import main  # isort: skip
from mobiletracker._agent import Agent, find_agent  # isort: skip
from mobiletracker._channel import end_of  # isort: skip

RESTARTS = int(os.environ.get("AGENT_RESTARTS", "12"))
"""How often the agent is killed or stopped under load."""


class AgentClientTests(TestCase):
    """Where the client finds an agent, and what it does without one."""

    def tracker(self, **options: object) -> MobileTracker:
        """A tracker that ends with the test."""
        tracker = MobileTracker(**options)  # type: ignore[arg-type]
        self.addCleanup(tracker.close)
        return tracker

    def wait_for_warnings(self, count: int) -> None:
        """Returns as soon as there were so many."""
        deadline = time.monotonic() + GUARD
        while len(self.warnings) < count:
            self.assertLess(time.monotonic(), deadline, self.warnings)
            time.sleep(0.005)

    def test_connects_instead_of_starting_a_host(self) -> None:
        collector = self.start_collector()
        agent = AgentProcess(self, self.folder)
        tracker = self.tracker(agent=agent.path, host_path="/nowhere")
        tracker.init("925", collector.config())
        self.assertEqual(tracker.track("A").outcome().status, "queued")
        collector.wait(kind="event", count=1)
        self.assertEqual(self.warnings, [])

    def test_the_environment_names_an_agent(self) -> None:
        agent = AgentProcess(self, self.folder)
        with patch.dict(os.environ, MOBILE_TRACKER_AGENT=str(agent.path)):
            self.assertTrue(self.tracker(host_path="/nowhere").is_tracking_allowed())

    def test_auto_finds_the_agent_of_the_user(self) -> None:
        place = self.folder / "mobile-tracker"
        place.mkdir(mode=0o700)
        agent = AgentProcess(self, place)
        with patch.dict(os.environ, XDG_RUNTIME_DIR=str(self.folder)):
            self.assertEqual(agent.path, place / "agent.sock")
            self.assertTrue(self.tracker(agent="auto", host_path="/nowhere").is_tracking_allowed())

    def test_auto_goes_on_to_the_agent_of_the_machine_where_that_of_the_user_has_left_its_socket(self) -> None:
        places = self.folder / "user/mobile-tracker", self.folder / "machine/mobile-tracker"
        for place in places:
            place.mkdir(mode=0o700, parents=True)
        users = AgentProcess(self, places[0])
        users.end(signal.SIGKILL)
        agent = AgentProcess(self, places[1])
        self.enterContext(patch.dict(os.environ, XDG_RUNTIME_DIR=str(self.folder / "user")))
        self.enterContext(patch("mobiletracker._agent._OF_THE_MACHINE", self.folder / "machine"))

        tracker = self.tracker(agent="auto", host_path="/nowhere")
        self.assertTrue(tracker.is_tracking_allowed())
        printed = io.StringIO()
        with patch.object(sys, "argv", ["mobiletracker", "--agent", "auto"]), contextlib.redirect_stdout(printed):
            self.assertEqual(main(), 0)

        self.assertTrue(users.path.exists())
        self.assertIn(f"agent         {agent.path}\n", printed.getvalue())
        self.assertEqual(self.warnings, [])

    def test_auto_starts_a_host_where_all_agents_have_left_their_sockets(self) -> None:
        for place in (self.folder / "user/mobile-tracker", self.folder / "machine/mobile-tracker"):
            place.mkdir(mode=0o700, parents=True)
            AgentProcess(self, place).end(signal.SIGKILL)
        self.enterContext(patch.dict(os.environ, XDG_RUNTIME_DIR=str(self.folder / "user")))
        self.enterContext(patch("mobiletracker._agent._OF_THE_MACHINE", self.folder / "machine"))

        tracker = self.tracker(
            agent="auto", host_path=host_path(), host_arguments=["--storage-dir", str(self.folder / "state")], stderr="ignore",
        )
        self.assertTrue(tracker.is_tracking_allowed())

        self.assertIsNotNone(tracker._channel.link.host)
        self.assertEqual(self.warnings, [])

    def test_auto_starts_a_host_where_no_agent_listens(self) -> None:
        with patch.dict(os.environ, XDG_RUNTIME_DIR=str(self.folder)):
            tracker = self.tracker(
                agent="auto", host_path=host_path(), host_arguments=["--storage-dir", str(self.folder / "state")],
                stderr="ignore",
            )
            self.assertTrue(tracker.is_tracking_allowed())
        self.assertEqual(self.warnings, [])

    def test_auto_leaves_the_agent_of_another_user_alone(self) -> None:
        place = self.folder / "mobile-tracker"
        place.mkdir(mode=0o700)
        agent = AgentProcess(self, place)
        with patch.dict(os.environ, XDG_RUNTIME_DIR=str(self.folder)), patch("mobiletracker._agent._OF_THE_MACHINE", self.folder / "run"):
            self.assertEqual(find_agent("auto"), Agent(agent.path, is_optional=True))
            with patch("os.geteuid", return_value=4242):
                self.assertIsNone(find_agent("auto"))

    def test_auto_starts_a_host_where_it_may_not_look(self) -> None:
        with patch("os.stat", side_effect=PermissionError):
            self.assertIsNone(find_agent("auto"))

    def test_auto_stays_with_the_agent_that_it_has_found(self) -> None:
        """Also while there is none, and in a forked child."""
        collector = self.start_collector()
        place = self.folder / "mobile-tracker"
        place.mkdir(mode=0o700)
        agent = AgentProcess(self, place)
        self.enterContext(patch.dict(os.environ, XDG_RUNTIME_DIR=str(self.folder)))
        tracker = self.tracker(agent="auto", host_path="/nowhere")
        tracker.init("925", collector.config())
        tracker.set_consent("denied")

        agent.end()
        receipt = tracker.track("AFTER_DENIAL")
        self.wait_for_warnings(2)  # The connection has ended, and there is no other.
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                of_child = tracker.track("OF_CHILD")
                self.wait_for_warnings(3)
                os.write(writer, b"!")
                code = 0 if of_child.outcome(GUARD).reason == "TRACKING_NOT_ALLOWED" else 2
            finally:
                os._exit(code)
        os.close(writer)
        os.read(reader, 1)
        os.close(reader)
        AgentProcess(self, place)

        self.assertEqual(receipt.outcome(GUARD).reason, "TRACKING_NOT_ALLOWED")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        tracker.close()  # While there is an agent.

    def test_auto_stays_with_the_host_that_it_has_started(self) -> None:
        self.enterContext(patch.dict(os.environ, XDG_RUNTIME_DIR=str(self.folder)))
        tracker = self.tracker(
            agent="auto", host_path=host_path(), host_arguments=["--storage-dir", str(self.folder / "state")], stderr="ignore",
        )
        self.assertTrue(tracker.is_tracking_allowed())
        place = self.folder / "mobile-tracker"
        place.mkdir(mode=0o700)
        AgentProcess(self, place)

        host = tracker._channel.link.host
        assert host
        os.kill(host, signal.SIGKILL)
        self.wait_for_warnings(1)
        self.assertTrue(tracker.is_tracking_allowed())

        self.assertIsNotNone(tracker._channel.link.host)

    def test_auto_looks_anew_after_a_shutdown(self) -> None:
        place = self.folder / "mobile-tracker"
        place.mkdir(mode=0o700)
        agent = AgentProcess(self, place)
        self.enterContext(patch.dict(os.environ, XDG_RUNTIME_DIR=str(self.folder)))
        tracker = self.tracker(
            agent="auto", host_path=host_path(), host_arguments=["--storage-dir", str(self.folder / "state")], stderr="ignore",
        )
        self.assertTrue(tracker.is_tracking_allowed())
        tracker.shutdown()
        agent.end()

        self.assertTrue(tracker.is_tracking_allowed())
        self.assertIsNotNone(tracker._channel.link.host)

    def test_a_relative_path_leads_from_where_the_tracker_is_made(self) -> None:
        AgentProcess(self, self.folder)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        trackers = [self.tracker(agent="agent.sock")]
        with patch.dict(os.environ, MOBILE_TRACKER_AGENT="agent.sock"):
            trackers.append(self.tracker(host_path="/nowhere"))
        os.chdir("/")

        self.assertEqual([tracker.is_tracking_allowed() for tracker in trackers], [True, True])

    def test_a_wrong_value_is_an_error_at_once(self) -> None:
        with self.assertRaises(TypeError):
            MobileTracker(agent="")
        with self.assertRaises(TypeError):
            MobileTracker(agent=5)  # type: ignore[arg-type]

    def test_arguments_for_a_host_that_is_not_started_are_a_warning(self) -> None:
        agent = AgentProcess(self, self.folder)
        arguments = ["--metrics-file", str(self.folder / "m.prom")]
        self.assertTrue(self.tracker(agent=agent.path, host_arguments=arguments).is_tracking_allowed())
        with patch.dict(os.environ, MOBILE_TRACKER_AGENT=str(agent.path)):
            self.tracker(host_arguments=arguments)
            self.tracker(host_arguments=arguments, agent=False)
            self.tracker(host_arguments=arguments, agent="auto")
            self.tracker()
        self.assertEqual(len(self.warnings), 2)
        for warning in self.warnings:
            self.assertRegex(warning, f"`host_arguments` are not used: the agent at {agent.path} was started with arguments")

    def test_a_path_that_is_no_socket_is_an_error_at_once(self) -> None:
        file = self.folder / "file"
        file.touch()
        for path, what in ((file, "a file"), (self.folder, "a folder")):
            with self.subTest(what), self.assertRaisesRegex(MobileTrackerError, f"{path}: it is {what}, and no socket"):
                self.tracker(agent=path).is_tracking_allowed()
        long = self.folder / ("x" * 120)
        with self.assertRaisesRegex(MobileTrackerError, f"too long for a socket: {long}"):
            self.tracker(agent=long).is_tracking_allowed()

    def test_what_the_agent_does_not_take_is_too_large_from_the_first_call_on(self) -> None:
        agent = AgentProcess(self, self.folder, "--max-message-bytes", "4096")
        tracker = self.tracker(agent=agent.path)

        receipts = [tracker.track(name, {"text": "x" * size}) for name, size in (("A", 5000), ("B", 1))]

        self.assertEqual([receipt.outcome(GUARD).reason for receipt in receipts], ["TOO_LARGE", "NOT_INITIALIZED"])

    def test_what_the_next_agent_does_not_take_any_more_is_a_warning(self) -> None:
        collector = self.start_collector()
        agent = AgentProcess(self, self.folder)
        tracker = self.tracker(agent=agent.path)
        tracker.init("925", collector.config(headers={"X-Long": "x" * 5000}))
        tracker.analytics.set_defaults(properties={"text": "x" * 5000})
        agent.end()
        AgentProcess(self, self.folder, "--max-message-bytes", "4096")

        self.assertEqual(tracker.track("A").outcome(GUARD).reason, "NOT_INITIALIZED")
        tracker.init("925", collector.config())
        self.assertEqual(tracker.track("B").outcome(GUARD).status, "queued")

        for method in ("init", "analytics.setDefaults"):
            words = (
                f"{method} failed after the host was started: MESSAGE_TOO_LARGE: {method}: The call is too large. A message "
                "has at most 4,096 bytes."
            )
            self.assertEqual(self.warnings.count(words), 1, self.warnings)

    def test_calls_wait_for_an_agent_that_is_started_later(self) -> None:
        collector = self.start_collector()
        tracker = self.tracker(agent=self.folder / "agent.sock")
        receipts = []
        thread = threading.Thread(target=lambda: tracker.init("925", collector.config()))
        thread.start()
        receipts.append(tracker.track("EARLY"))
        self.wait_for_warnings(1)
        AgentProcess(self, self.folder)
        thread.join(GUARD)
        self.assertNotEqual(receipts[0].outcome(GUARD).status, "dropped")
        self.assertEqual(tracker.track("LATE").outcome(GUARD).status, "queued")
        self.assertRegex(self.warnings[0], "cannot be reached .*calls wait")

    def test_calls_wait_for_an_agent_that_is_stopped_when_it_is_connected_to_again(self) -> None:
        agent = AgentProcess(self, self.folder)
        tracker = self.tracker(agent=agent.path)
        tracker.track("A").outcome(GUARD)
        self.enterContext(patch("mobiletracker._host_loop._HANDSHAKE", 0.1))
        self.enterContext(patch("mobiletracker._answer_watch.SILENCE", 0.2))

        agent.process.send_signal(signal.SIGSTOP)
        connection = tracker._channel.link._loop.host
        assert connection
        connection.kill()
        receipt = tracker.track("B")
        self.wait_for_warnings(3)  # Of `A`, of the end of the connection, and of the silence of the next one.
        agent.process.send_signal(signal.SIGCONT)

        self.assertEqual(receipt.outcome(GUARD).reason, "NOT_INITIALIZED")
        self.assertRegex(self.warnings[2], "has not answered for .* s, and 1 call waits for it")

    def test_calls_wait_for_an_agent_that_is_stopped_when_it_is_connected_to_first(self) -> None:
        agent = AgentProcess(self, self.folder)
        self.enterContext(patch("mobiletracker._host_loop._HANDSHAKE", 1.0))
        agent.process.send_signal(signal.SIGSTOP)
        receipt = self.tracker(agent=agent.path).track("A")
        self.wait_for_warnings(1)
        agent.process.send_signal(signal.SIGCONT)

        self.assertEqual(receipt.outcome(GUARD).reason, "NOT_INITIALIZED")
        self.assertRegex(self.warnings[0], r"The agent at .* cannot be reached \(it did not answer within 1 s\)\. .*calls wait")

    def test_a_client_that_has_every_answer_ends_at_once_when_the_agent_has_gone(self) -> None:
        collector = self.start_collector()
        for last in ("", "tracker.close()"):
            with self.subTest(last):
                agent = AgentProcess(self, self.folder)
                ended = run_program(
                    "import logging, os, signal, threading\nfrom mobiletracker import MobileTracker, _channel, _host_loop\n"
                    # Whatever waits does so until the test fails.
                    "_channel._EXIT_FLUSH = _channel._EXIT_SHUTDOWN = _host_loop._SHUTDOWN = 600\n"
                    "has_gone = threading.Event()\n"
                    "logging.getLogger('mobiletracker').addFilter(lambda _: has_gone.set() or True)\n"
                    f"tracker = MobileTracker(agent={str(agent.path)!r})\n"
                    f"tracker.init('925', {collector.config()!r})\n"
                    "tracker.track('A').outcome()\n"
                    f"os.kill({agent.process.pid}, signal.SIGKILL)\n"
                    f"has_gone.wait()\n{last}\n"
                )
                self.assertEqual(ended.returncode, 0, ended.stderr)

    def test_a_client_has_ended_when_the_agent_ends_during_its_shutdown(self) -> None:
        agent = AgentProcess(self, self.folder)
        tracker = self.tracker(agent=agent.path)
        tracker.init("925", self.start_collector().config())

        agent.process.send_signal(signal.SIGSTOP)
        ended = end_of(tracker._channel)
        has_begun = threading.Event()
        tracker._channel.link.io.post(lambda _: has_begun.set())
        self.assertTrue(has_begun.wait(GUARD))
        agent.end(signal.SIGKILL)

        self.assertTrue(ended.wait(GUARD))
        self.assertEqual(self.warnings, [])

    def test_an_init_that_the_agent_could_not_end_before_it_was_stopped_goes_on(self) -> None:
        collector = self.start_collector()
        agent = AgentProcess(self, self.folder, "--shutdown-timeout", "300ms")
        tracker = self.tracker(agent=agent.path)
        collector.faults(["delay=60000"])
        with ThreadPoolExecutor(1) as others:
            initialized = others.submit(tracker.init, "925", collector.config())
            collector.wait(kind="session")
            held = tracker.track("HELD")
            self.assertEqual(held.outcome(GUARD).status, "pending")

            agent.end()
            AgentProcess(self, self.folder)
            initialized.result(GUARD)

        self.assertEqual(tracker.track("NEXT").outcome(GUARD).status, "queued")
        collector.wait(kind="event", count=2)
        self.assertEqual(collector.names(), ["HELD", "NEXT"])
        self.assertEqual(collector.problems(), [])

    def test_a_client_that_is_shut_down_while_there_is_no_agent_has_ended(self) -> None:
        agent = AgentProcess(self, self.folder)
        tracker = self.tracker(agent=agent.path)
        tracker.init("925", self.start_collector().config())
        agent.end()
        tracker.shutdown()
        AgentProcess(self, self.folder)

        self.assertEqual(tracker.track("A").outcome(GUARD).reason, "NOT_INITIALIZED")

    def test_many_restarts_under_load_lose_double_and_reorder_nothing(self) -> None:
        collector = self.start_collector()
        folder = self.folder
        command = [str(host_path()), "--listen", str(folder / "agent.sock"), "--storage-dir", str(folder / "state")]
        script = folder / "agent"
        script.write_text('#!/bin/sh\necho $$ > "$PIDS.new"\nmv "$PIDS.new" "$PIDS"\nexec "$@"\n')
        script.chmod(0o755)
        with patch.dict(os.environ, PIDS=str(folder / "pid")):
            supervisor = Supervisor([str(script), *command, *PATIENT])
        self.addCleanup(supervisor.end)
        tracker = self.tracker(agent=folder / "agent.sock")
        tracker.init("925", collector.config())
        receipts: list[Receipt] = []
        names: list[str] = []
        for restart in range(RESTARTS):
            for number in range(40):
                names.append(f"E{len(names)}")
                receipts.append(tracker.track(names[-1], {"restart": restart}))
                # Calls follow that only the next agent can answer.
                if number == restart % 39:
                    os.kill(int((folder / "pid").read_text()), signal.SIGKILL if restart % 2 else signal.SIGTERM)
            # The next agent has answered before it is ended as well.
            self.assertEqual(receipts[-1].outcome(GUARD).status, "queued")

        self.assertEqual({receipt.outcome(GUARD).status for receipt in receipts}, {"queued"})
        collector.wait(kind="event", count=len(names), accepted=True, repeats=False)
        self.assertEqual(collector.names(), names)
        self.assertEqual(collector.problems(), [])

    def test_the_children_of_a_prefork_server_connect_by_themselves(self) -> None:
        collector = self.start_collector()
        agent = AgentProcess(self, self.folder)
        program = f"""
import os
from mobiletracker import MobileTracker
tracker = MobileTracker(agent={str(agent.path)!r})
tracker.init("925", {{"api_url": {collector.url!r}, "x_api_key": {KEY!r}}})
children = []
for child in range(4):
    pid = os.fork()
    if pid == 0:
        receipts = [tracker.track(f"C{{child}}") for _ in range(25)]
        assert all(receipt.outcome(60).status == "queued" for receipt in receipts)
        os._exit(0)
    children.append(pid)
assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children] == [0, 0, 0, 0]
"""
        process = subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(SOURCE)}, capture_output=True,
            text=True, timeout=2 * GUARD,
        )
        self.assertEqual(process.returncode, 0, process.stderr)
        collector.wait(kind="event", count=100, accepted=True, repeats=False)
        self.assertEqual(sorted(collector.names()), sorted(f"C{child}" for child in range(4) for _ in range(25)))


if __name__ == "__main__":
    unittest.main()
