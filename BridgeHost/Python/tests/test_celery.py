"""Workers of Celery, the real one: they end by `os._exit`, and deliver what they tracked all the same."""

from __future__ import annotations

import importlib.util
import os
import select
import signal
import subprocess
import sys
import unittest

from .support import GUARD, SOURCE, TestCase, host_path

TASKS = 6
EVENTS = 5
"""How many events each task tracks."""

SHOP = f"""
import os
from celery import Celery
from mobiletracker import MobileTracker, _channel

# On a busy machine the usual time may be too short.
_channel._EXIT_FLUSH = _channel._EXIT_SHUTDOWN = {GUARD}

app = Celery("shop", broker="filesystem://")
folders = {{"data_folder_in": "queue", "data_folder_out": "queue", "control_folder": "control"}}
app.conf.update(broker_transport_options=folders | {{"polling_interval": 0.05}}, worker_prefetch_multiplier=1)

tracker = MobileTracker(host_arguments=["--storage-dir", "state", "--shutdown-timeout", "60s"], stderr="ignore")
tracker.init("925", {{"session_creation": "inBackground", "retry_delay_ms": 10}})


@app.task
def order(number):
    for event in range({EVENTS}):
        tracker.track("ORDER", {{"number": number, "event": event, "worker": os.getpid()}})
    with open("done", "w") as done:
        done.write("x")
"""


@unittest.skipUnless(importlib.util.find_spec("celery"), "celery is not installed; .ci/setup tests does that")
class CeleryTests(TestCase):
    """A tracker of the module, which each worker has a copy of."""

    def setUp(self) -> None:
        super().setUp()
        self.collector = self.start_collector()
        for name in ("queue", "control"):
            (self.folder / name).mkdir()
        os.mkfifo(self.folder / "done")
        self.done = os.open(self.folder / "done", os.O_RDWR)
        self.addCleanup(os.close, self.done)
        (self.folder / "shop.py").write_text(SHOP)
        # It starts so late that a worker has ended, unless the worker waits for it.
        host = self.folder / "late-host"
        host.write_text(f"#!/bin/sh\nsleep 2\nexec '{host_path()}' \"$@\"\n")
        host.chmod(0o755)
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(SOURCE), str(self.folder))),
            "MOBILE_TRACKER_HOST": str(host),
            "MOBILE_TRACKER_API_URL": self.collector.url,
            "MOBILE_TRACKER_KEY": "key-12345678",
            "C_FORCE_ROOT": "1",
        }

    def test_deliver_what_they_tracked_when_they_are_recycled_and_at_a_graceful_stop(self) -> None:
        for options, workers in ((["--max-tasks-per-child", "2"], 3), ([], 1)):
            with self.subTest(options):
                self.collector.clear()
                self.run_tasks(options)

                requests = self.collector.wait(
                    kind="event", count=TASKS * EVENTS, accepted=True, repeats=False
                )
                events = [request["body"]["data"] for request in requests]
                self.assertEqual(
                    sorted((event["number"], event["event"]) for event in events),
                    [(number, event) for number in range(TASKS) for event in range(EVENTS)],
                )
                # Two of them work at a time: a third one has taken the place of another.
                self.assertGreaterEqual(len({event["worker"] for event in events}), workers)

    def run_tasks(self, options: list[str]) -> None:
        """Runs a worker until all tasks are done, and stops it gracefully."""
        send = f"import shop\nfor number in range({TASKS}): shop.order.delay(number)\nimport os; os._exit(0)"
        subprocess.run([sys.executable, "-c", send], cwd=self.folder, env=self.environment, check=True, timeout=GUARD)
        quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "error"]
        command = [sys.executable, "-m", "celery", "-A", "shop", "worker", "--concurrency", "2", *quiet, *options]
        log = self.folder / "log"
        with log.open("w") as output, subprocess.Popen(
            command, cwd=self.folder, env=self.environment, stdout=output, stderr=output
        ) as worker:
            try:
                for _ in range(TASKS):
                    self.assertTrue(select.select([self.done], [], [], GUARD)[0], log.read_text())
                    os.read(self.done, 1)
                worker.send_signal(signal.SIGTERM)
                worker.wait(GUARD)
            finally:
                worker.kill()
        self.assertNotIn("Traceback", log.read_text())


if __name__ == "__main__":
    unittest.main()
