#!/usr/bin/env python3
"""Checks Docs/Coverage.md against the pages, the tests and what a run of the tests came to.

    coverage.py                    checks the names alone
    coverage.py --reports FOLDER   also checks that each named test has passed, by the reports of run_tests.py

A statement is a sentence of README.md or of a page in Docs that has a number, `<a id="12"></a>`, or a method of
Bridge.md. Every page has some, but for those that explain the code and promise nothing (WITHOUT). Each statement has a
row in a table whose first column is "Statement" and links to it: `[12](Delivery.md#12)`. Every row of a table whose
last column is "Shown by" names there, in backquotes, what shows it: `Suite.test`, `file.test.js: title`, `test_file.py:
Class.test` or `make target`. A name that continuous integration does not run has " (by hand)" behind it.
`[Decision: words]` in a row stands for the words of Docs/Decisions.md that say why the product differs. Each scenario of
Tests/Recovery/scenarios.json has a row whose first column is its name.
"""
import argparse
import ast
import json
import pathlib
import re
import sys
import xml.etree.ElementTree
from collections import defaultdict

ROOT = pathlib.Path(__file__).resolve().parents[2]

SCENARIOS = "Tests/Recovery/scenarios.json"

MOST_FAULTS = 26
WITHOUT = {"Architecture", "Contributing", "Coverage", "Decisions", "Glossary"}
LINK = re.compile(r"\]\((?:\.\./)?(\w+)\.md#([\w-]+)\)")
NAME = re.compile(r"`([^`]+)`( \(by hand\))?")


# The pages


def statements(root):
    """The statements of each page, and faults such as a number that stands twice."""
    found, faults = set(), []
    for path in [root / "README.md", *sorted((root / "Docs").glob("*.md"))]:
        text = path.read_text()
        names = re.findall(r'<a id="([\w-]+)"></a>', text)
        if generated := re.search(r"<!-- methods: .*?-->(.*?)(?:^## |<!-- end of methods)", text, re.S | re.M):
            # The anchor of a heading is its text without the points.
            names += [re.sub(r"[^\w-]", "", name).lower() for name in re.findall(r"^### `(.+)`$", generated[1], re.M)]
        faults += [f"{path.name}: {name} stands twice" for name in sorted({n for n in names if names.count(n) > 1})]
        if path.stem in WITHOUT and names:
            faults.append(f"{path.name}: a page that explains the code has numbered statements")
        if path.stem not in WITHOUT and not names:
            faults.append(f"{path.name}: no statement has a number")
        found |= {(path.stem, name) for name in names}
    return found, faults


class Row:
    def __init__(self, number, cells, has_statement):
        self.place = f"Docs/Coverage.md:{number}"
        self.statements = LINK.findall(cells[0]) if has_statement else []
        self.lacks_statement = has_statement and not self.statements
        self.decisions = re.findall(r"\[Decision: (.+?)\](?!\()", " ".join(cells[:-1]))
        self.names = [(name, bool(by_hand)) for name, by_hand in NAME.findall(cells[-1])]


def rows(text):
    header = None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("|"):
            header = None
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if header is None:
            header = cells
        elif header[-1] == "Shown by" and not set("".join(cells)) <= set("-|: "):
            yield Row(number, cells, header[0] == "Statement")


# The tests that there are


def swift_tests(folder):
    for path in sorted(folder.rglob("*.swift")):
        suite, marked = None, False
        for line in path.read_text().splitlines():
            # A type at the margin: one nested in a suite belongs to it.
            if match := re.match(r"(?:@\w+(?:\(.*\))? )?(?:\w+ )*(?:struct|class|enum|actor|extension) (\w+)", line):
                suite = match.group(1)
            marked = marked or "@Test" in line
            if (match := re.search(r"\bfunc (\w+)", line)) and marked:
                marked = False
                if suite:
                    yield f"{suite}.{match.group(1)}"


def node_tests(folder):
    for path in sorted(folder.rglob("*.test.js")):
        for _, title in re.findall(r"\b(?:test|it)\(\s*(['\"`])(.+?)\1\s*,", path.read_text(), re.S):
            yield f"{path.name}: {title}"


def python_tests(*folders):
    for folder in folders:
        for path in sorted(folder.rglob("test_*.py")):
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, ast.ClassDef):
                    for member in node.body:
                        if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)) and member.name.startswith("test"):
                            yield f"{path.name}: {node.name}.{member.name}"


def scenarios(root):
    """The names of what the clients of several languages play from one table."""
    path = root / SCENARIOS
    return [scenario["name"] for scenario in json.loads(path.read_text())] if path.exists() else []


def make_targets(makefile):
    """Each target with the targets that it runs."""
    runs, target = defaultdict(set), None
    for line in makefile.splitlines():
        if match := re.match(r"([\w-]+):(?!=)([^#]*)", line):
            target = match.group(1)
            runs[target] |= set(match.group(2).split())
        elif line.startswith("\t") and target:
            runs[target] |= set(re.findall(r"(?:\$\(MAKE\)|\bmake) ([\w-]+)", line))
    return dict(runs)


def reached(runs, start):
    """The targets that continuous integration runs."""
    open_, found = list(start), set()
    while open_:
        target = open_.pop()
        if target in runs and target not in found:
            found.add(target)
            open_ += runs[target]
    return found


# What a run of them came to


class Results:
    """The verdicts of the reports: passed, failed or skipped, under the names that rows use."""

    def __init__(self, folder):
        self.swift, self.others, self.faults = defaultdict(list), defaultdict(list), []
        for path in sorted(folder.glob("*-swift-testing.xml")):
            try:
                self._read_swift(path)
            except xml.etree.ElementTree.ParseError:
                self.faults.append(f"{path.name} is not whole: that run did not come to its end")
        for path in sorted(folder.glob("*.jsonl")):
            for record in map(json.loads, path.read_text().splitlines()):
                if not record.get("suite"):
                    self.others[record["file"]].append((record["name"], record["verdict"]))

    def _read_swift(self, path):
        for case in xml.etree.ElementTree.parse(path).iter("testcase"):
            verdict = "passed"
            if case.find("failure") is not None or case.find("error") is not None:
                verdict = "failed"
            elif case.find("skipped") is not None:
                verdict = "skipped"
            function = case.get("name").split("(")[0].strip("`")
            # The first part is the module. A type nested in a suite is named by either.
            for suite in case.get("classname").split(".")[1:]:
                self.swift[f"{suite}.{function}"].append(verdict)

    def verdict(self, name):
        verdicts = self.swift.get(name, [])
        if match := re.match(r"([\w.-]+\.(?:test\.js|py)): (.+)", name, re.S):
            title = as_pattern(match.group(2)) if match.group(1).endswith(".js") else re.compile(re.escape(match[2]))
            verdicts = [verdict for title_, verdict in self.others[match.group(1)] if title.fullmatch(title_)]
        if not verdicts:
            return "did not run"
        if "failed" in verdicts:
            return "failed"
        return "passed" if "passed" in verdicts else f"was not passed, but {verdicts[0]}"


def as_pattern(title):
    """A title as it is written in JavaScript, with `${…}` for anything, and its escapes taken back."""
    parts = re.split(r"\$\{[^}]*\}", title)
    return re.compile(".+?".join(re.escape(re.sub(r"\\(.)", r"\1", part)) for part in parts), re.S)


# The check


def check(root, reports=None):
    """The faults, and how many rows and statements there are."""
    docs = root / "Docs"
    known = set(swift_tests(root / "Tests")) | set(node_tests(root / "BridgeHost/Node/test"))
    known |= set(python_tests(root / "Tests/Scripts", root / "Tests/Backends", root / "BridgeHost/Python"))
    runs = make_targets((root / "Makefile").read_text())
    in_ci = reached(runs, re.findall(r"\bmake ([\w-]+)", (root / ".ci/run").read_text()))
    decisions = (docs / "Decisions.md").read_text().replace("`", "")
    promised, faults = statements(root)
    covered, count = set(), 0
    results = Results(reports) if reports else None
    if results:
        faults += results.faults

    text = (docs / "Coverage.md").read_text()
    for row in rows(text):
        count += 1
        if row.lacks_statement:
            faults.append(f"{row.place}: the row links to no statement")
        for page, number in row.statements:
            covered.add((page, number))
            if (page, number) not in promised:
                faults.append(f"{row.place}: there is no statement {page} {number}")
        for words in row.decisions:
            if words.replace("`", "") not in decisions:
                faults.append(f"{row.place}: Docs/Decisions.md does not say “{words}”")
        if not row.names:
            faults.append(f"{row.place}: no test is named")
        for name, by_hand in row.names:
            if name.startswith("make "):
                target = name.removeprefix("make ")
                if target not in runs:
                    faults.append(f"{row.place}: there is no target `{name}`")
                elif target not in in_ci and not by_hand:
                    faults.append(f"{row.place}: continuous integration never runs `{name}`, and the row does not say so")
            elif name not in known:
                faults.append(f"{row.place}: there is no test `{name}`")
            elif results and not by_hand and (verdict := results.verdict(name)) != "passed":
                faults.append(f"{row.place}: `{name}` {verdict}")

    missing = [name for name in scenarios(root) if f"| {name.lower()} |" not in text.lower()]
    faults += [f"{SCENARIOS}: “{name}” has no row" for name in missing]
    for page, number in sorted(promised - covered):
        faults.append(f"{'' if page == 'README' else 'Docs/'}{page}.md: statement {number} has no row")
    if not count:
        faults.append("Docs/Coverage.md: there are no rows")
    return faults, count, len(promised)


def main(arguments):
    parser = argparse.ArgumentParser(description="Checks Docs/Coverage.md.")
    parser.add_argument("--reports", type=pathlib.Path, help="what run_tests.py has written")
    reports = parser.parse_args(arguments).reports
    if reports and not reports.is_dir():
        parser.error(f"{reports} is no folder: run the tests first")
    faults, count, promised = check(ROOT, reports)
    print("\n".join(faults[:MOST_FAULTS]))
    if len(faults) > MOST_FAULTS:
        print(f"… and {len(faults) - MOST_FAULTS} more")
    checked = "by the reports of the run" if reports else "names alone: no reports were given"
    print(f"coverage: {count} rows, {promised} statements, {len(faults)} faults ({checked})")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
