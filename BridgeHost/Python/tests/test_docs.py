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

from .support import GUARD, PACKAGE, ROOT, SOURCE, TestCase, host_path

EXAMPLES = {
    "front page": ROOT / "README.md",
    "start": ROOT / "Docs/GettingStarted.md",
    "package": PACKAGE / "README.md",
    "guide": ROOT / "Docs/Python.md",
}

ARRIVES = {
    "front page": [["PURCHASE"]],
    "start": [["PURCHASE"]],
    "package": [["PURCHASE"], ["PURCHASE"]],
    "guide": [
        ["ROW_IMPORTED"] * 3,
        ["PURCHASE"],
        ["REQUEST"],
        ["STARTED", "PURCHASE"],
        ["Order Completed"] * 2,
        [],
        ["PURCHASE"],
    ],
}
"""What each program of a page tracks; a block that imports nothing is part of one."""


def programs(page: Path) -> list[str]:
    """The page's programs."""
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)
    return [block for block in blocks if "import" in block]


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
                    self._run(re.sub(r"https://api\.example\.com|http://127\.0\.0\.1:8123", self.collector.url, source))
                    kind = "batch" if "analytics" in source else "event"
                    self.assertEqual(self.collector.names(kind), names)
                    self.assertEqual(self.collector.problems(), [])

    def _run(self, source: str) -> None:
        program = self.folder / "program.py"
        program.write_text(source)
        state = {"XDG_STATE_HOME": str(self.folder), "MOBILE_TRACKER_HOST": str(host_path()), "PORT": "0"}
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
