#!/usr/bin/env python3
"""Makes calls of the operating system fail, one after the other, and asks what the product promises.

    explorer.py                     every single fault of every scenario, then FAULTS pairs
    explorer.py --short --sample N  the table of regressions, and N points by SEED
    explorer.py --point 'POINT'     one point again, with what the host logged; --times 20 for one that fails seldom
    explorer.py --list [SCENARIO…]  the points of scenarios, in the order of their calls

A point is SCENARIO FAULT, or SCENARIO FAULT FAULT where a second fault follows the first. A FAULT is
KIND:PLACE:NUMBER:ERROR:EXTENT, such as pwrite:tracker.sqlite3-wal:3:ENOSPC:all. With the third pwrite to that file the
disk is full: for that call (EXTENT 1), for so many calls of its kind (3), or (all) for every call that needs space,
until the scenario is over. All faults are played with the extents 1 and all, with --some 3; samples have each. The
ERROR `kill` kills the host instead. `+second` behind a scenario has a second host, without faults, on the same folder;
`+native` has a program with a Swift client in the place of each host. See Docs/Contributing.md.
"""
import argparse
import concurrent.futures
import ctypes
import errno
import fnmatch
import itertools
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from run import Run
from scenarios import SCENARIOS, TEMPLATES
from world import KINDS, ROOT, Backend, Page, Program

# How many points of a scenario a sample has.
EACH = 15

HERE = pathlib.Path(__file__).parent
TABLE = HERE / "regressions.txt"

DESCRIPTORS = "open open-write create opendir socket pipe eventfd epoll timerfd".split()
CHANGES = "open-write create write pwrite fsync fdatasync ftruncate rename unlink mkdir".split()
FILES = "open open-write create opendir readdir read pread write pwrite fsync fdatasync ftruncate rename unlink mkdir stat".split()

# What else fails when a call fails so for good: the disk is full for all who write.
SPREAD = {
    "EMFILE": DESCRIPTORS, "ENFILE": DESCRIPTORS, "EROFS": CHANGES, "EIO": FILES,
    "ENOSPC": "create write pwrite ftruncate mkdir".split(),
    "EACCES": "open open-write create opendir rename unlink mkdir stat".split(),
    "ENOMEM": "mmap malloc".split(), "ENOLCK": "flock lock".split(),
}

# How a call can fail. What EINTR interrupts is made again: it never lasts. Without threads for good, no host can work.
ERRORS = {
    "open": "EMFILE EACCES EIO EINTR", "open-write": "EMFILE EACCES EIO EROFS EINTR",
    "create": "EMFILE EACCES EIO ENOSPC EROFS EINTR", "opendir": "EMFILE EACCES EIO", "readdir": "EIO",
    "read": "EIO EINTR", "pread": "EIO EINTR", "write": "ENOSPC EIO EINTR", "pwrite": "ENOSPC EIO EINTR",
    "fsync": "EIO ENOSPC EINTR", "fdatasync": "EIO ENOSPC EINTR", "ftruncate": "EIO ENOSPC EINTR",
    "rename": "EIO EACCES ENOSPC EROFS", "unlink": "EIO EACCES EROFS", "mkdir": "EIO EACCES ENOSPC EROFS",
    "stat": "EACCES EIO", "flock": "ENOLCK EINTR", "lock": "ENOLCK EINTR", "mmap": "ENOMEM", "socket": "EMFILE",
    "pipe": "EMFILE", "eventfd": "EMFILE", "epoll": "EMFILE", "timerfd": "EMFILE", "thread": "EAGAIN", "malloc": "ENOMEM",
}


# Where a kill leaves something else than a kill before. A call that changes nothing outside the process leaves the same
# as the next one that does: a read, a `stat`, an open of what is there. So do `fsync` and `fdatasync`, since what was
# written outlives the process; what a loss of power leaves, Tests/TrackerStorageTests ask.
KILLED = "create write pwrite ftruncate rename unlink mkdir flock socket".split()

# How often calls fail that fail neither once nor for good.
SOME = 3


def faults(counts):
    """Every single fault at the calls that were counted."""
    for name, count in counts.items():
        for number in range(1, count + 1):
            yield from faults_at(name, number)


def faults_at(name, number):
    kind = name.split(":")[0]
    if kind in KILLED:
        yield f"{name}:{number}:kill:1"
    for error in ERRORS[kind].split():
        yield f"{name}:{number}:{error}:1"
        if error in SPREAD:
            yield f"{name}:{number}:{error}:all"
    if kind in DESCRIPTORS:
        # Who meets it does what EMFILE brings; only who asks for the number tells them apart, and so once is enough.
        yield f"{name}:{number}:ENFILE:1"


def vary(fault, chance):
    """The fault, or by chance the same one with an extent that is not played everywhere."""
    start, error, extent = fault.rsplit(":", 2)
    if error == "kill" or chance.random() > 1 / 3:
        return fault
    return f"{start}:{error}:{SOME if error != 'ENFILE' or chance.random() < 0.5 else 'all'}"


def follow(trace, fault, chance):
    """A second fault, at a call that was made after the first one."""
    name, number = fault.rsplit(":", 3)[:2]
    counts = dict.fromkeys(trace, 0)
    later = []
    for called in trace:
        counts[called] += 1
        if later or (called == name and counts[called] == int(number)):
            later.append((called, counts[called]))
    if len(later) < 2:
        return None
    return vary(chance.choice(list(faults_at(*chance.choice(later[1:])))), chance)


def plan(fault):
    """A fault as faults.c takes it."""
    name, number, error, extent = fault.rsplit(":", 3)
    kind = name.split(":")[0]
    spread = SPREAD[error] if extent == "all" else [kind]
    mask = sum(1 << KINDS.index(other) for other in spread)
    code = -1 if error == "kill" else getattr(errno, error)
    return name, int(number), code, mask, 0 if extent == "all" else int(extent)


class Worker:
    """Plays runs, one after the other, in a process of its own."""

    shared = None

    def __init__(self, folder, host, native, library):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=folder))
        self.host, self.native, self.library = host, native, library
        self.backend, self.page = Backend(), Page(self.folder / "page")
        self.programs, self.templates, self.normal = {}, {}, {}

    def play(self, name, plans=()):
        """Plays a scenario."""
        function, template = SCENARIOS[name]
        if template and template not in self.templates:
            self.templates[template] = self._make(template)
        self.page.plan(plans)
        program, hasSecond = self.native if "+native" in name else self.host, name.endswith("+second")
        if (program, hasSecond) not in self.programs:
            self.programs[program, hasSecond] = self._load(program, "run", hasSecond)
        loaded = self.programs[program, hasSecond]
        run = Run(self.folder / "run", loaded, self.backend, self.page, self.templates.get(template), self.normal.get(name))
        run.perform(function, hasSecond)
        return run

    def learn(self, name):
        """Plays a scenario without a fault: what is called, what the host holds at its end, and what is wrong."""
        runs = [self.play(name) for _ in range(3)]
        self.normal[name] = most(run.after for run in runs)
        return most(run.counts for run in runs), [finding for run in runs for finding in run.findings]

    def _load(self, program, folder, hasSecond=False):
        # Dispatch serves Swift's pool of threads in the native program, which is not the product's. The host has no use for it.
        spared = "dispatch" if program == self.native else ""
        # Where another host has the lane, one waits for it as long as it may before it ends.
        options = () if hasSecond or program == self.native else ("--shutdown-timeout", "8s")
        return Program(program, self.folder / folder / "state", self.page, self.library, spared, options)

    def _make(self, name):
        self.page.plan([])
        program = self._load(self.host, name)
        run = Run(self.folder / name, program, self.backend, self.page)
        TEMPLATES[name](run)
        for host in run.hosts:
            host.kill()
        program.close()
        assert not run.findings, run.findings
        run.answered = self.backend.answered
        return run


def most(counts):
    """The largest of several counts, name by name."""
    result = {}
    for count in counts:
        for name, number in count.items():
            result[name] = max(result.get(name, 0), number)
    return result


def begin(*arguments):
    # A worker ends with the explorer, also with one that is ended by a signal (PR_SET_PDEATHSIG).
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)
    Worker.shared = Worker(*arguments)


def record(name):
    counts, findings = Worker.shared.learn(name)
    return name, counts, findings, Worker.shared.normal[name]


def explore(point, normal=None):
    """What a point has shown: how many of its faults came up, and what is wrong."""
    name, *texts = point.split(" ")
    worker = Worker.shared
    if normal:
        worker.normal[name] = normal
    elif name not in worker.normal:
        worker.learn(name)
    run = worker.play(name, [plan(text) for text in texts])
    return point, run.reached, run.findings, run.folder / "log"


def explore_pair(point, seed, normal=None):
    """Plays a point, and then again with a second fault, at a call that came after the first one.

    So the second one also meets what is only called because of the first: what mends, tells or tries again.
    """
    first = explore(point, normal)
    second = follow(Worker.shared.page.trace(), point.split(" ")[1], random.Random(seed))
    return explore(f"{point} {second}") if second and not first[2] else first


class Table:
    """The table of regressions: points that are always played, and what is known to be wrong still."""

    def __init__(self):
        lines = [line.split("#")[0].strip() for line in TABLE.read_text().splitlines()]
        self.points = [line for line in lines if line and not line.startswith("expected ")]
        self._expected = [line.removeprefix("expected ").split(" => ") for line in lines if line.startswith("expected ")]

    def expects(self, point, findings):
        """Whether all that is wrong at a point is known."""
        return all(any(fnmatch.fnmatchcase(point, where) and fnmatch.fnmatchcase(finding, what)
                       for where, what in self._expected) for finding in findings)


def build():
    library = ROOT / ".build/faults/libfaults.so"
    library.parent.mkdir(parents=True, exist_ok=True)
    options = "-std=gnu11 -O2 -Wall -Wextra -Werror -U_FORTIFY_SOURCE -shared -fPIC -Wl,-z,initfirst".split()
    subprocess.run(["cc", *options, "-o", library, HERE / "faults.c", "-ldl"], check=True)
    return library


class Report:
    """What the runs have come to."""

    def __init__(self, total, table):
        self.total, self.table = total, table
        self.runs = self.unreached = self.expected = self.pairs = self.complete = 0
        self.found = {}
        self.began = time.monotonic()

    def take(self, point, reached, findings):
        self.runs += 1
        self.unreached += reached == 0
        if len(point.split(" ")) > 2:
            self.pairs += 1
            self.complete += reached == 2
        if findings and self.table.expects(point, findings):
            self.expected += 1
        elif findings:
            # Points with the same cause read the same but for numbers and names.
            cause = "\n".join(re.sub(r"[0-9a-f]{8,}|\d+(, \d+)*", "N", finding) for finding in findings)
            if cause not in self.found:
                self.say("\n    ".join([f"FOUND {point}", *findings]))
            self.found.setdefault(cause, []).append(point)
        line = f"{self.runs}/{self.total} runs, {len(self.found)} findings"
        if sys.stderr.isatty():
            print(f"\r{line}", end="", file=sys.stderr, flush=True)
        elif self.runs % 1000 == 0:
            print(line, file=sys.stderr, flush=True)

    def say(self, text):
        print(("\r\033[K" if sys.stderr.isatty() else "") + text, flush=True)

    def sum_up(self, points, pairs):
        took = time.monotonic() - self.began
        self.say(f"{points} points, {pairs} pairs: {self.runs} of {self.total} runs in {took:.0f} s")
        self.say(f"{self.unreached} did not come to their fault, {self.expected} failed as expected")
        if self.pairs:
            self.say(f"{self.complete} of {self.pairs} pairs came to both faults")
        failed = sum(map(len, self.found.values()))
        self.say(f"{failed} failed, in {len(self.found)} ways")
        for cause, found in sorted(self.found.items(), key=lambda item: -len(item[1])):
            self.say(f"\n{len(found)} times, such as\n    {cause.replace(chr(10), chr(10) + '    ')}")
            for point in found[:3]:
                self.say(f"  to repeat: python3 Tests/Faults/explorer.py --point '{point}'")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenarios", nargs="*", help="only these; by default all")
    parser.add_argument("--short", action="store_true", help="the regressions, and some points")
    parser.add_argument("--point", help="plays one point, and prints what the hosts logged")
    parser.add_argument("--times", type=int, default=1, help="with --point: so often, or until it fails")
    parser.add_argument("--list", action="store_true", help="prints the points")
    parser.add_argument("--sample", type=int, default=0, help="with --short: how many points besides")
    parser.add_argument("--minutes", type=float, default=1e6, help="no new run after that")
    parser.add_argument("--pairs", type=int, default=int(os.environ.get("FAULTS", "500")), help="how many pairs of faults")
    parser.add_argument("--some", action="store_true", help=f"single faults of {SOME} calls instead of one and of all")
    parser.add_argument("--only-pairs", action="store_true", help="the regressions and the pairs")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SEED", "0")) or random.randrange(1, 1 << 31))
    parser.add_argument("--skip", type=int, default=0, help="goes on with a run of that seed after so many runs")
    parser.add_argument("--workers", type=int, default=6 * (os.cpu_count() or 1), help="how many runs at once; most of a "
                        "run is waiting, so more than there are processors")
    parser.add_argument("--only", help="only points in which this regular expression is found")
    built = ROOT / ".build/debug"
    parser.add_argument("--host", type=pathlib.Path, default=built / "BridgeHost", help="the debug host by default")
    parser.add_argument("--native", type=pathlib.Path, default=built / "FaultsProbe", help="the program with a native client")
    options = parser.parse_args()
    for name in [*options.scenarios, *(options.point or "").split(" ")[:1]]:
        if name and name not in SCENARIOS:
            parser.error(f"no scenario is called {name}; there are {', '.join(SCENARIOS)}")
    os.nice(5)
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="faults-", dir=base) as folder:
        arguments = (folder, options.host.resolve(), options.native.resolve(), build())
        if options.point:
            return repeat(options.point, options.times, arguments)
        with concurrent.futures.ProcessPoolExecutor(options.workers, initializer=begin, initargs=arguments) as pool:
            return investigate(pool, options)


def repeat(point, times, arguments):
    """Plays one point until it fails, at most so often, and prints what the hosts logged in the last run."""
    begin(*arguments)
    for number in range(1, times + 1):
        _, reached, findings, log = explore(point)
        if findings:
            break
    print(log.read_text(errors="replace"), end="")
    print(f"run {number}: {reached} of {len(point.split()) - 1} faults came up; {len(findings)} findings")
    print("\n".join(findings))
    return 1 if findings else 0


def investigate(pool, options):
    names = options.scenarios or list(SCENARIOS)
    chance = random.Random(options.seed)
    points, pairs, normal = [], [], {}
    if not options.short or options.sample:
        print(f"seed {options.seed}", flush=True)
    if options.short:
        # A scenario is learned before its points are known: a few, with some points each.
        names = sorted(chance.sample(names, min(len(names), -(-options.sample // EACH))))
    for name, counts, findings, held in pool.map(record, names):
        if findings:
            print(f"{name} fails without any fault: {findings}")
            return 1
        normal[name] = held
        points += [f"{name} {fault}" for fault in faults(counts)]
    if options.some:
        points = [f"{point[:-1]}{SOME}" for point in points if re.search("(?<!kill):1$", point)]
    if options.only:
        points = [point for point in points if re.search(options.only, point)]
    if options.list:
        print("\n".join(points))
        return 0
    table = Table()
    if options.short:
        points = [vary(point, chance) for point in chance.sample(points, min(len(points), options.sample))]
    else:
        byName = {}
        for point in points:
            if ":kill:" not in point:
                byName.setdefault(point.split(" ")[0], []).append(point)
        while byName and len(pairs) < options.pairs:
            pairs.append((vary(chance.choice(byName[chance.choice(list(byName))]), chance), chance.getrandbits(32)))
    chance.shuffle(points)
    if options.only_pairs:
        points = []
    wanted = [(explore, point) for point in dict.fromkeys([*table.points, *points])]
    wanted += [(explore_pair, *pair) for pair in pairs]
    # The order depends on the seed alone, so that a long run may be cut off.
    wanted = wanted[options.skip:]
    report = Report(len(wanted), table)
    end = time.monotonic() + 60 * options.minutes
    rest, under_way = iter(wanted), set()
    while True:
        under_way |= {pool.submit(*job, normal.get(job[1].split(" ")[0]))
                      for job in itertools.islice(rest, 4 * options.workers - len(under_way))}
        if not under_way or time.monotonic() > end:
            break
        done, under_way = concurrent.futures.wait(under_way, return_when=concurrent.futures.FIRST_COMPLETED)
        for future in done:
            report.take(*future.result()[:3])
    report.sum_up(len(points), len(pairs))
    return 1 if report.found else 0


if __name__ == "__main__":
    sys.exit(main())
