#!/usr/bin/env python3
"""Runs the Swift, the Node, the Python or the backends' tests, and ends with their failures.

    run_tests.py swift [arguments of swift test]
    run_tests.py node [arguments of node --test]
    run_tests.py python [names of tests, such as tests.test_calls]
    run_tests.py backends [names of tests, such as test_backends.BackendTests.test_segment]
    run_tests.py scripts

The output streams as it comes, without the lines that only say that a test has started. After a failing run the last
lines are the failed tests, each with its place and what was wrong, so that the end of a long log is enough to read.
The exit code is that of the run. What each test came to is written to .build/reports, for coverage.py: a name of one's
own (`--report NAME`, first) keeps a second run from replacing the report of the first.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
REPORTS = ROOT / ".build/reports"

# The failures fit into what a build server shows of a log's end, with the lines that make adds.
MOST_LINES = 26
LONGEST_LINE = 400

MARK = re.compile(r"^[◇✔✘➜━↳◆⚠] ?")
# What a run says that ends before its tests have.
WHY = re.compile(r"^error:|Fatal error|Program crashed| at /.*\.swift:\d+")
STARTED = re.compile(r"^◇ (?:Suite|Test case|Test run|Test) ?(.*) started\.$")
TEST_STARTED = re.compile(r"^◇ Test (?!case |run started)(.+) started\.$")
ENDED = re.compile(r"^(?:[✔✘━] Test (.+?)(?: with \d+ test cases?)? (?:passed|failed) after|➜ Test (.+?) skipped)")
ISSUE = re.compile(r"✘ Test (.+) recorded an issue(?: with \d+ arguments? (.+?))? at (\S+?:\d+)(?::\d+)?: (.*)$")


class SwiftLog:
    """Reads what Swift Testing prints, line by line."""

    def __init__(self):
        self.failures = []
        self.under_way = set()
        self.reasons = []
        self._continued = None

    def read(self, line):
        """Whether the line is worth printing."""
        if match := ISSUE.search(line):
            test, arguments, place, text = match.groups()
            given = f" ({arguments})" if arguments else ""
            self._continued = [f"✘ {test}{given} {place}: {text}"]
            self.failures.append(self._continued)
            return True
        if self._continued is not None and line and (line.startswith("↳") or not MARK.match(line)):
            self._continued.append(f"    {line}")
            return True
        self._continued = None
        if match := TEST_STARTED.match(line):
            self.under_way.add(match.group(1))
        if STARTED.match(line):
            return False
        if match := ENDED.match(line):
            self.under_way.discard(match.group(1) or match.group(2))
        elif WHY.search(line) and len(self.reasons) < 8:
            self.reasons.append(line.strip()[:LONGEST_LINE])
        return True

    def summary(self):
        if self.failures:
            return tail(self.failures)
        names = ", ".join(sorted(self.under_way)[:8]) or "none"
        return ["No test failed, but the run did.", f"Tests under way: {names}", *self.reasons]


def tail(failures):
    """The failures in at most MOST_LINES lines: each with its first line before any has its further ones."""
    shown = failures[: MOST_LINES - 2]
    room = MOST_LINES - 2 - len(shown)
    extra = {}
    for depth in range(1, max((len(lines) for lines in shown), default=0)):
        for index, lines in enumerate(shown):
            if room and depth < len(lines):
                extra[index] = depth
                room -= 1
    result = [f"Failed: {len(failures)}"]
    for index, lines in enumerate(shown):
        result += [line[:LONGEST_LINE] for line in lines[: 1 + extra.get(index, 0)]]
    if len(failures) > len(shown):
        result.append(f"… and {len(failures) - len(shown)} more")
    return result


def summary_of(path):
    """The failures that a report of one line of JSON a test has."""
    failures = []
    records = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    for record in records:
        if record["verdict"] == "failed" and not record.get("bySubtest"):
            first, *rest = (record.get("error") or "no reason was given").strip().splitlines() or [""]
            failures.append(
                [f"✖ {record['name']} {record['place']}: {first}"] + [f"    {line}" for line in rest if line.strip()]
            )
    return tail(failures) if failures else ["No test failed, but the run did."]


def stream(command, cwd, read):
    """Runs the command, and prints those of its lines that are to be printed."""
    with subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        for raw in process.stdout:
            if read(raw.decode(errors="replace").rstrip("\n")):
                sys.stdout.buffer.write(raw)
                sys.stdout.buffer.flush()
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def run_swift(report, arguments):
    log = SwiftLog()
    # Swift Testing adds `-swift-testing` to the name.
    (REPORTS / f"{report}-swift-testing.xml").unlink(missing_ok=True)
    output = ["--xunit-output", str(REPORTS / f"{report}.xml")]
    code = stream(["swift", "test", "--skip-build", *output, *arguments], ROOT, log.read)
    return code, log.summary


def run_node(report, arguments):
    path = REPORTS / f"{report}.jsonl"
    path.unlink(missing_ok=True)
    own = ROOT / "Tests/Scripts/node_report.mjs"
    reporters = ["--test-reporter=spec", "--test-reporter-destination=stdout"]
    reporters += [f"--test-reporter={own.as_uri()}", f"--test-reporter-destination={path}"]
    code = stream(["node", "--test", *reporters, *arguments], ROOT / "BridgeHost/Node", lambda _: True)
    return code, lambda: summary_of(path)


def run_python(report, arguments):
    path = REPORTS / f"{report}.jsonl"
    path.unlink(missing_ok=True)
    command = [ROOT / ".build/python/bin/python", ROOT / "Tests/Scripts/python_report.py", path, *arguments]
    code = stream(command, ROOT / "BridgeHost/Python", lambda _: True)
    return code, lambda: summary_of(path)


def run_backends(report, arguments):
    """The host beside the vendors' own SDKs."""
    path = REPORTS / f"{report}.jsonl"
    path.unlink(missing_ok=True)
    command = [ROOT / ".build/backends/bin/python", ROOT / "Tests/Scripts/python_report.py", path, *(arguments or ["test_backends"])]
    return stream(command, ROOT / "Tests/Backends", lambda _: True), lambda: summary_of(path)


def run_scripts(report, _):
    """The tests of the scripts in this folder."""
    path = REPORTS / f"{report}.jsonl"
    path.unlink(missing_ok=True)
    names = [test.stem for test in sorted((ROOT / "Tests/Scripts").glob("test_*.py"))]
    command = [sys.executable, ROOT / "Tests/Scripts/python_report.py", path, *names]
    return stream(command, ROOT / "Tests/Scripts", lambda _: True), lambda: summary_of(path)


RUNS = {"swift": run_swift, "node": run_node, "python": run_python, "backends": run_backends, "scripts": run_scripts}


def main(kind, *arguments):
    report = kind
    if arguments[:1] == ("--report",):
        report, arguments = arguments[1], arguments[2:]
    REPORTS.mkdir(parents=True, exist_ok=True)
    code, summary = RUNS[kind](report, arguments)
    if code:
        print("\n" + "\n".join(summary()), flush=True)
    return code


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in RUNS:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
