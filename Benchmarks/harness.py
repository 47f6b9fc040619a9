"""What the benchmarks start and measure: the C server, the host, the small C programs, and processes' figures."""
import contextlib
import http.client
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FLOOR = ROOT / '.build' / 'floor'
# Where the Swift programs are; tests name the debug build.
BUILT = Path(os.environ.get('BENCH_BUILD', ROOT / '.build' / 'release'))
HOST = BUILT / 'BridgeHost'

# A call of about 300 bytes.
PARAMS = ('["PURCHASE",{"total":149.99,"currency":"EUR","items":[{"sku":"A-1","qty":2,"name":"Käse"},'
          '{"sku":"B-22","qty":1}],"gift":true,"note":null},{"flow_id":"checkout_v2","session_number":17,'
          '"screen":"Übersicht","locale":"de-AT","from":"landing page"}]')


def message(method, params):
    """One call as a line."""
    return f'{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}\n'


TRACK = message('track', PARAMS)


def processor_time(pid):
    """What a process and its threads have used, in seconds: the clock of another process, as clock_getcpuclockid(3)."""
    return time.clock_gettime((~pid << 3) | 2)


def status_kib(pid, name):
    """A figure of /proc/PID/status, in KiB."""
    for line in Path(f'/proc/{pid}/status').read_text().splitlines():
        if line.startswith(name + ':'):
            return int(line.split()[1])
    raise RuntimeError(f'/proc/{pid}/status has no {name}')


def run(*command, **more):
    """Runs a program that prints JSON, and reads it."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise RuntimeError(f'{command[0]} ended with {done.returncode}: {done.stderr.strip()}')
    return json.loads(done.stdout)


@contextlib.contextmanager
def folder():
    """A folder on the disk, for as long as it is used."""
    path = tempfile.mkdtemp(prefix='tracker-bench-', dir=os.environ.get('BENCH_FOLDER'))
    try:
        yield Path(path)
    finally:
        shutil.rmtree(path)


class Server:
    """The C server and a connection to it."""

    def __init__(self):
        self.process = subprocess.Popen([FLOOR / 'server'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())
        self.url = f'http://127.0.0.1:{self.port}'
        self.connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=300)

    def tell(self, word):
        """`stall`, `flow` or `clear`."""
        self.connection.request('POST', f'/{word}')
        self.connection.getresponse().read()

    def wait(self, requests):
        """Waits until so many events have come: how many did, their bytes, and when the first and the last came."""
        self.connection.request('GET', f'/wait?requests={requests}')
        return json.loads(self.connection.getresponse().read())

    def close(self):
        self.connection.close()
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Host:
    """A program that answers lines with lines: the release host, unless another is named."""

    @staticmethod
    def of(build):
        """A build of the host."""
        return Host(build, '--log-level', 'error')

    def __init__(self, *command):
        self.command = command or (HOST, '--log-level', 'error')
        self.process = subprocess.Popen(
            [str(word) for word in self.command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            bufsize=0)
        self.pid = self.process.pid

    def call(self, method, *params, **named):
        """Calls a method and waits for its result. Nothing else may wait for an answer."""
        self.process.stdin.write(message(method, json.dumps(named or params)).encode())
        answer = b''
        while not answer.endswith(b'\n'):
            piece = self.process.stdout.read(1 << 16)
            if not piece:
                raise RuntimeError(f'{method}: {self.command[0]} has ended')
            answer += piece
        result = json.loads(answer)
        if 'result' not in result:
            raise RuntimeError(f'{method}: {answer.decode().strip()}')
        return result['result']

    def start_session(self, server, state, **options):
        """Initialises the session-based tracker, with bounds that drop nothing."""
        self.call('init', '925', {
            'apiUrl': server.url, 'xApiKey': 'key-12345678', 'storageDirectory': str(state),
            'maxQueuedEvents': 2_000_000, 'maxQueuedBytes': 1 << 31, **options})

    def pour(self, mode, count, *lines):
        """Lets the C program write the first line so often, then the others: the seconds and the host's processor time."""
        with tempfile.NamedTemporaryFile('w', suffix='.jsonl') as file:
            file.write(''.join(lines))
            file.flush()
            before = self.processor_time()
            done = subprocess.run(
                [FLOOR / 'calls', mode, str(count), file.name], stdin=self.process.stdout, stdout=self.process.stdin,
                stderr=subprocess.PIPE, text=True)
            if done.returncode != 0:
                raise RuntimeError(done.stderr)
            return json.loads(done.stderr)['seconds'], self.processor_time() - before

    def processor_time(self):
        return processor_time(self.pid)

    def resident_mib(self):
        return status_kib(self.pid, 'VmRSS') / 1024

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
