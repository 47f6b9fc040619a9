"""What the last lines of a failing run say."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import run_tests

SWIFT_LOG = """\
◇ Test run started.
◇ Suite "Of the outbox" started.
◇ Test keepsOrder() started.
◇ Test takes(_:) started.
◇ Test case passing 1 argument piece → "a" to takes(_:) started.
✘ Test takes(_:) recorded an issue with 1 argument piece → "a" at FrameTests.swift:40:13: Expectation failed: 1 == 2
↳ the first piece
  and its second line
a line that another test prints
◇ Test spoken() started.
✘ Test "A spoken title" recorded an issue at OutboxTests.swift:7:5: Caught error: Oops()
━ Test known() recorded a known issue at OutboxTests.swift:9:5: Expectation failed: false
✔ Test keepsOrder() passed after 0.001 seconds.
✘ Test takes(_:) with 3 test cases failed after 0.002 seconds with 1 issue.
✘ Test run with 4 tests in 1 suite failed after 0.003 seconds with 2 issues.
"""

CRASHED_LOG = """\
◇ Test ends() started.
◇ Test crashes() started.
✔ Test ends() passed after 0.001 seconds.
TrackerTests/OutboxTests.swift:24: Fatal error: index out of range
error: Exited with unexpected signal code 4
"""


def read(text):
    log = run_tests.SwiftLog()
    printed = [line for line in text.splitlines() if log.read(line)]
    return log, printed


class SwiftFailures(unittest.TestCase):
    def test_names_each_failed_test_with_place_and_text(self):
        log, _ = read(SWIFT_LOG)
        self.assertEqual(
            log.summary(),
            [
                "Failed: 2",
                '✘ takes(_:) (piece → "a") FrameTests.swift:40: Expectation failed: 1 == 2',
                "    ↳ the first piece",
                "      and its second line",
                "    a line that another test prints",
                '✘ "A spoken title" OutboxTests.swift:7: Caught error: Oops()',
            ],
        )

    def test_leaves_out_the_lines_that_say_that_a_test_has_started(self):
        _, printed = read(SWIFT_LOG)
        self.assertFalse([line for line in printed if "started" in line])
        self.assertIn("✔ Test keepsOrder() passed after 0.001 seconds.", printed)
        self.assertIn("a line that another test prints", printed)

    def test_says_what_was_under_way_when_the_process_ended(self):
        log, _ = read(CRASHED_LOG)
        self.assertEqual(
            log.summary(),
            [
                "No test failed, but the run did.",
                "Tests under way: crashes()",
                "TrackerTests/OutboxTests.swift:24: Fatal error: index out of range",
                "error: Exited with unexpected signal code 4",
            ],
        )


class Tail(unittest.TestCase):
    def test_is_short_and_gives_each_failure_its_first_line(self):
        for count in (1, 5, 20, 24, 25, 400):
            failures = [[f"first {index}"] + ["more"] * 9 for index in range(count)]
            lines = run_tests.tail(failures)
            self.assertLessEqual(len(lines), run_tests.MOST_LINES)
            firsts = [line for line in lines if line.startswith("first")]
            self.assertEqual(len(firsts), min(count, run_tests.MOST_LINES - 2))
            self.assertEqual(lines[-1], f"… and {count - len(firsts)} more" if count > 24 else lines[-1])

    def test_cuts_a_long_line(self):
        self.assertEqual(max(map(len, run_tests.tail([["x" * 10_000]]))), run_tests.LONGEST_LINE)


class NodeFailures(unittest.TestCase):
    """The reporter and the summary over a real run of `node --test`."""

    def run_node(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in files.items():
                (root / f"{name}.test.mjs").write_text(text)
            report = root / "report.jsonl"
            reporter = pathlib.Path(run_tests.__file__).with_name("node_report.mjs").as_uri()
            # Python's own runs may stand under another `node --test`, which would take these for its subtests.
            environment = {key: value for key, value in os.environ.items() if key != "NODE_TEST_CONTEXT"}
            subprocess.run(
                ["node", "--test", f"--test-reporter={reporter}", f"--test-reporter-destination={report}"],
                cwd=root, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
            records = [json.loads(line) for line in report.read_text().splitlines()]
            return {record["name"]: record["verdict"] for record in records}, run_tests.summary_of(report)

    def test_says_of_each_test_what_it_came_to(self):
        verdicts, _ = self.run_node(a="""
            import { describe, it } from 'node:test';
            describe('a suite', () => {
                it("has a title with 'quotes', a # and a \\\\", () => {});
                it('is skipped', { skip: 'why' }, () => {});
                it('is skipped within', (t) => t.skip('why'));
                it('is to do', { todo: true }, () => {});
            });
        """)
        self.assertEqual(verdicts, {
            "a suite": "passed",
            "has a title with 'quotes', a # and a \\": "passed",
            "is skipped": "skipped",
            "is skipped within": "skipped",
            "is to do": "todo",
        })

    def test_gives_place_and_message_and_leaves_out_the_suites_around_them(self):
        _, summary = self.run_node(a="""import { describe, it } from 'node:test';
            describe('a suite', () => {
                it('fails', () => {
                    throw new Error('broken\\nin two lines');
                });
            });
        """)
        self.assertEqual(summary, ["Failed: 1", "✖ fails a.test.mjs:4: broken", "    in two lines"])

    def test_says_why_a_file_cannot_be_run(self):
        _, summary = self.run_node(b="throw new Error('cannot be loaded');")
        self.assertEqual(summary[0], "Failed: 1")
        self.assertIn("b.test.mjs", summary[1])
        self.assertIn("    Error: cannot be loaded", summary)


class PythonFailures(unittest.TestCase):
    TESTS = """
import unittest
class A(unittest.TestCase):
    def test_passes(self): pass
    def test_fails(self): self.assertEqual(1, 2)
    @unittest.skip("why")
    def test_is_skipped(self): pass
    def test_has_parts(self):
        for part in (1, 2):
            with self.subTest(part=part):
                self.assertEqual(part, 1)
"""

    def test_says_of_each_test_what_it_came_to_and_where_it_failed(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "test_sample_of_tests.py").write_text(self.TESTS)
            report = pathlib.Path(folder, "own.jsonl")
            script = pathlib.Path(run_tests.__file__).with_name("python_report.py")
            run = subprocess.run(
                [sys.executable, script, report, "test_sample_of_tests"], capture_output=True, cwd=folder)
            summary = run_tests.summary_of(report)
            lines = report.read_text().splitlines()
        records = [json.loads(line) for line in lines]

        self.assertEqual(run.returncode, 1)
        self.assertEqual({record["file"] for record in records}, {"test_sample_of_tests.py"})
        self.assertEqual(
            sorted((record["name"], record["verdict"]) for record in records),
            [("A.test_fails", "failed"), ("A.test_has_parts", "failed"), ("A.test_is_skipped", "skipped"),
             ("A.test_passes", "passed")],
        )
        self.assertIn("✖ A.test_fails test_sample_of_tests.py:5: AssertionError: 1 != 2", summary)

    def test_says_why_a_module_did_not_begin(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "test_sample_of_tests.py").write_text(self.TESTS + "def setUpModule(): raise OSError('no')\n")
            report = pathlib.Path(folder, "own.jsonl")
            script = pathlib.Path(run_tests.__file__).with_name("python_report.py")
            run = subprocess.run([sys.executable, script, report, "test_sample_of_tests"], capture_output=True, cwd=folder)
            [record] = map(json.loads, report.read_text().splitlines())

        self.assertEqual(run.returncode, 1)
        self.assertEqual((record["name"], record["verdict"]), ("setUpModule (test_sample_of_tests)", "failed"))
        self.assertIn("OSError: no", record["error"])


class Run(unittest.TestCase):
    def test_keeps_the_exit_code(self):
        ended = "import os, sys; print('a line', flush=True); os.kill(os.getpid(), 9) if sys.argv[1:] else sys.exit(7)"
        self.assertEqual(run_tests.stream([sys.executable, "-c", ended], ".", lambda _: False), 7)
        self.assertEqual(run_tests.stream([sys.executable, "-c", ended, "kill"], ".", lambda _: False), 137)


if __name__ == "__main__":
    unittest.main()
