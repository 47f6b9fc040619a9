"""Prefork servers whose workers share one agent: gunicorn and Celery, the real ones from PyPI."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import subprocess
import sys
import unittest
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from .agents import AgentProcess
from .support import GUARD, SOURCE, TestCase

APPLICATION = """
import os
from mobiletracker import MobileTracker

tracker = MobileTracker()
config = {"api_url": os.environ["BACKEND"], "x_api_key": "key-12345678", "retry_delay_ms": 10}
tracker.init("925", config | {"session_creation": "inBackground"})

def application(environ, start_response):
    receipt = tracker.track("REQUEST", {"path": environ["PATH_INFO"]})
    status = receipt.outcome(60).status
    start_response("200 OK" if status in ("queued", "pending") else "500 " + status, [])
    return [str(os.getpid()).encode()]
"""

SHOP = """
import os
from celery import Celery
from mobiletracker import MobileTracker

app = Celery("shop", broker="filesystem://")
folders = {"data_folder_in": "queue", "data_folder_out": "queue", "control_folder": "control"}
app.conf.update(broker_transport_options=folders | {"polling_interval": 0.05}, worker_prefetch_multiplier=1)

tracker = MobileTracker()
config = {"api_url": os.environ["BACKEND"], "x_api_key": "key-12345678", "retry_delay_ms": 10}
tracker.init("925", config | {"session_creation": "inBackground"})


@app.task
def order(number):
    for event in range(5):
        tracker.track("ORDER", {"number": number, "event": event, "worker": os.getpid()})
"""


class ServerTests(TestCase):
    """The workers connect to an agent instead of starting a host each."""

    def setUp(self) -> None:
        super().setUp()
        self.collector = self.start_collector()
        self.agent = AgentProcess(self, self.folder)
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(SOURCE), str(self.folder))),
            "MOBILE_TRACKER_AGENT": str(self.agent.path),
            "MOBILE_TRACKER_HOST": "/nowhere",
            "BACKEND": self.collector.url,
            "C_FORCE_ROOT": "1",
        }
        self.log = self.folder / "log"

    def start(self, *command: str, passing: Sequence[int] = ()) -> subprocess.Popen[bytes]:
        """A server, ended after the test.

        :param passing: The descriptors that it gets.
        """
        with self.log.open("w") as log:
            server = subprocess.Popen(
                [sys.executable, "-m", *command], cwd=self.folder, env=self.environment, stdout=log, stderr=log,
                pass_fds=passing,
            )
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        return server

    @unittest.skipUnless(importlib.util.find_spec("gunicorn"), "gunicorn is not installed; .ci/setup tests does that")
    def test_gunicorn_with_8_workers_that_are_recycled(self) -> None:
        (self.folder / "web.py").write_text(APPLICATION)
        # Requests wait in it until the server takes them.
        listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.addCleanup(listener.close)
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        server = self.start(
            "gunicorn", "web:application", "--workers", "8", "--bind", f"fd://{listener.fileno()}",
            "--max-requests", "20", "--max-requests-jitter", "10", passing=[listener.fileno()],
        )

        def ask(number: int) -> bytes:
            with urllib.request.urlopen(f"http://{address}/{number}", timeout=GUARD) as answer:
                worker: bytes = answer.read()
                return worker

        with ThreadPoolExecutor(8) as pool:
            workers = set(pool.map(ask, range(400)))
        server.send_signal(signal.SIGTERM)
        server.wait(GUARD)

        requests = self.collector.wait(kind="event", count=400, accepted=True, repeats=False)
        paths = [request["body"]["data"]["path"] for request in requests]
        self.assertEqual(sorted(paths), sorted(f"/{number}" for number in range(400)))
        self.assertGreater(len(workers), 8, "No worker was recycled.")
        self.assertEqual(len(self.collector.received(kind="session")), 1)
        self.assertLess(self.agent.status("Threads"), 24)

    @unittest.skipUnless(importlib.util.find_spec("celery"), "celery is not installed; .ci/setup tests does that")
    def test_celery_with_children_that_are_recycled(self) -> None:
        for name in ("queue", "control"):
            (self.folder / name).mkdir()
        (self.folder / "shop.py").write_text(SHOP)
        send = "import shop\nfor number in range(24): shop.order.delay(number)\nimport os; os._exit(0)"
        subprocess.run([sys.executable, "-c", send], cwd=self.folder, env=self.environment, check=True, timeout=GUARD)
        quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "error"]
        worker = self.start(
            "celery", "-A", "shop", "worker", "--concurrency", "4", "--max-tasks-per-child", "3", *quiet
        )

        requests = self.collector.wait(kind="event", count=120, accepted=True, repeats=False)
        worker.send_signal(signal.SIGTERM)
        worker.wait(GUARD)

        events = [request["body"]["data"] for request in requests]
        every = [(number, event) for number in range(24) for event in range(5)]
        self.assertEqual(sorted((event["number"], event["event"]) for event in events), every)
        # None has done more than three tasks.
        self.assertGreaterEqual(len({event["worker"] for event in events}), 8)
        self.assertEqual(len(self.collector.received(kind="session")), 1)
        self.assertNotIn("Traceback", self.log.read_text())


if __name__ == "__main__":
    unittest.main()
