"""The rows of the table: what the product does, and the floor that does the same with nothing around it."""
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Callable

from harness import BUILT, FLOOR, HOST, ROOT, TRACK, Host, Server, folder, message, run


@dataclass
class Figures:
    """What one run of one side came to."""

    # How many a second.
    rate: float | None = None
    # Processor time of each, in microseconds.
    cpu: float | None = None
    # Anything else that has a number: bytes on the wire, memory.
    more: dict = field(default_factory=dict)

    @staticmethod
    def of(count, seconds, cpu, **more):
        return Figures(count / seconds, cpu * 1e6 / count, more)


@dataclass
class Row:
    name: str
    title: str
    # What the floor is, in a few words.
    beside: str
    product: Callable[[], Figures]
    floor: Callable[[], Figures]
    # Floors of parts of the work, whose rates are shown besides.
    others: dict[str, Callable[[], Figures]] = field(default_factory=dict)
    # The product with a given build of the host; None if it has no host.
    bridge: Callable[[Path], Figures] | None = None

    @staticmethod
    def of_host(name, title, beside, bridge, floor, others=None):
        """A row whose product is the host, or a client that drives it."""
        return Row(name, title, beside, lambda: bridge(HOST), floor, others or {}, bridge)

    def beside_host(self, host):
        """The row with another build of the host in the floor's place."""
        return replace(self, beside=str(host), floor=lambda: self.bridge(host), others={})


class Sizes:
    """How much each row does."""

    def __init__(self, smoke):
        self.burst, self.each, self.drain, self.batches, self.native, self.node, self.spawns = (
            (2_000, 100, 300, 500, 800, 500, 2) if smoke else (100_000, 5_000, 10_000, 20_000, 20_000, 50_000, 20))


def rows(sizes):
    """All rows, in the table's order."""
    return [
        Row.of_host('burst', 'bridge, `track` in a burst, durable answers', 'SQLite by 100',
                    lambda host: burst(host, sizes.burst), lambda: sqlite(sizes.burst, 100),
                    {'C echo': lambda: echo('burst', sizes.burst), 'C JSON check': lambda: json_check(sizes.burst)}),
        Row.of_host('each', 'bridge, one `track` at a time, durable', 'C echo',
                    lambda host: one_by_one(host, sizes.each), lambda: echo('each', sizes.each)),
        Row.of_host('drain', 'a backlog, an event a request, one in flight', 'libcurl',
                    lambda host: drain(host, sizes.drain, 1), lambda: libcurl(sizes.drain, 'single')),
        Row.of_host('drain8', '… eight in flight', 'libcurl',
                    lambda host: drain(host, sizes.drain, 8), lambda: libcurl(sizes.drain, 'multi', 8)),
        Row.of_host('batches', 'analytics through the bridge, first call to last 2xx', 'libcurl by 100',
                    lambda host: analytics(host, sizes.batches), lambda: libcurl(sizes.batches, 'batch', 100, size=400)),
        Row('native', 'native `track`, one caller awaiting', 'SQLite by 1',
            lambda: native(sizes.native, 'each'), lambda: sqlite(sizes.native, 1)),
        Row('native8', '… eight callers awaiting', 'SQLite by 8',
            lambda: native(sizes.native * 2, 'callers'), lambda: sqlite(sizes.native * 2, 8)),
        Row('enqueue', '… eight callers, `enqueue`', 'SQLite by 100',
            lambda: native(sizes.native * 4, 'enqueue'), lambda: sqlite(sizes.native * 4, 100)),
        Row.of_host('node', 'the Node client, not awaited', 'Node echo',
                    lambda host: node(host, sizes.node), lambda: node_echo(sizes.node)),
        Row.of_host('python', 'the Python client, not waited for', 'Python echo',
                    lambda host: python(host, sizes.node), lambda: python_echo(sizes.node)),
        Row.of_host('spawn', 'spawn to first answer', 'C and libcurl',
                    lambda host: spawn(sizes.spawns, host, '--log-level', 'error'),
                    lambda: spawn(sizes.spawns, FLOOR / 'client', 'echo')),
    ]


def burst(build, count):
    """Calls written as fast as the host reads them; the server answers sessions alone."""
    with Server() as server, folder() as state, Host.of(build) as host:
        server.tell('stall')
        host.start_session(server, state)
        seconds, cpu = host.pour('burst', count, TRACK)
        return Figures.of(count, seconds, cpu, resident=host.resident_mib())


def one_by_one(build, count):
    with Server() as server, folder() as state, Host.of(build) as host:
        server.tell('stall')
        host.start_session(server, state)
        return Figures.of(count, *host.pour('each', count, TRACK))


def drain(build, count, width):
    """What waits while the server does not answer, from its first answer on."""
    with Server() as server, folder() as state, Host.of(build) as host:
        server.tell('stall')
        host.start_session(server, state, maxConcurrentRequests=width)
        host.pour('burst', count, TRACK)
        # Until the host has its requests under way and rests.
        server.wait(min(width, count))
        before, begin = host.processor_time(), time.monotonic()
        server.tell('flow')
        end = server.wait(count)
        report = host.call('flush', 10_000)
        if report['remaining'] != 0 or end['requests'] != count:
            raise RuntimeError(f'{end["requests"]} requests for {count} events, {report}')
        return Figures.of(count, end['last'] - begin, host.processor_time() - before, bytes=end['bytes'] / count)


def analytics(build, count):
    """Events of some 400 bytes on the wire, and a flush that is answered when all have been taken."""
    with Server() as server, folder() as state, Host.of(build) as host:
        host.call('analytics.initialize', {
            'writeKey': 'write-key', 'ingestionHost': server.url, 'storageDirectory': str(state),
            'maxQueueEvents': 1_000_000, 'maxQueuedEvents': 1_000_000, 'maxQueuedBytes': 1 << 30})
        track = message('analytics.track', '["PURCHASE",{"total":149.99,"currency":"EUR"}]')
        seconds, cpu = host.pour('burst', count, track, message('analytics.flush', '[60000]'))
        if (left := host.call('analytics.flush')['remaining']) != 0:
            raise RuntimeError(f'{left} events are left')
        return Figures.of(count, seconds, cpu, bytes=server.wait(0)['bytes'] / count)


def native(count, mode):
    with Server() as server, folder() as state:
        server.tell('stall')
        done = run(BUILT / 'NativeBenchmark', server.url, state, count, mode)
        return Figures.of(count, done['seconds'], done['cpu'])


def node(build, count):
    with Server() as server, folder() as state:
        server.tell('stall')
        done = run('node', ROOT / 'Benchmarks/Node/client.mjs', server.url, state, count, build)
        return Figures.of(count, done['seconds'], done['cpu'])


def node_echo(count):
    done = run('node', ROOT / 'Benchmarks/Node/echo.mjs', count, FLOOR / 'calls', 'echo')
    return Figures.of(count, done['seconds'], done['cpu'])


def python(build, count):
    with Server() as server, folder() as state:
        server.tell('stall')
        done = run(sys.executable, ROOT / 'Benchmarks/Python/client.py', server.url, state, count, build)
        return Figures.of(count, done['seconds'], done['cpu'])


def python_echo(count):
    done = run(sys.executable, ROOT / 'Benchmarks/Python/echo.py', count, FLOOR / 'calls', 'echo')
    return Figures.of(count, done['seconds'], done['cpu'])


def echo(mode, count):
    with Host(FLOOR / 'calls', 'echo') as program:
        return Figures.of(count, *program.pour(mode, count, TRACK))


def json_check(count):
    with folder() as state:
        line = state / 'line.jsonl'
        line.write_text(TRACK)
        done = run(FLOOR / 'rows', 'json', count, line)
        return Figures.of(count, done['seconds'], done['cpu'])


def sqlite(count, group):
    with folder() as state:
        done = run(FLOOR / 'rows', 'sqlite', state, count, group, 300)
        return Figures.of(count, done['seconds'], done['cpu'])


def libcurl(count, *mode, size=300):
    with Server() as server:
        path = '/v1/batch' if mode[0] == 'batch' else '/v2/tracking-session-data'
        done = run(FLOOR / 'client', server.url + path, count, size, *mode)
        return Figures.of(count, done['seconds'], done['cpu'], bytes=done['bytes'] / count)


def spawn(count, *command):
    """The middle of some starts, each until a line is answered."""
    with folder() as state:
        line = state / 'line.jsonl'
        line.write_text(message('host.info', '[]'))
        seconds = run(FLOOR / 'calls', 'spawn', count, line, *command)['seconds']
        return Figures(more={'milliseconds': seconds * 1000})
