#!/usr/bin/env python3
"""Other trackers on the same work: events tracked one after the other, until the C server has taken all.

    peers.py [--rounds 5] [--count 20000] [--json FILE]

The packages of peers.txt are installed from PyPI into .build/peers, which may be thrown away. The product's analytics
client and libcurl alternate with them in the same run. "this, from Python" is this product's package on the same work as
the others, with the processor time of Python and of the host together; "through the bridge" is the host alone. The last
column tells what became of 2,000 events that were
tracked while the server did not answer, when the process was killed with SIGKILL and started again.
"""
import argparse
import json
import os
import select
import subprocess
import sys
import time
import venv
from pathlib import Path
from statistics import median

from harness import FLOOR, ROOT, Host, Server, folder, message, run
from peer import PEERS

HERE = Path(__file__).resolve().parent
PYTHON = ROOT / '.build/peers/bin/python'
TRACK = message('analytics.track', '["PURCHASE",{"total":149.99,"currency":"EUR"}]')
KILLED = 2_000


def say(text):
    print(text, file=sys.stderr, flush=True)


def install():
    stamp = ROOT / '.build/peers/.installed'
    wanted = (HERE / 'peers.txt').read_text()
    if stamp.exists() and stamp.read_text() == wanted:
        return
    say('installing the packages of peers.txt into .build/peers')
    venv.create(ROOT / '.build/peers', with_pip=True, clear=True)
    subprocess.run([PYTHON, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', HERE / 'peers.txt'],
                   check=True)
    stamp.write_text(wanted)


def peer_command(name, server, count):
    return [str(PYTHON), str(HERE / 'peer.py'), name, server.url, str(count)]


def measure_peer(name, count):
    with Server() as server:
        done = run(*peer_command(name, server, count))
        return {**done, 'bytes': server.wait(0)['bytes']}


def wait_until_tracked(process):
    """Waits until it says so. Some wait for the server in each call: they are given five seconds."""
    said, end = b'', time.monotonic() + 5
    while b'tracked' not in said.split() and time.monotonic() < end:
        if select.select([process.stderr], [], [], 0.1)[0]:
            said += os.read(process.stderr.fileno(), 1 << 16)


def kept_by_peer(name):
    """Whether anything comes from a process that is started again after a kill, and tracks nothing."""
    with Server() as server:
        server.tell('stall')
        process = subprocess.Popen(
            peer_command(name, server, KILLED), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        wait_until_tracked(process)
        process.kill()
        process.communicate()
        server.tell('flow')
        server.tell('clear')
        run(*peer_command(name, server, 0))
        return 'nothing' if server.wait(0)['requests'] == 0 else 'something'


def start_analytics(host, server, state):
    host.call('analytics.initialize', {
        'writeKey': 'write-key', 'ingestionHost': server.url, 'storageDirectory': str(state),
        'maxQueueEvents': 1_000_000, 'maxQueuedEvents': 1_000_000})


def measure_product(count):
    with Server() as server, folder() as state, Host() as host:
        start_analytics(host, server, state)
        seconds, cpu = host.pour('burst', count, TRACK, message('analytics.flush', '[60000]'))
        return {'seconds': seconds, 'cpu': cpu, 'resident': host.resident_mib(), 'bytes': server.wait(0)['bytes']}


def kept_by_product():
    with Server() as server, folder() as state:
        server.tell('stall')
        with Host() as host:
            start_analytics(host, server, state)
            host.pour('burst', KILLED, TRACK)
        server.tell('flow')
        with Host() as host:
            start_analytics(host, server, state)
            host.call('analytics.flush', 10_000)
            delivered = host.call('analytics.getDebugInfo')['account']['delivered']
            return 'all' if delivered == KILLED else f'{delivered} of {KILLED}'


def measure_libcurl(count):
    with Server() as server:
        return run(FLOOR / 'client', server.url + '/v1/batch', count, 400, 'batch', 100)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--count', type=int, default=20_000)
    parser.add_argument('--json', type=Path)
    options = parser.parse_args()
    install()

    measures = {'libcurl by 100': measure_libcurl, 'this, through the bridge': measure_product}
    measures |= {'this, from Python': lambda count: measure_peer('product', count)}
    measures |= {name: lambda count, name=name: measure_peer(name, count) for name in PEERS}
    taken = {name: [] for name in measures}
    for number in range(options.rounds):
        for name, measure in measures.items():
            say(f'round {number + 1} of {options.rounds}: {name}')
            taken[name].append(measure(options.count))
    results = {name: {figure: median(run[figure] for run in runs) for figure in runs[0]} for name, runs in taken.items()}
    say('killing each')
    kept = kept_by_product()
    for name in PEERS:
        results[name]['kept'] = kept_by_peer(name)
    for name in ('this, through the bridge', 'this, from Python'):
        results[name]['kept'] = kept

    print(f'{"":<26}{"wall":>9}{"processor":>12}{"resident":>11}{"on the wire":>13}{"after a kill":>14}')
    for name, figures in results.items():
        resident = f'{figures["resident"]:.0f} MiB' if 'resident' in figures else '–'
        print(f'{name:<26}{figures["seconds"]:>7.2f} s{figures["cpu"] * 1e6 / options.count:>9.1f} µs{resident:>11}'
              f'{figures["bytes"] / options.count:>11.0f} B{figures.get("kept", "–"):>14}')
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + '\n')


if __name__ == '__main__':
    main()
