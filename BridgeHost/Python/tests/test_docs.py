"""The examples of the pages, run as they stand against a backend."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import unittest
import urllib.request
from pathlib import Path

from .support import GUARD, PACKAGE, ROOT, SOURCE, TestCase, patient_host

EXAMPLES = {
    "front page": ROOT / "README.md",
    "start": ROOT / "Docs/GettingStarted.md",
    "package": PACKAGE / "README.md",
    "guide": ROOT / "Docs/Python.md",
    "backends": ROOT / "Docs/Backends.md",
    "migration": ROOT / "Docs/Migration.md",
}

ARRIVES = {
    "front page": [["Order Completed"] * 2, ["PURCHASE"], ["Report Made"]],
    "start": [["PURCHASE"]],
    "package": [["PURCHASE"], ["PURCHASE"]],
    "guide": [
        ["ROW_IMPORTED"] * 3,
        ["Row Imported"] * 25,
        ["PURCHASE"],
        ["REQUEST"],
        ["STARTED", "PURCHASE"],
        ["Order Completed"] * 2,
        ["Button Clicked"],
        [],
        ["PURCHASE"],
        ["PURCHASE"],
        ["SIGNED_UP"],
        ["READING"],
        ["PURCHASE"],
    ],
    "backends": [["Order Completed"]],
    "migration": [["Plan Changed"], ["Plan Changed"]],
}
"""What each program of a page tracks; a block that imports nothing is part of one."""


def programs(page: Path) -> list[str]:
    """The page's programs. `test_frameworks` runs what is a part of a web service."""
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)
    return [block for block in blocks if "import" in block and "(**" not in block]


class ExampleTests(TestCase):
    """Each example does what its page says."""

    def test_every_program_tracks_what_it_shows(self) -> None:
        self.collector = self.start_collector()
        for page, path in EXAMPLES.items():
            found = programs(path)
            self.assertEqual(len(found), len(ARRIVES[page]))
            for number, (source, names) in enumerate(zip(found, ARRIVES[page])):
                with self.subTest(page, number=number):
                    self.collector.clear()
                    if "refused.retry" in source:
                        self.collector.faults(["200", "422"])
                    self._run(re.sub(r"https://api\.example\.com|http://127\.0\.0\.1:8123", self.collector.url, source))
                    kind = "batch" if "analytics" in source else "basic" if "basic" in source else "event"
                    self.collector.wait(kind=kind, count=len(names))
                    self.assertEqual(self.collector.names(kind), names)
                    self.assertEqual(self.collector.problems(), [])

    def test_the_import_tracks_each_order_once(self) -> None:
        collector = self.start_collector()
        orders = "order,user,total\n1,ada,149.99\n2,bob,29.90\n"
        state = {"XDG_STATE_HOME": str(self.folder), "MOBILE_TRACKER_HOST": str(patient_host(self.folder))}
        lines = []

        for _ in range(2):
            ended = subprocess.run(
                [sys.executable, PACKAGE / "examples/import_orders.py"],
                env={**os.environ, **state, "PYTHONPATH": str(SOURCE), "MOBILE_TRACKER_API_URL": collector.url},
                input=orders,
                capture_output=True,
                text=True,
                timeout=GUARD,
            )
            self.assertEqual((ended.returncode, ended.stderr), (0, ""))
            lines.append(ended.stdout)

        events = [event for request in collector.received(kind="batch") for event in request["body"]["batch"]]
        found = [(event["userId"], event["properties"], event["messageId"]) for event in events]
        self.assertEqual(found, [("ada", {"total": 149.99}, "order-1"), ("bob", {"total": 29.9}, "order-2")])
        self.assertEqual(collector.problems(), [])
        self.assertRegex(lines[0], r"^2 orders, 0 not tracked; \d delivered, 0 wait\n$")
        self.assertEqual(lines[1], "2 orders, 0 not tracked; 0 delivered, 0 wait\n")

    def test_the_import_says_what_to_give(self) -> None:
        ended = subprocess.run(
            [sys.executable, PACKAGE / "examples/import_orders.py"],
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
            input="number,who\n1,ada\n",
            capture_output=True,
            text=True,
            timeout=GUARD,
        )

        self.assertEqual(ended.returncode, 1)
        self.assertEqual(ended.stderr, "Give a CSV file on standard input, with the columns order, user and total.\n")

    def _run(self, source: str) -> None:
        program = self.folder / "program.py"
        program.write_text(source)
        state = {"XDG_STATE_HOME": str(self.folder), "MOBILE_TRACKER_HOST": str(patient_host(self.folder)), "PORT": "0"}
        with subprocess.Popen(
            [sys.executable, program],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(SOURCE), **state},
        ) as process:
            if "serve_forever" in source:
                assert process.stdout
                port = process.stdout.readline().split()[-1]
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=GUARD) as answer:
                    self.assertEqual(answer.read(), b"hello\n")
                process.send_signal(signal.SIGTERM)
            try:
                _, errors = process.communicate(timeout=GUARD)
            finally:
                process.kill()
        self.assertEqual(process.returncode, 0, errors)


if __name__ == "__main__":
    unittest.main()
