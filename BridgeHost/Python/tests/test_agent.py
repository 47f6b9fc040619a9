"""An agent, over its socket: connections of their own, lanes that are shared, and limits that hold."""

from __future__ import annotations

import itertools
import json
import os
import random
import resource
import select
import shutil
import signal
import socket
import stat
import subprocess
import time
import unittest
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from .agents import AgentProcess, Connection
from .support import GUARD, KEY, ROOT, Collector, TestCase, host_path


def as_another_user(path: Path, program: str) -> subprocess.CompletedProcess[str]:
    """Connects as `nobody`, and runs a program of Perl whose `$s` is the socket."""
    # Perl is on every Debian; this user's Python may stand in a folder of this user's own.
    connect = "my $s = IO::Socket::UNIX->new(Peer => shift) or die $!; "
    return subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
         "perl", "-MIO::Socket::UNIX", "-e", connect + program, str(path)],
        capture_output=True, text=True, timeout=GUARD,
    )


class PipedHost(Connection):
    """A host of its own, which speaks over its standard streams."""

    def __init__(self, state: Path) -> None:
        ours, theirs = socket.socketpair()
        command = [str(host_path()), "--storage-dir", str(state), "--log-level", "error"]
        self._process = subprocess.Popen(command, stdin=theirs.fileno(), stdout=theirs.fileno(), stderr=subprocess.DEVNULL)
        theirs.close()
        super().__init__(ours)

    def close(self) -> None:
        super().close()
        self._process.wait(GUARD)


def _shape(answer: Any) -> Any:
    """An answer without what is another in each process: of values their types, but for words that say what became of a
    call."""
    if isinstance(answer, dict):
        words = ("status", "reason", "code", "lifecycle")
        return {key: value if key in words else _shape(value) for key, value in answer.items()}
    if isinstance(answer, list):
        return [_shape(value) for value in answer]
    return type(answer).__name__


class AgentCase(TestCase):
    """A test with an agent."""

    def agent(self, *arguments: str, **options: Any) -> AgentProcess:
        """An agent that listens."""
        return AgentProcess(self, self.folder, *arguments, **options)

    def connect(self, agent: AgentProcess) -> Connection:
        """A connection, closed after the test."""
        connection = Connection(agent.path)
        self.addCleanup(connection.close)
        return connection

    def initialized(self, agent: AgentProcess, url: str, **changes: Any) -> Connection:
        """A connection whose tracker is initialised."""
        connection = self.connect(agent)
        config = {"apiUrl": url, "xApiKey": KEY, "retryDelayMs": 10, **changes}
        self.assertEqual(connection.call("init", "925", config), {})
        return connection


class ConnectionTests(AgentCase):
    """What each connection has for itself."""

    def test_has_a_framing_of_its_own(self) -> None:
        agent = self.agent()
        lines, headers = self.connect(agent), self.connect(agent)
        body = b'{"jsonrpc":"2.0","id":7,"method":"isTrackingAllowed"}'
        headers.socket.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.assertEqual(lines.call("isTrackingAllowed"), {"allowed": True})

        self.assertEqual(headers.read_bytes(16), b"Content-Length: ")

    def test_answers_each_method_as_a_host_does_over_its_pipes(self) -> None:
        collector = self.start_collector()
        agent = self.agent()
        with self.connect(agent) as connection, PipedHost(self.folder / "host-state") as host:
            methods = host.call("rpc.discover")["methods"]
            for client in (connection, host):
                client.call("init", "925", {"apiUrl": collector.url, "xApiKey": KEY})
                client.call("analytics.initialize", {"writeKey": KEY, "ingestionHost": collector.url})
                client.call("basic.initialize", KEY, f"{collector.url}/events")
            # Those have been called, with this machine's addresses.
            apart = {"host.shutdown", "init", "analytics.initialize", "basic.initialize"}
            names = [method["name"] for method in methods if method["name"] not in apart]
            examples = {method["name"]: method["examples"][0]["params"] for method in methods}
            for name in names:
                params = [param["value"] for param in examples[name]]
                with self.subTest(name):
                    answers = []
                    for client in (connection, host):
                        client.send(name, *params)
                        answers.append(_shape(client.read()))
                    self.assertEqual(*answers)
        self.assertGreater(len(names), 50)

    def test_has_an_order_and_clients_of_its_own(self) -> None:
        collector = self.start_collector()
        agent = self.agent()
        first = self.initialized(agent, collector.url)
        second = self.connect(agent)

        self.assertEqual(second.call("track", "B"), {"status": "dropped", "reason": "NOT_INITIALIZED"})
        numbers = [first.send("track", f"A{number}") for number in range(200)]
        self.assertEqual([first.read()["id"] for _ in numbers], numbers)
        collector.wait(kind="event", count=200)
        self.assertEqual(collector.names(), [f"A{number}" for number in range(200)])

    def test_has_subscriptions_of_its_own(self) -> None:
        collector = self.start_collector()
        agent = self.agent()
        listener = self.initialized(agent, collector.url)
        listener.call("host.subscribe", "delivered")
        other = self.initialized(agent, collector.url)

        outcome = other.call("track", "A")

        # What is delivered of a lane is told to each connection that has the lane and has asked.
        notification = listener.read()
        self.assertEqual(notification["method"], "diagnostic")
        self.assertEqual(notification["params"]["messageId"], outcome["messageId"])
        self.assertEqual(other.call("isTrackingAllowed"), {"allowed": True})

    def test_answers_what_it_has_read_after_the_client_writes_no_more(self) -> None:
        collector = self.start_collector()
        agent = self.agent()
        connection = self.connect(agent)
        connection.send("init", "925", {"apiUrl": collector.url, "xApiKey": KEY})
        connection.send("track", "LAST")
        connection.socket.shutdown(socket.SHUT_WR)

        answers = {message["id"]: message for message in iter(connection.read, None)}

        self.assertEqual(answers[1]["result"], {})
        self.assertIn(answers[2]["result"]["status"], ("queued", "pending"))
        collector.wait(kind="event", count=1)

    def test_ends_by_host_shutdown_and_the_others_go_on(self) -> None:
        agent = self.agent()
        first, second = self.connect(agent), self.connect(agent)

        self.assertEqual(first.call("host.shutdown"), {})
        self.assertIsNone(first.read())
        self.assertEqual(second.call("isTrackingAllowed"), {"allowed": True})


class LaneTests(AgentCase):
    """What connections share."""

    def test_one_session_one_queue_and_no_thread_for_a_further_connection(self) -> None:
        collector = self.start_collector()
        agent = self.agent()
        first = self.initialized(agent, collector.url)
        first.call("track", "E")
        threads = agent.status("Threads")

        others = [self.initialized(agent, collector.url) for _ in range(60)]
        for other in others:
            self.assertEqual(other.call("track", "E")["status"], "queued")

        self.assertLessEqual(agent.status("Threads"), threads + 2)
        collector.wait(kind="event", count=61)
        self.assertEqual(len(collector.received(kind="session")), 1)
        self.assertEqual(len({other.call("getSessionId")["sessionId"] for other in [first, *others]}), 1)
        self.assertEqual(collector.problems(), [])

    def test_a_command_tracks_and_exits_and_its_event_is_delivered(self) -> None:
        collector = self.start_collector()
        agent = self.agent()
        for number in range(20):
            with Connection(agent.path) as command:
                command.call("init", "925", {"apiUrl": collector.url, "xApiKey": KEY})
                self.assertEqual(command.call("track", f"C{number}")["status"], "queued")

        collector.wait(kind="event", count=20)
        self.assertEqual(collector.names(), [f"C{number}" for number in range(20)])

    def test_what_waited_for_a_session_is_delivered_although_its_client_has_gone(self) -> None:
        collector = self.start_collector()
        collector.faults(["503", "503"])
        agent = self.agent()
        with Connection(agent.path) as command:
            command.send("init", "925", {"apiUrl": collector.url, "xApiKey": KEY, "retryDelayMs": 10})
            number = command.send("track", "LEFT")
            while command.read()["id"] != number:
                pass

        collector.wait(kind="event", count=1, accepted=True)

    def test_a_reset_and_a_consent_are_seen_by_all(self) -> None:
        collector = self.start_collector()
        agent = self.agent()
        first, second = self.initialized(agent, collector.url), self.initialized(agent, collector.url)
        before = second.call("getSessionId")["sessionId"]

        first.call("reset")
        second.call("track", "NEW")
        event = collector.wait(name="NEW", count=1)[0]
        self.assertNotEqual(event["body"]["session_id"], before)
        first.call("setConsent", "denied")
        self.assertEqual(second.call("isTrackingAllowed"), {"allowed": False})
        self.assertEqual(second.call("track", "NO"), {"status": "dropped", "reason": "TRACKING_NOT_ALLOWED"})

    def test_the_credentials_of_the_last_that_was_initialised_deliver_for_all(self) -> None:
        collector = self.start_collector()
        agent = self.agent()
        self.initialized(agent, collector.url).call("track", "A")
        first_request = collector.wait(name="A", count=1)[0]
        second = self.initialized(agent, collector.url, xApiKey="another-key-1234", headers={"X-Test-Id": "shop"})
        second.call("track", "B")

        request = collector.wait(name="B", count=1)[0]
        self.assertEqual(request["headers"]["x-test-id"], "shop")
        self.assertNotEqual(request["headers"]["x-api-key"], first_request["headers"]["x-api-key"])

    def test_a_halt_ends_with_the_key_of_another_connection(self) -> None:
        collector = self.start_collector()
        agent = self.agent()
        first = self.initialized(agent, collector.url)
        collector.faults(["401"])
        first.call("track", "A")
        collector.wait(kind="event", requests=1, accepted=False)

        self.initialized(agent, collector.url, xApiKey="another-key-1234")

        collector.wait(name="A", accepted=True, count=1)

    def test_other_options_of_delivery_are_a_warning(self) -> None:
        collector = self.start_collector()
        agent = self.agent()
        self.initialized(agent, collector.url)
        self.initialized(agent, collector.url, retryDelayMs=20)

        self.assertIn("The lane is open already, with other options of delivery", agent.log)


class LimitTests(AgentCase):
    """What one client cannot do to the others."""

    def test_more_clients_than_may_be_are_refused_and_the_others_go_on(self) -> None:
        self._refuses_one_more_than(3, self.agent("--max-connections", "3"))

    def test_all_that_may_be_by_default_are_served_by_few_threads(self) -> None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = 4096  # A descriptor for each of 1,024 clients, here and there, and some for the rest.
        if hard != resource.RLIM_INFINITY and hard < wanted:
            self.skipTest(f"no more than {hard} descriptors are allowed")
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        agent = self.agent()

        self._refuses_one_more_than(1024, agent)

        self.assertLess(agent.status("Threads"), 64)

    def test_one_queue_more_than_may_be_is_refused_and_the_others_go_on(self) -> None:
        collector = self.start_collector()
        agent = self.agent("--max-lanes", "2")
        clients = [self._basic(agent, collector, number) for number in range(2)]

        with self.connect(agent) as one_more:
            one_more.send("basic.initialize", *self._setup(agent, collector, 2))
            error = one_more.read()["error"]
        self.assertEqual((error["data"]["code"], error["data"]["retryable"]), ("INIT_ERROR", True))
        self.assertIn("--max-lanes 2", error["message"])
        for client in clients:
            self.assertEqual(client.call("basic.track", "A")["status"], "queued")
        clients.pop().close()
        self._takes_another(agent, collector)

    def _takes_another(self, agent: AgentProcess, collector: Collector) -> None:
        """Waits until a queue is closed: the agent does so a second after it was left, and nothing waits in it."""
        deadline = time.monotonic() + GUARD
        while time.monotonic() < deadline:
            with self.connect(agent) as client:
                client.send("basic.initialize", *self._setup(agent, collector, 2))
                if "result" in (client.read() or {}):
                    return
        self.fail("No queue is closed.")

    def _setup(self, agent: AgentProcess, collector: Collector, number: int) -> tuple[Any, ...]:
        options = {"storageDirectory": str(agent.state / str(number)), "retryDelayMs": 10}
        return KEY, f"{collector.url}/events", "1.0", options

    def _basic(self, agent: AgentProcess, collector: Collector, number: int) -> Connection:
        """A client with a queue of its own."""
        client = self.connect(agent)
        self.assertEqual(client.call("basic.initialize", *self._setup(agent, collector, number)), {})
        return client

    def test_it_opens_as_many_files_as_the_system_lets_it(self) -> None:
        agent = self.agent(prefix=["prlimit", "--nofile=100:5000"])
        limits = Path(f"/proc/{agent.process.pid}/limits").read_text()

        self.assertRegex(limits, r"Max open files +5000 +5000")

    def _refuses_one_more_than(self, most: int, agent: AgentProcess) -> None:
        clients = [self.connect(agent) for _ in range(most)]
        for client in clients:
            client.call("isTrackingAllowed")
        refused = self.connect(agent)

        error = refused.read()
        self.assertIsNone(error["id"])
        self.assertEqual((error["error"]["code"], error["error"]["data"]["code"]), (1013, "CONNECTION_REFUSED"))
        self.assertIn("--max-connections", error["error"]["message"])
        self.assertIsNone(refused.read())
        clients.pop().close()
        for client in clients:
            client.call("isTrackingAllowed")
        self._connects_again(agent)

    def _connects_again(self, agent: AgentProcess) -> None:
        """Waits until a place is free: the agent sees an end a moment later."""
        for _ in range(1000):
            with Connection(agent.path) as client:
                try:
                    client.send("isTrackingAllowed")
                    if "result" in (client.read() or {}):
                        return
                except (BrokenPipeError, ConnectionResetError):
                    pass
        self.fail("No place is free.")

    @unittest.skipIf("EMULATED" in os.environ, "an emulator needs descriptors of its own")
    def test_without_a_descriptor_left_it_says_so_and_the_others_go_on(self) -> None:
        agent = self.agent()
        first = self.connect(agent)
        first.call("isTrackingAllowed")
        descriptors = len(os.listdir(f"/proc/{agent.process.pid}/fd"))
        self._allow(agent, descriptors + 4)
        with ExitStack() as stack:
            clients = {client.socket: client for client in (stack.enter_context(Connection(agent.path)) for _ in range(20))}
            refused = select.select([*clients], [], [], GUARD)[0]
            self.assertTrue(refused, "Nobody was refused.")
            self.assertIn("no file descriptor left", clients[refused[0]].read()["error"]["message"])
            first.call("isTrackingAllowed")
        self._connects_again(agent)

    def test_without_even_the_last_descriptor_it_waits_and_does_not_spin(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            agent = self.agent()
            url = f"http://127.0.0.1:{silent.getsockname()[1]}"
            first = self.initialized(agent, url, sessionCreation="inBackground")
            first.call("track", "A")
            self._allow(agent, 3)
            waiting = self.connect(agent)
            before = self._processor_time(agent)

            # The server does not answer, so the flush takes its time.
            first.call("flush", 1000)

            self.assertLess(self._processor_time(agent) - before, 0.25)
            self._allow(agent, 1024)
            self.assertEqual(waiting.call("isTrackingAllowed"), {"allowed": True})

    def _allow(self, agent: AgentProcess, descriptors: int) -> None:
        """Limits how many descriptors an agent may have. Those that are open stay open."""
        subprocess.run(["prlimit", "--pid", str(agent.process.pid), f"--nofile={descriptors}:1024"], check=True)

    def _processor_time(self, agent: AgentProcess) -> float:
        """How long an agent has worked, in seconds."""
        fields = Path(f"/proc/{agent.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def test_many_clients_that_do_not_read_cost_no_more_than_the_bound(self) -> None:
        agent = self.agent()
        quick = self.connect(agent)
        call = b'{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}\n'
        # Each may have 32 MiB of answers that it does not read.
        slow = [self.connect(agent) for _ in range(300)]
        for client in slow:
            client.socket.sendall(call * 200)
            quick.call("isTrackingAllowed")

        for client in slow:
            self.assertTrue(select.select([client.socket], [], [], GUARD)[0])
        self.assertLess(agent.status("VmRSS"), 400_000)
        # One that reads gets everything.
        size = len(json.dumps(quick.call("rpc.discover")))
        self.assertGreater(size * 200 * len(slow), 4 << 30)
        answers = [slow[0].read() for _ in range(200)]
        self.assertTrue(all("result" in answer for answer in answers))

    def test_a_client_that_does_not_read_costs_little_and_delays_nobody(self) -> None:
        agent = self.agent()
        slow, quick = self.connect(agent), self.connect(agent)
        slow.socket.setblocking(False)
        call = b'{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}\n' * 200
        sent = 0
        deadline = time.monotonic() + 3 * GUARD
        # It reads nothing: in the end the agent reads nothing of it either.
        while select.select([], [slow.socket], [], 0.5)[1]:
            sent += slow.socket.send(call)
            quick.call("isTrackingAllowed")
            self.assertLess(time.monotonic(), deadline)

        self.assertGreater(sent, 0)
        self.assertLess(agent.status("VmRSS"), 200_000)
        quick.call("isTrackingAllowed")

    def test_half_a_message_delays_nobody(self) -> None:
        agent = self.agent()
        others = [self.connect(agent) for _ in range(100)]
        for number, other in enumerate(others):
            other.socket.sendall([b"Content-Length: 100\r\n", b'{"jsonrpc":', b"Content-Length: 9\r\n\r\n{", b""][number % 4])

        self.connect(agent).call("isTrackingAllowed")
        for other in others:
            other.close()
        self.connect(agent).call("isTrackingAllowed")

    def test_any_bytes_leave_the_others_alone(self) -> None:
        agent = self.agent("--max-message-bytes", "4096")
        quick = self.connect(agent)
        seed = int(os.environ.get("SEED", time.time_ns()))
        chance = random.Random(seed)
        pieces = [
            b'{"jsonrpc":"2.0","id":1,"method":"track","params":["A"]}\n', b"Content-Length: 12\r\n\r\n", b"[[[[", b"]}",
            b"\xef\xbb\xbf", b"\xff\xfe\x00", b'"\\ud800"', b"\n", b"\r\n\r\n", b"{" * 3000, b"x" * 5000, b"[1,2]\n",
        ]
        pieces += [path.read_bytes() for path in sorted((ROOT / "Tests" / "Fuzz" / "Corpus" / "framing").iterdir())]
        end = time.monotonic() + float(os.environ.get("FUZZ_SECONDS", 0))
        streams = itertools.count()
        while next(streams) < 150 or time.monotonic() < end:
            with self.subTest(seed=seed), Connection(agent.path) as client:
                data = b"".join(chance.choice(pieces) for _ in range(chance.randrange(1, 12)))
                try:
                    while data:
                        cut = chance.randrange(1, len(data) + 1)
                        client.socket.sendall(data[:cut])
                        data = data[cut:]
                    if chance.random() < 0.5:
                        client.socket.shutdown(socket.SHUT_WR)
                        for message in iter(client.read, None):
                            self.assertIn("jsonrpc", json.dumps(message))
                except (BrokenPipeError, ConnectionResetError, json.JSONDecodeError):
                    pass  # The answers of a stream with headers are no lines.
                quick.call("isTrackingAllowed")
        self.assertIsNone(agent.process.poll())

    def test_a_connection_costs_little(self) -> None:
        agent = self.agent()
        first = self.connect(agent)
        first.call("isTrackingAllowed")
        before = agent.status("VmRSS")
        clients = [self.connect(agent) for _ in range(500)]
        for client in clients:
            client.call("isTrackingAllowed")

        self.assertLess((agent.status("VmRSS") - before) / len(clients), 100)


class PlaceTests(AgentCase):
    """Where an agent listens, and who may connect."""

    def refused(self, *arguments: str) -> str:
        """What an agent says that does not start, and would not at another try (EX_CONFIG)."""
        process = subprocess.run([host_path(), *arguments], capture_output=True, text=True, timeout=GUARD)
        self.assertEqual(process.returncode, 78, process.stderr)
        return process.stderr

    def test_a_socket_that_is_served_is_an_error_that_names_the_process(self) -> None:
        agent = self.agent()

        sentence = self.refused("--listen", str(agent.path))
        self.assertIn(f"is served by process {agent.process.pid}: stop it first", sentence)
        self.connect(agent).call("isTrackingAllowed")

    def test_a_socket_of_another_program_is_an_error_too(self) -> None:
        path = self.folder / "other.sock"
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(str(path))
            other.listen()
            self.assertIn(f"is served by process {os.getpid()}", self.refused("--listen", str(path)))

    def test_a_socket_that_a_killed_agent_has_left_is_replaced(self) -> None:
        agent = self.agent()
        agent.end(signal.SIGKILL)
        self.assertTrue(agent.path.is_socket())

        self.connect(self.agent()).call("isTrackingAllowed")

    def test_what_is_no_socket_is_left_alone(self) -> None:
        path = self.folder / "file"
        path.write_text("precious")

        self.assertIn("is there already and is no socket", self.refused("--listen", str(path)))
        self.assertEqual(path.read_text(), "precious")

    def test_a_folder_that_others_can_write_to_is_refused(self) -> None:
        for mode in (0o777, 0o1777, 0o770):
            with self.subTest(oct(mode)):
                folder = self.folder / oct(mode)
                folder.mkdir()
                folder.chmod(mode)
                sentence = self.refused("--listen", str(folder / "agent.sock"))
                self.assertIn(f"others can write to {folder}", sentence)
                self.assertIn("chmod go-w", sentence)

    def test_a_path_that_is_too_long_is_refused(self) -> None:
        self.assertIn("longer than 107 bytes", self.refused("--listen", f"{self.folder}/{'x' * 120}"))

    def test_a_folder_that_is_not_there_is_an_error_that_says_how_to_make_it(self) -> None:
        folder = self.folder / "none"
        self.assertIn(f"Make it: mkdir -m 0700 -p '{folder}'", self.refused("--listen", str(folder / "agent.sock")))

    @unittest.skipUnless(shutil.which("unshare"), "unshare is not installed")
    def test_what_the_system_lacks_now_is_worth_another_start(self) -> None:
        # A disk with room for its own folder and no file.
        script = 'mount -t tmpfs -o nr_inodes=1,mode=0700 none "$1" || exit 99; exec "$2" --listen "$1/agent.sock"'
        words = [script, "sh", str(self.folder), str(host_path())]
        command = ["unshare", "--mount", "--map-root-user", "/bin/sh", "-c", *words]
        process = subprocess.run(command, capture_output=True, text=True, timeout=GUARD)
        if process.returncode in (1, 99) and "BridgeHost" not in process.stderr:
            self.skipTest(f"no disk may be mounted: {process.stderr.strip()}")

        self.assertEqual(process.returncode, 1, process.stderr)
        self.assertIn("the lock cannot be made: ", process.stderr)
        self.assertIn("No space left on device", process.stderr)

    @unittest.skipIf("EMULATED" in os.environ, "an emulator needs descriptors of its own")
    def test_with_few_descriptors_it_serves_and_can_be_stopped_or_says_that_it_needs_more(self) -> None:
        path = self.folder / "agent.sock"
        codes = []
        for limit in range(4, 14):
            process = subprocess.Popen(
                ["/bin/sh", "-c", 'ulimit -n "$1" && exec "$2" --listen "$3" --log-level info', "sh", str(limit),
                 str(host_path()), str(path)],
                stderr=subprocess.PIPE, text=True)
            self.addCleanup(process.kill)
            assert process.stderr is not None
            with process.stderr as lines:
                said = list(itertools.takewhile(lambda line: "Listening" not in line, lines))
                if process.poll() is None:
                    process.send_signal(signal.SIGTERM)
                codes.append(process.wait(GUARD))
            self.assertIn(codes[-1], (0, 1), f"{limit} descriptors: {said}")
            self.assertFalse(path.exists())
        self.assertEqual(set(codes), {0, 1})

    def test_the_mode_says_who_may_connect(self) -> None:
        agent = self.agent()
        self.assertEqual(stat.S_IMODE(agent.path.stat().st_mode), 0o600)
        agent.end()
        for mode in ("0660", "660"):
            agent = self.agent("--listen-mode", mode)
            self.assertEqual(stat.S_IMODE(agent.path.stat().st_mode), 0o660)
            agent.end()

    @unittest.skipUnless(os.geteuid() == 0, "only root can become another user")
    def test_another_user_is_refused_although_the_file_lets_him_in(self) -> None:
        agent = self.agent()
        self.folder.chmod(0o755)
        agent.path.chmod(0o666)
        output = as_another_user(agent.path, "$s->sysread(my $answer, 9999); print $answer")

        self.assertIn("CONNECTION_REFUSED", output.stdout, output.stderr)
        self.assertIn("User 65534 may not use this agent", output.stdout)

    @unittest.skipUnless(os.geteuid() == 0, "only root can become another user")
    def test_the_group_may_be_set_once_the_agent_listens(self) -> None:
        agent = self.agent("--listen-mode", "0660")
        self.folder.chmod(0o755)
        os.chown(agent.path, -1, 65534)

        call = '{"jsonrpc":"2.0","id":1,"method":"isTrackingAllowed"}'
        output = as_another_user(
            agent.path, f"$s->syswrite(qq({call}\\n)); $s->sysread(my $answer, 9999); print $answer")

        self.assertIn('"result":{"allowed":', output.stdout, output.stderr)

    def test_wrong_arguments_are_errors(self) -> None:
        for arguments, sentence in (
            (["--listen-mode", "0660"], "--listen-mode needs --listen"),
            (["--listen-mode", "0666"], "--listen-mode must be 0600, this user alone, or 0660"),
            (["--max-connections", "0"], "--max-connections must be a number"),
            (["--listen"], "--listen needs a value"),
        ):
            process = subprocess.run([host_path(), *arguments], capture_output=True, text=True, timeout=GUARD)
            self.assertEqual(process.returncode, 64)
            self.assertIn(sentence, process.stderr)


class LifeTests(AgentCase):
    """How an agent begins and ends."""

    def test_a_signal_ends_it_and_what_waits_is_sent(self) -> None:
        collector = self.start_collector()
        agent = self.agent()
        connection = self.initialized(agent, collector.url)
        for number in range(50):
            connection.send("track", f"E{number}")
        for _ in range(50):
            connection.read()

        self.assertEqual(agent.end(), 0)

        self.assertIsNone(connection.read())
        self.assertEqual(collector.names(), [f"E{number}" for number in range(50)])
        self.assertFalse(agent.path.exists())

    def test_it_ends_in_the_time_of_its_shutdown_although_nothing_can_be_sent(self) -> None:
        collector = self.start_collector()
        agent = self.agent("--shutdown-timeout", "2s")
        connection = self.initialized(agent, collector.url)
        collector.faults(["delay=60000×always"])
        connection.call("track", "A")
        begin = time.monotonic()

        self.assertEqual(agent.end(), 0)

        self.assertLess(time.monotonic() - begin, 2 + GUARD / 4)

    def test_with_a_configuration_it_delivers_what_waits_before_anybody_connects(self) -> None:
        collector = self.start_collector()
        collector.faults(["503×always"])
        agent = self.agent()
        self.initialized(agent, collector.url, sessionCreation="inBackground").call("track", "LEFT")
        agent.end(signal.SIGKILL)
        collector.faults([])
        file = self.folder / "clients.json"
        file.touch(mode=0o600)
        file.write_text(json.dumps({"init": ["925", {"apiUrl": collector.url, "xApiKey": KEY, "retryDelayMs": 10}]}))

        agent = self.agent("--config", str(file))

        collector.wait(kind="event", name="LEFT", count=1, accepted=True)
        self.initialized(agent, collector.url).call("track", "MORE")
        collector.wait(kind="event", name="MORE", count=1, accepted=True)
        # The lane that several clients share is counted once.
        metrics = self.connect(agent).call("host.metrics")["text"]
        self.assertRegex(metrics, r'accepted_records_total\{client="tracker"\} 1\n')

    def test_if_its_configuration_cannot_be_started_it_leaves_no_socket(self) -> None:
        file = self.folder / "clients.json"
        file.touch(mode=0o600)
        for code, name, value in [(78, "unknown", "x"), (1, "storageDirectory", str(file / "state"))]:
            config = {"apiUrl": "http://127.0.0.1:9", "xApiKey": KEY, name: value}
            file.write_text(json.dumps({"init": ["925", config]}))
            agent = self.agent("--config", str(file), waits=False)

            with self.subTest(code=code):
                self.assertEqual(agent.process.wait(GUARD), code, agent.log)
                self.assertFalse(agent.path.exists())

    def test_systemd_passes_on_the_socket_and_learns_when_it_is_ready(self) -> None:
        notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(notices.close)
        notices.settimeout(GUARD)
        notices.bind(str(self.folder / "notify"))
        path = self.folder / "systemd.sock"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
            listener.listen()
            self.started_by_systemd(listener, NOTIFY_SOCKET=str(self.folder / "notify"))

            self.assertEqual(notices.recv(100), b"READY=1")
            with Connection(path) as client:
                client.call("isTrackingAllowed")
            self.assertFalse((self.folder / "agent.sock").exists())

    @unittest.skipUnless(os.geteuid() == 0, "only root can become another user")
    def test_the_socket_that_systemd_passes_on_says_who_may_connect(self) -> None:
        path = self.folder / "systemd.sock"
        self.folder.chmod(0o755)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
            os.chown(path, 0, 65534)
            path.chmod(0o660)
            listener.listen()
            self.started_by_systemd(listener)

            call = '{"jsonrpc":"2.0","id":1,"method":"isTrackingAllowed"}'
            output = as_another_user(path, f"$s->syswrite(qq({call}\\n)); $s->sysread(my $answer, 9999); print $answer")

        self.assertIn('"result":{"allowed":', output.stdout, output.stderr)

    def started_by_systemd(self, listener: socket.socket, **variables: str) -> None:
        """Starts an agent to which a socket is passed on."""
        # As systemd does it: the socket is descriptor 3, and the variable names the process itself.
        script = f'exec 3<&{listener.fileno()}; LISTEN_PID=$$ exec "$0" "$@"'
        AgentProcess(
            self, self.folder, prefix=["/bin/sh", "-c", script], pass_fds=[listener.fileno()],
            env={**os.environ, "LISTEN_FDS": "1", **variables},
        )

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
    def test_the_units_are_what_systemd_takes(self) -> None:
        for unit in (ROOT / "BridgeHost/System").iterdir():
            # The program of the unit must be there for the check.
            text = unit.read_text().replace("/usr/bin/BridgeHost", str(host_path()))
            (self.folder / unit.name).write_text(text)
        units = [str(self.folder / f"mobile-tracker.{kind}") for kind in ("service", "socket")]
        process = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, timeout=GUARD)

        self.assertEqual((process.returncode, process.stderr), (0, ""))

    def test_the_service_does_not_start_again_after_what_a_start_cannot_mend(self) -> None:
        unit = (ROOT / "BridgeHost/System/mobile-tracker.service").read_text()
        process = subprocess.run([host_path(), "--listen", self.folder / "none/agent.sock"], stderr=subprocess.DEVNULL)

        self.assertIn("\nRestart=always\n", unit)
        self.assertIn(f"\nRestartPreventExitStatus={process.returncode}\n", unit)


if __name__ == "__main__":
    unittest.main()
