#!/usr/bin/env python3
"""Checks the model of the hand-over, lane.pml, with spin: every state that it can reach, and every cycle.

    Tests/Model/run.py            all rows, some minutes
    Tests/Model/run.py WORD...    those whose name holds one of the words
    Tests/Model/run.py --list     their names

A row that holds is printed with the number of its states. Below them stand the faults: the model with one mechanism left
out, in which spin must find what then goes wrong. A row that is not as it should be is followed by the steps that led
there, and the exit code is 1.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MODEL = Path(__file__).with_name("lane.pml")
QUIET = "KILLS=0 FAILURES=0 RESETS=0 DENIALS=0 N=2"

# Name, what is defined, and whether the events must arrive under fairness (else: nothing forbidden happens).
HOLD = [
    ("2 processes, kill, failure, reset, denial", "N=2", False),
    ("2 processes, 3 events, kill, failure", "N=3 RESETS=0 DENIALS=0", False),
    ("2 processes, 2 kills, reset", "N=2 KILLS=2 DENIALS=0", False),
    ("2 processes, 2 resets, kill", "N=2 RESETS=2 FAILURES=0 DENIALS=0", False),
    ("2 processes, folder made anew, kill, reset", "N=2 REPLACED=1 DENIALS=0", False),
    ("2 processes, batches, kill, failure, reset", "N=3 BATCH", False),
    ("3 processes, kill, failure", "P=3 N=2 RESETS=0 DENIALS=0", False),
    ("3 processes, kill, reset", "P=3 N=2 FAILURES=0 DENIALS=0", False),
    ("3 processes, kill, denial", "P=3 N=2 FAILURES=0 RESETS=0", False),
    ("3 processes, batches, kill, failure", "P=3 N=3 BATCH RESETS=0", False),
    ("2 processes deliver: kill, failure, reset", "N=2 DENIALS=0", True),
    ("2 processes deliver: kill, denial", "N=2 RESETS=0 FAILURES=0", True),
    ("2 processes deliver: batches", "N=2 BATCH", True),
    ("3 processes deliver: kill, failure", "P=3 N=1 RESETS=0 DENIALS=0", True),
    ("2 processes deliver: one never reaches the server", f"BROKEN {QUIET}".replace("RESETS=0", "RESETS=1"), True),
]
FAULTS = [
    ("TAKE_FIRST", "N=2", False),
    ("EARLY_RELEASE", "N=2", False),
    ("STALE_PLAN", "N=2", False),
    ("DEPART_PAUSED", "N=2", False),
    ("LATE_BIND", "N=2", False),
    ("UNLOCKED_LOOK", "N=2", False),
    ("NO_EXTENT", "N=2 BATCH", False),
    ("NO_DATABASE_ID", "N=2 REPLACED=1 DENIALS=0", False),
    ("NO_RETRY", "N=2 FAILURES=0 RESETS=0 DENIALS=0", True),
    ("KEEP_LOCK", f"BROKEN {QUIET}", True),
]


def check(defines: list[str], must_deliver: bool, folder: str) -> tuple[bool, str, str]:
    """Whether it holds; a line about what was seen; the steps to what was found."""
    options = [f"-D{name}" for name in defines]

    def run(*command: str) -> str:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0 and command[0] != "./pan":
            sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    run("spin", "-a", *options, str(MODEL))
    kind = ["-DNFAIR=4"] if must_deliver else ["-DSAFETY", "-DNOCLAIM"]
    run("cc", "-w", "-O2", "-DCOLLAPSE", "-DVECTORSZ=2048", *kind, "-o", "pan", "pan.c")
    out = run("./pan", "-m1000000", *(["-a", "-f", "-N", "delivers"] if must_deliver else []))
    if "error: max search depth too small" in out or "out of memory" in out or "errors:" not in out:
        sys.exit(f"the search was cut short:\n{out}")
    states = int(re.search(r"([\d.e+]+) states, stored", out)[1].split(".")[0])
    finding = re.search(r"pan:1: (.*?) \(at depth", out)
    steps = run("spin", "-t", "-p", "-k", "lane.pml.trail", *options, str(MODEL)) if finding else ""
    return finding is None, finding[1] if finding else f"{states:,} states", steps


def main(words: list[str]) -> int:
    rows = [(name, name, defines.split(), live, True) for name, defines, live in HOLD]
    rows += [(f"without: {name}", name, [name, *defines.split()], live, False) for name, defines, live in FAULTS]
    if words == ["--list"]:
        print("\n".join(row[0] for row in rows))
        return 0
    if words and words[0].startswith("-"):
        print(__doc__)
        return 0 if words[0] in ("-h", "--help") else 2
    rows = [row for row in rows if not words or any(word in row[0] for word in words)]
    if not rows:
        print("no row has such a name; --list names them", file=sys.stderr)
        return 2
    bad = 0
    for name, _, defines, live, should_hold in rows:
        with tempfile.TemporaryDirectory() as folder:
            holds, seen, steps = check(defines, live, folder)
        good = holds == should_hold
        bad += not good
        verdict = ("holds" if holds else "found") if good else ("WRONG" if not holds else "NOT FOUND")
        print(f"{verdict:9}  {name:52}  {seen}", flush=True)
        if steps and not good:
            print(steps, file=sys.stderr)
    print(f"{len(rows) - bad} of {len(rows)} rows are as they should be")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
