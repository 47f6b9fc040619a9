#!/usr/bin/env python3
"""Checks that every test which Docs/Coverage.md names exists.

A row of a table there names its tests in the last column, in backquotes: `Suite.test` for a Swift test (the file's
suite type and the test's function), `file.test.js: title` for a Node test, `test_file.py: Class.test` for a Python test, or `make target` for a command.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def swift_tests():
    names = set()
    for path in (ROOT / "Tests").rglob("*.swift"):
        suite = None
        for line in path.read_text().splitlines():
            # A type at the margin: one nested in a suite is a row of its parameters.
            if match := re.match(r"(?:\w+ )*(?:struct|class|enum|actor|extension) (\w+)", line):
                suite = match.group(1)
            if (match := re.search(r"\bfunc (\w+)", line)) and suite:
                names.add(f"{suite}.{match.group(1)}")
    return names


def node_tests():
    names = set()
    for path in (ROOT / "BridgeHost/Node/test").rglob("*.test.js"):
        for title in re.findall(r"\b(?:test|it)\(\s*(['\"`])(.+?)\1\s*,", path.read_text(), re.S):
            names.add(f"{path.name}: {title[1]}")
    return names


def python_tests():
    names = set()
    for path in (ROOT / "BridgeHost/Python/tests").glob("test_*.py"):
        suite = None
        for line in path.read_text().splitlines():
            if match := re.match(r"class (\w+)", line):
                suite = match.group(1)
            if match := re.match(r"    (?:async )?def (test_\w+)", line):
                names.add(f"{path.name}: {suite}.{match.group(1)}")
    return names


def targets():
    return {f"make {name}" for name in re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)}


def main():
    known = swift_tests() | node_tests() | python_tests() | targets()
    rows, missing = 0, []
    for number, line in enumerate((ROOT / "Docs/Coverage.md").read_text().splitlines(), 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if not line.startswith("|") or len(cells) < 2 or set(cells[-1]) <= {"-", " ", ":"} or cells[-1] == "Shown by":
            continue
        rows += 1
        names = re.findall(r"`([^`]+)`", cells[-1])
        if not names:
            missing.append(f"Docs/Coverage.md:{number}: no test is named")
        missing += [f"Docs/Coverage.md:{number}: there is no test `{name}`" for name in names if name not in known]
    print("\n".join(missing + [f"coverage: {rows} behaviours, {len(missing)} without their test"]))
    return 1 if missing or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
