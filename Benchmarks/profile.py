"""Where a call goes: instructions of the host for each `track` of a burst, by the part of the product that runs them, and
the operations that cost more than their instructions: reference counts, allocations, copies, system calls.

Counted with valgrind over two runs of different lengths, so that starting and ending fall out. A count does not depend on
what else the machine does.
"""
import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import HOST, ROOT, TRACK, Host, Server, folder

# The first that fits a function's source file, or the module in its mangled name.
PARTS = [
    ('JSON: scanning, merging, writing', r'Modules/TrackerJSON/|\$s11TrackerJSON'),
    ('JSON-RPC: frames, messages, arguments, answers', r'BridgeHost/JSONRPC/|\$s7JSONRPC'),
    ('bridge: from a method to a client', r'BridgeHost/(Bridge|Host)/|\$s6Bridge|\$s10BridgeHost'),
    ('client: the call, its place in the order, its outcome', r'Modules/Tracker(Core|Models)/|\$s11TrackerCore|\$s13TrackerModels'),
    ('outbox: staging and the transaction, in Swift', r'Modules/TrackerStorage/|\$s14TrackerStorage'),
    ('network loop', r'Modules/TrackerNetworking/|\$s17TrackerNetworking'),
    ('Swift: reference counts, objects, metadata', r'\bswift|doDecrementSlow|RefCount|Metadata|MutexHandle'),
    ('Swift: arrays, strings, closures', r'\$s|Array|String|compiler-generated|stdin'),
    ('memory: malloc, free, copies', r'malloc|free\b|calloc|realloc|unlink_chunk|memmove|memcpy|memset|memcmp'),
    ('threads: locks, queues, waits', r'pthread|_dispatch|futex|lll_|lowlevellock|clock_gettime|vdso'),
    ('SQLite', r'sqlite3|[vV]dbe|[bB]tree|[pP]ager|[wW]al|balance|insertCell|[pP]cache|getPage|getAndInit|bindText|Cursor|Mem\b|Mem[A-Z]'),
]


# What two processors, or the kernel, make dearer than its instructions say.
OPERATIONS = [
    ('reference counts', r'^swift_(bridgeObject|unknownObject|nonatomic_)?(Retain|Release|retain|release)(_n)?$'),
    ('allocations', r'^(malloc|calloc|realloc|posix_memalign|aligned_alloc)$'),
    ('copies', r'^_*mem(cpy|move)'),
]


# One that waits has a second line, without its name. The clock is read in the process itself, but for valgrind.
SYSTEM_CALL = re.compile(r'^SYSCALL\[[^\]]*\]\( *\d+\) sys_(?!clock_gettime)', re.MULTILINE)


def pour(calls, tool, host):
    """Lets a host take so many calls under one of valgrind's tools."""
    with Server() as server, folder() as state, Host('valgrind', *tool, host, '--log-level', 'error') as program:
        server.tell('stall')
        program.start_session(server, state / 'tracker')
        program.pour('burst', calls, TRACK)
        program.call('host.shutdown')
        program.process.stdin.close()
        program.process.wait(60)


def count(calls, host, place):
    """The instructions of a host that takes so many calls, by function, and its operations."""
    out, log = place / 'callgrind.out', place / 'calls.log'
    pour(calls, ('--tool=callgrind', f'--callgrind-out-file={out}'), host)
    text = subprocess.run(
        ['callgrind_annotate', '--tree=none', '--inclusive=no', '--threshold=100', '--auto=no', out], capture_output=True, text=True, check=True).stdout
    pour(calls, ('--tool=none', '--trace-syscalls=yes', f'--log-file={log}'), host)
    operations = called(out)
    operations['system calls'] = len(SYSTEM_CALL.findall(log.read_text(errors='replace')))
    return functions(text), operations


def called(out):
    """How often the functions of each kind of operation were called (Callgrind Format Specification)."""
    names, found, callee = {}, {}, ''
    for line in out.read_text(errors='replace').splitlines():
        if match := re.match(r'c?fn=\((\d+)\)(?: (.*))?', line):
            if match.group(2):
                names[match.group(1)] = match.group(2)
            if line.startswith('c'):
                callee = names[match.group(1)].split("'")[0]
        elif line.startswith('calls='):
            for title, pattern in OPERATIONS:
                if re.search(pattern, callee):
                    found[title] = found.get(title, 0) + int(line[6:].split()[0])
    return found


def functions(text):
    found = {}
    for line in text.splitlines():
        if match := re.match(r'\s*([\d,]+) \([\s\d.]+%\)\s+(\S.*)', line):
            name = match.group(2)
            if name != 'PROGRAM TOTALS':
                found[name] = found.get(name, 0) + int(match.group(1).replace(',', ''))
    return found


def part(name):
    return next((title for title, pattern in PARTS if re.search(pattern, name)), 'the rest')


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('--json', type=Path, help='write the figures to this file')
    options.add_argument('--functions', type=int, default=0, help='also show this many functions')
    chosen = options.parse_args()
    if not shutil.which('valgrind'):
        sys.exit('profile: valgrind is needed; on Debian and Ubuntu: apt-get install valgrind')
    few, many = 2_000, 12_000
    print(f'callgrind over {few:,} and {many:,} calls; a minute', flush=True)
    with tempfile.TemporaryDirectory() as place:
        # Valgrind cannot read the newest debug information; the names of functions are enough.
        host = Path(place) / 'BridgeHost'
        subprocess.run(['strip', '--strip-debug', '-o', host, HOST], check=True)
        (before, fewer), (after, more) = count(few, host, Path(place)), count(many, host, Path(place))
    each = {name: (after.get(name, 0) - before.get(name, 0)) / (many - few) for name in before.keys() | after.keys()}
    operations = {name: (more[name] - fewer.get(name, 0)) / (many - few) for name in more}
    parts = {}
    for name, instructions in each.items():
        parts[part(name)] = parts.get(part(name), 0) + instructions
    total = sum(parts.values())
    print(f'\n{total:8,.0f}  instructions a call')
    for title, instructions in sorted(parts.items(), key=lambda item: -item[1]):
        print(f'{instructions:8,.0f}  {instructions / total:4.0%}  {title}')
    print()
    for title, operation in sorted(operations.items(), key=lambda item: -item[1]):
        print(f'{operation:8,.1f}  {title} a call')
    for name, instructions in sorted(each.items(), key=lambda item: -item[1])[:chosen.functions]:
        print(f'{instructions:8,.0f}  {name.replace(str(ROOT), "")[:110]}')
    if chosen.json:
        chosen.json.write_text(json.dumps({'total': total, 'parts': parts, 'operations': operations}, indent=2) + '\n')


if __name__ == '__main__':
    main()
