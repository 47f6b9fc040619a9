#!/usr/bin/env python3
"""What grows with the queue and with time: the cost of an event, memory, and what an idle host does; and a tight loop.

    growth.py [--rounds 3] [--json FILE] [--smoke]

Exits with 1 if an event costs over 20 % more with a million queued than with a thousand, if memory grows by more than
10 % while a second million events pass through, if an idle host is woken within ten seconds, or if a native loop over a
million events that awaits nothing loses one for another reason than its bounds, or uncounted.
"""
import argparse
import json
import sys
import time
from pathlib import Path
from statistics import median

from harness import BUILT, TRACK, Host, Server, folder, message, run, status_kib

STEP = 10_000


def say(text):
    print(text, file=sys.stderr, flush=True)


def costs_at(queued, step):
    """Microseconds of processor time to take an event, and to deliver one, with so many queued before."""
    with Server() as server, folder() as state, Host() as host:
        server.tell('stall')
        host.start_session(server, state)
        host.pour('burst', queued, TRACK)
        _, accepting = host.pour('burst', step, TRACK)
        came = server.wait(1)['requests']
        before = host.processor_time()
        server.tell('flow')
        server.wait(came + step // 2)
        server.tell('stall')
        came = server.wait(0)['requests'] - came
        delivering = host.processor_time() - before
        return {'accept': accepting / step * 1e6, 'deliver': delivering / came * 1e6, 'resident': host.resident_mib()}


def grown(rounds, few, many, step):
    """The medians of both, and what the larger queue costs beside the smaller."""
    taken = {few: [], many: []}
    for number in range(rounds):
        for queued in taken:
            say(f'round {number + 1} of {rounds}: {queued:,} queued')
            taken[queued].append(costs_at(queued, step))
    middle = {queued: {name: median(run[name] for run in runs) for name in runs[0]} for queued, runs in taken.items()}
    growth = {name: median(large[name] / small[name] for small, large in zip(taken[few], taken[many]))
              for name in ('accept', 'deliver')}
    return middle, growth


def memory_over(count, parts):
    """MiB of memory of its own after each part of so many events has been taken and delivered."""
    track = message('analytics.track', '["PURCHASE",{"total":149.99,"currency":"EUR"}]')
    with Server() as server, folder() as state, Host() as host:
        host.call('analytics.initialize', {
            'writeKey': 'write-key', 'ingestionHost': server.url, 'storageDirectory': str(state)})
        resident = []
        for number in range(parts):
            say(f'{count // parts * number:,} of {count:,} in and out')
            host.pour('burst', count // parts, track, message('analytics.flush', '[60000]'))
            host.call('analytics.flush', 60_000)
            resident.append(status_kib(host.pid, 'RssAnon') / 1024)
        account = host.call('analytics.getDebugInfo')['account']
        if account['delivered'] != count // parts * parts:
            raise RuntimeError(f'not everything was delivered: {account}')
        return resident


def switches(pid):
    """How often each thread of a process has been switched to."""
    counts = {}
    for status in Path(f'/proc/{pid}/task').glob('*/status'):
        try:
            lines = status.read_text().splitlines()
        except (FileNotFoundError, ProcessLookupError):
            continue
        counts[status.parent.name] = sum(int(line.split()[1]) for line in lines if 'ctxt_switches' in line)
    return counts


def wakeups(seconds, settling):
    """How often a host with three idle clients is woken, after each has delivered something."""
    with Server() as server, folder() as state, Host() as host:
        host.start_session(server, state)
        host.call('analytics.initialize', {
            'writeKey': 'write-key', 'ingestionHost': server.url, 'storageDirectory': str(state)})
        host.call('basic.initialize', apiKey='key-12345678', endpoint=f'{server.url}/events',
                  options={'storageDirectory': str(state)})
        for client in ('', 'analytics.', 'basic.'):
            host.call(f'{client}track', 'PURCHASE')
            if (report := host.call(f'{client}flush', 10_000))['remaining']:
                raise RuntimeError(f'{client}flush: {report}')
        # Threads of the pool end some seconds after their last work.
        time.sleep(settling)
        before = switches(host.pid)
        time.sleep(seconds)
        after = switches(host.pid)
        return sum(count - before.get(thread, 0) for thread, count in after.items()) + len(before.keys() - after.keys())


def tight_loop(count):
    """What becomes of so many events that a native client with default options is given in a loop that awaits nothing."""
    say(f'{count:,} in a tight loop')
    with Server() as server, folder() as state:
        return run(BUILT / 'NativeBenchmark', server.url, state, count, 'loop')


def faults_of_loop(loop, count):
    """What should not have become of them: each is delivered, or dropped at a bound and counted."""
    account, refused = loop['account'], loop['refused']
    if other := {reason: number for reason, number in refused.items() if reason != 'QUEUE_FULL'}:
        yield f'events of the tight loop were refused: {other}'
    if other := {reason: number for reason, number in account['dropped'].items() if reason != 'evicted'}:
        yield f'events of the tight loop were dropped: {other}'
    dropped = sum(account['dropped'].values())
    if loop['queued'] + sum(refused.values()) != count or account['delivered'] + dropped != loop['queued']:
        yield f'events of the tight loop are not accounted for: {loop}'
    if loop['remaining']:
        yield f'{loop["remaining"]} events of the tight loop stay'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--json', type=Path)
    parser.add_argument('--smoke', action='store_true', help='little of everything: whether it runs')
    options = parser.parse_args()
    few, many, total, idle, step = (100, 1_000, 2_000, 0.1, 500) if options.smoke else (1_000, 1_000_000, 2_000_000, 10, STEP)
    looped = 2_000 if options.smoke else 1_000_000

    middle, growth = grown(1 if options.smoke else options.rounds, few, many, step)
    resident = memory_over(total, 20)
    say(f'idle for {idle} s')
    woken = wakeups(idle, settling=0 if options.smoke else 10)
    loop = tight_loop(looped)

    for queued, figures in middle.items():
        print(f'{queued:>9,} queued: {figures["accept"]:5.1f} µs to take an event, {figures["deliver"]:5.1f} µs to deliver '
              f'one, {figures["resident"]:4.0f} MiB resident')
    for name, ratio in growth.items():
        print(f'{name}: {ratio:.2f} times the cost')
    print(f'{total:,} in and out: MiB of memory ' + ' '.join(f'{part:.1f}' for part in resident))
    print(f'idle: woken {woken} times in {idle} s')
    print(f'{looped:,} in a tight loop: {loop["account"]["delivered"]:,} delivered, '
          f'{sum(loop["account"]["dropped"].values()):,} evicted, {sum(loop["refused"].values()):,} refused at the bound')
    faults = [f'it costs {ratio:.2f} times as much to {name} an event' for name, ratio in growth.items() if ratio > 1.2]
    # The allocator and the page cache of SQLite fill during the first half.
    if max(resident[10:]) > 1.1 * max(resident[:10]):
        faults.append('memory grows with what passes through')
    if woken:
        faults.append(f'an idle host is woken {woken} times')
    faults += faults_of_loop(loop, looped)
    if options.json:
        options.json.write_text(json.dumps(
            {'queued': middle, 'growth': growth, 'resident': resident, 'wakeups': woken, 'loop': loop}, indent=2) + '\n')
    for fault in [] if options.smoke else faults:
        print(f'growth: {fault}', file=sys.stderr)
    return 1 if faults and not options.smoke else 0


if __name__ == '__main__':
    sys.exit(main())
