"""Measures an agent: what connections cost, what a command pays for its event, and many writers against one pipe."""

from __future__ import annotations

import argparse
import json
import os
import resource
import select
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

BACKEND = """
import http.server
class Backend(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b'{"data":{"id":"session-1"}}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    do_PUT = do_POST
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Backend)
print(server.server_port, flush=True)
server.serve_forever()
"""
"""A backend that takes everything, in a process of its own."""


def message(number: int, method: str, *params: object) -> bytes:
    """A call as a line."""
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


class Agent:
    """An agent with a state folder of its own."""

    running: set[subprocess.Popen[bytes]] = set()

    def __init__(self, host: Path, folder: Path) -> None:
        self.path = str(folder / "agent.sock")
        command = [str(host), "--listen", self.path, "--storage-dir", str(folder / "state"), "--log-level", "error"]
        self.process = subprocess.Popen(command)
        self.running.add(self.process)
        while True:
            try:
                self.connect().close()
                return
            except OSError:
                time.sleep(0.005)

    def connect(self) -> socket.socket:
        """A connection."""
        client = socket.socket(socket.AF_UNIX)
        client.connect(self.path)
        return client

    def status(self, name: str) -> int:
        """A number of `/proc/PID/status`."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line for line in text.splitlines() if line.startswith(f"{name}:")).split()[1])

    def end(self) -> None:
        """Ends it."""
        self.process.terminate()
        self.process.wait()
        self.running.discard(self.process)


def read_lines(client: socket.socket, count: int) -> bytes:
    """Reads so many answers."""
    got = b""
    while got.count(b"\n") < count:
        piece = client.recv(1 << 16)
        if not piece:
            raise SystemExit(f"The agent has closed the connection: {got!r}")
        got += piece
    return got


def measure_connections(agent: Agent, init: bytes, count: int) -> dict[str, float]:
    """Connections that each initialise and track."""
    idle = []
    before = agent.status("VmRSS")
    for _ in range(count):
        idle.append(agent.connect())
        idle[-1].sendall(message(1, "isTrackingAllowed"))
        read_lines(idle[-1], 1)
    idle_cost = (agent.status("VmRSS") - before) / count
    for client in idle:
        client.sendall(init + message(2, "track", "CONNECTED"))
    for client in idle:
        answers = read_lines(client, 2)
        if b'"status"' not in answers or b"dropped" in answers:
            raise SystemExit(f"No event: {answers!r}")
    figures = {
        "connections": count, "threads": agent.status("Threads"), "resident_mb": agent.status("VmRSS") / 1024,
        "idle_kb_each": idle_cost,
    }
    for client in idle:
        client.close()
    return figures


def measure_command(agent: Agent, init: bytes, rounds: int) -> dict[str, float]:
    """A command that connects, tracks, awaits `queued` and ends, and one that only connects."""
    calls = init + message(2, "track", "COMMAND", {"total": 149.99})

    def connect_alone() -> None:
        client = agent.connect()
        client.close()

    def track() -> None:
        client = agent.connect()
        client.sendall(calls)
        if b'"queued"' not in read_lines(client, 2):
            raise SystemExit("The event was not queued.")
        client.close()

    # The first of all makes the session.
    with agent.connect() as client:
        client.sendall(init)
        read_lines(client, 1)
    times: dict[str, list[float]] = {"connect": [], "track": []}
    for _ in range(rounds):
        for name, command in (("connect", connect_alone), ("track", track)):
            begin = time.perf_counter()
            command()
            times[name].append((time.perf_counter() - begin) * 1000)
    connect, tracked = (statistics.median(times[name]) for name in ("connect", "track"))
    return {"connect_ms": connect, "track_ms": tracked, "more_ms": tracked - connect}


def pump(descriptors: list[tuple[int, int]], data: bytes, answers: int) -> float:
    """Writes the same to all of these pairs of descriptors, and reads so many answers of each; returns the seconds."""
    writing = {writer: memoryview(data) for writer, _ in descriptors}
    missing = {reader: answers for _, reader in descriptors}
    begin = time.perf_counter()
    poll = select.epoll()
    for writer, reader in descriptors:
        os.set_blocking(writer, False)
        os.set_blocking(reader, False)
        if writer == reader:
            poll.register(writer, select.EPOLLIN | select.EPOLLOUT)
        else:
            poll.register(writer, select.EPOLLOUT)
            poll.register(reader, select.EPOLLIN)
    while missing:
        for descriptor, events in poll.poll():
            if events & select.EPOLLOUT and descriptor in writing:
                rest = writing[descriptor][os.write(descriptor, writing[descriptor][: 1 << 16]) :]
                if rest:
                    writing[descriptor] = rest
                else:
                    del writing[descriptor]
                    if descriptor in missing:
                        poll.modify(descriptor, select.EPOLLIN)
                    else:
                        poll.unregister(descriptor)
            if events & select.EPOLLIN and descriptor in missing:
                missing[descriptor] -= os.read(descriptor, 1 << 18).count(b"\n")
                if missing[descriptor] <= 0:
                    del missing[descriptor]
                    poll.unregister(descriptor)
    return time.perf_counter() - begin


def tracks(count: int) -> bytes:
    return b"".join(message(number + 2, "track", "EVENT", {"number": number}) for number in range(count))


def measure_writers(
    host: Path, folder: Path, init: bytes, writers: int, events: int, rounds: int
) -> dict[str, float | list[float]]:
    """Many writers at once to an agent, and the same events through the pipe of one host, by turns.

    Each has its `init` before. The medians count: neighbours on the machine slow down single rounds of either.
    """
    each = events // writers
    agents, pipes = [], []
    for number in range(rounds):
        place = folder / f"round-{number}"
        place.mkdir(mode=0o700)
        agents.append(each * writers / time_agent(host, place, init, writers, each))
        pipes.append(each * writers / time_pipe(host, place, init, each * writers))
        shutil.rmtree(place)
    ratios = [many / one for many, one in zip(agents, pipes)]
    return {
        "writers": writers, "agent_per_s": statistics.median(agents), "pipe_per_s": statistics.median(pipes),
        "ratio": statistics.median(ratios), "ratios": ratios,
    }


def time_agent(host: Path, folder: Path, init: bytes, writers: int, each: int) -> float:
    """The seconds in which an agent takes so many events of each writer."""
    agent = Agent(host, folder)
    clients = [agent.connect() for _ in range(writers)]
    ends = [(client.fileno(), client.fileno()) for client in clients]
    pump(ends, init, 1)
    seconds = pump(ends, tracks(each), each)
    for client in clients:
        client.close()
    agent.end()
    return seconds


def time_pipe(host: Path, folder: Path, init: bytes, events: int) -> float:
    """The seconds in which a host takes so many events through its pipe."""
    command = [str(host), "--storage-dir", str(folder / "pipe"), "--log-level", "error"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        ends = [(process.stdin.fileno(), process.stdout.fileno())]
        pump(ends, init, 1)
        seconds = pump(ends, tracks(events), events)
        process.terminate()
    return seconds


def resident(process: int) -> float:
    """What a process takes of the memory, in MB: pages that others share count in part."""
    text = Path(f"/proc/{process}/smaps_rollup").read_text()
    return int(next(line for line in text.splitlines() if line.startswith("Pss:")).split()[1]) / 1024


def measure_memory(host: Path, folder: Path, init: bytes, workers: int) -> dict[str, float]:
    """What the workers of a server take if each has a host of its own, and with an agent."""
    calls = init + message(2, "track", "EVENT")
    (folder / "served").mkdir(mode=0o700)
    agent = Agent(host, folder / "served")
    clients = [agent.connect() for _ in range(workers)]
    for client in clients:
        client.sendall(calls)
    for client in clients:
        read_lines(client, 2)
    shared = resident(agent.process.pid)
    agent.end()
    command = [str(host), "--storage-dir", str(folder / "own"), "--log-level", "error"]
    hosts = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(workers)]
    for process in hosts:
        assert process.stdin and process.stdout
        process.stdin.write(calls)
        process.stdin.flush()
    for process in hosts:
        assert process.stdout
        process.stdout.readline()
        process.stdout.readline()
    own = sum(resident(process.pid) for process in hosts)
    for process in hosts:
        process.communicate()
    return {"workers": workers, "agent_mb": shared, "hosts_mb": own}


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", type=Path, default=ROOT / ".build/release/BridgeHost", help="the host to measure")
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=300, help="how often a command is run")
    parser.add_argument("--events", type=int, default=64_000, help="how many events the writers write in all")
    parser.add_argument("--turns", type=int, default=7, help="how often they do, and the one pipe after them")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, options.connections * 2 + 200), hard))
    folder = Path(tempfile.mkdtemp(prefix="bench-agent-"))
    backend = subprocess.Popen([sys.executable, "-c", BACKEND], stdout=subprocess.PIPE, text=True)
    try:
        assert backend.stdout
        url = f"http://127.0.0.1:{backend.stdout.readline().strip()}"
        init = message(1, "init", "925", {"apiUrl": url, "xApiKey": "key-12345678"})
        # What is measured is the way to the disk, so nothing is delivered meanwhile.
        offline = {"apiUrl": "http://127.0.0.1:9", "xApiKey": "key-12345678", "sessionCreation": "inBackground"}
        (folder / "a").mkdir(mode=0o700)
        agent = Agent(options.host, folder / "a")
        figures: dict[str, dict[str, Any]] = {"command": measure_command(agent, init, options.rounds)}
        agent.end()
        (folder / "b").mkdir(mode=0o700)
        agent = Agent(options.host, folder / "b")
        figures["connections"] = measure_connections(agent, init, options.connections)
        agent.end()
        first = message(1, "init", "925", offline)
        figures["writers"] = measure_writers(options.host, folder, first, 64, options.events, options.turns)
        figures["memory"] = measure_memory(options.host, folder, init, 8)
    finally:
        backend.kill()
        for process in Agent.running:
            process.kill()
        shutil.rmtree(folder, ignore_errors=True)
    connections, command, writers = figures["connections"], figures["command"], figures["writers"]
    memory = figures["memory"]
    print(
        f"{connections['connections']} connections that each init and track: {connections['threads']} threads (limit 64), "
        f"{connections['resident_mb']:.0f} MB (limit 120); {connections['idle_kb_each']:.0f} KB each while idle (limit 100)\n"
        f"A command that connects, inits, tracks, awaits `queued` and ends: {command['track_ms']:.2f} ms, "
        f"{command['more_ms']:.2f} ms more than one that only connects (limit 1.5)\n"
        f"{writers['writers']} writers at once: {writers['agent_per_s']:,.0f} events/s, one pipe: "
        f"{writers['pipe_per_s']:,.0f} events/s; {writers['ratio']:.2f} times (at least 1); "
        f"single turns {min(writers['ratios']):.2f} to {max(writers['ratios']):.2f}\n"
        f"{memory['workers']} workers: {memory['agent_mb']:.0f} MB of one agent, {memory['hosts_mb']:.0f} MB of a host for each"
    )
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
