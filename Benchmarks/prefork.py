"""Measures the memory of real prefork servers, gunicorn and Celery from PyPI: their workers share one agent, or have a host
each.

    .build/python/bin/python Benchmarks/prefork.py [the host]
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "Benchmarks"), str(ROOT / "BridgeHost/Python"), str(ROOT / "BridgeHost/Python/src")]

from agent import BACKEND, Agent, resident  # noqa: E402
from tests.test_agent_servers import APPLICATION, SHOP  # noqa: E402

WORKERS = 8


def children(parent: int) -> Iterator[int]:
    """The processes that a process has started, and theirs."""
    for task in Path(f"/proc/{parent}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield int(child)
            yield from children(int(child))


def name(process: int) -> str:
    """The name of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{process}/comm").read_text().strip()
    except FileNotFoundError:
        return ""


def run(command: list[str], folder: Path, environment: dict[str, str], **options: object) -> subprocess.Popen[bytes]:
    """A server of Python that says nothing."""
    return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
        [sys.executable, "-m", *command], cwd=folder, env=environment, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, **options,
    )


def gunicorn(folder: Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """gunicorn, each of whose workers has answered."""
    (folder / "web.py").write_text(APPLICATION)
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        port, descriptor = listener.getsockname()[1], listener.fileno()
        command = ["gunicorn", "web:application", "--workers", str(WORKERS), "--bind", f"fd://{descriptor}"]
        server = run(command, folder, environment, pass_fds=[descriptor])

        def ask(_: int) -> bytes:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60) as answer:
                worker: bytes = answer.read()
                return worker

        workers: set[bytes] = set()
        with ThreadPoolExecutor(WORKERS * 2) as pool:
            while len(workers) < WORKERS:
                workers |= set(pool.map(ask, range(WORKERS * 8)))
    return server


def celery(folder: Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """A worker of Celery, each of whose children has done some tasks."""
    for part in ("queue", "control"):
        (folder / part).mkdir()
    (folder / "shop.py").write_text(SHOP)
    send = f"import shop\nfor number in range({WORKERS * 50}): shop.order.delay(number)\nimport os; os._exit(0)"
    subprocess.run([sys.executable, "-c", send], cwd=folder, env=environment, check=True)
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "error"]
    server = run(["celery", "-A", "shop", "worker", "--concurrency", str(WORKERS), *quiet], folder, environment)
    while server.poll() is None and any((folder / "queue").iterdir()):
        time.sleep(0.05)
    return server


def main() -> None:
    """Prints the figures."""
    host = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build/release/BridgeHost").resolve()
    backend = subprocess.Popen([sys.executable, "-c", BACKEND], stdout=subprocess.PIPE, text=True)
    assert backend.stdout
    url = f"http://127.0.0.1:{backend.stdout.readline().strip()}"
    servers: list[subprocess.Popen[bytes]] = []
    try:
        for start in (gunicorn, celery):
            for shares in (True, False):
                with tempfile.TemporaryDirectory() as temporary:
                    folder = Path(temporary)
                    environment = {
                        **os.environ, "BACKEND": url, "C_FORCE_ROOT": "1", "XDG_STATE_HOME": str(folder / "state"),
                        "PYTHONPATH": os.pathsep.join((str(ROOT / "BridgeHost/Python/src"), str(folder))),
                        "MOBILE_TRACKER_HOST": str(host),
                    }
                    agent = None
                    if shares:
                        (folder / "agent").mkdir(mode=0o700)
                        agent = Agent(host, folder / "agent")
                        environment["MOBILE_TRACKER_AGENT"] = agent.path
                    server = start(folder, environment)
                    servers.append(server)
                    if server.poll() is not None:
                        sys.exit(f"{start.__name__} has ended with {server.returncode}.")
                    below = list(children(server.pid))
                    hosts = [process for process in below if name(process) == host.name[:15]]
                    if agent:
                        hosts.append(agent.process.pid)
                    whole = sum(map(resident, {server.pid, *below, *hosts}))
                    what = "one agent" if shares else f"{len(hosts)} hosts"
                    print(
                        f"{start.__name__} with {WORKERS} workers: {what}: {sum(map(resident, hosts)):.0f} MB, "
                        f"{whole:.0f} MB with the server", flush=True,
                    )
                    server.terminate()
                    server.wait()
                    if agent:
                        agent.end()
    finally:
        for process in (*servers, *Agent.running):
            process.kill()
        backend.kill()


if __name__ == "__main__":
    main()
