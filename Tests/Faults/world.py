"""What a run is made of: the page shared with faults.c, a backend, and hosts."""
import contextlib
import json
import mmap
import os
import pathlib
import select
import signal
import socket
import struct
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]

KINDS = """open open-write create opendir readdir read pread write pwrite fsync fdatasync ftruncate rename unlink mkdir
stat flock lock mmap socket pipe eventfd epoll timerfd thread malloc""".split()

PATIENCE = float(os.environ.get("FAULTS_PATIENCE", "30"))
"""How long an answer may take, in seconds, where nothing stalls: a longer wait is a hang."""


class Page:
    """The memory shared with faults.c; its `struct page` has the same members."""

    NAME, NAMES, PLANS, TRACE = 120, 512, 2, 8192
    PLAN = struct.Struct(f"<{NAME}sIiII")
    COUNT = struct.Struct(f"<{NAME}sI")
    HEAD = struct.Struct("<IIIII I")
    SIZE = HEAD.size + PLANS * PLAN.size + NAMES * COUNT.size + TRACE * 2

    def __init__(self, path):
        self.path = path
        path.write_bytes(bytes(self.SIZE))
        with open(path, "r+b") as file:
            self._memory = mmap.mmap(file.fileno(), self.SIZE)

    def plan(self, plans):
        """Takes at most two: (name, number, error or -1, mask of kinds, count)."""
        self._memory[:] = bytes(self.SIZE)
        struct.pack_into("<I", self._memory, 20, len(plans))
        for index, (name, *rest) in enumerate(plans):
            self.PLAN.pack_into(self._memory, self.HEAD.size + index * self.PLAN.size, name.encode(), *rest)

    def arm(self):
        struct.pack_into("<I", self._memory, 0, 1)

    def lift(self):
        struct.pack_into("<I", self._memory, 0, 0)

    def rest(self, quiet=0.015, longest=0.5):
        """Waits until nothing has been called for a moment: what follows is then numbered alike in every run."""
        deadline, seen = time.monotonic() + longest, None
        while seen != (now := struct.unpack_from("<I", self._memory, 8)[0]) and time.monotonic() < deadline:
            seen = now
            time.sleep(quiet)

    @property
    def begun(self):
        """How many of the plans have begun."""
        return struct.unpack_from("<I", self._memory, 4)[0]

    def counts(self):
        """How often each name was called, in the order of their first calls."""
        found = struct.unpack_from("<I", self._memory, 12)[0]
        start = self.HEAD.size + self.PLANS * self.PLAN.size
        rows = (self.COUNT.unpack_from(self._memory, start + i * self.COUNT.size) for i in range(found))
        return {name.rstrip(b"\0").decode(): count for name, count in rows}

    def trace(self):
        """The names in the order in which they were called."""
        names, length = list(self.counts()), struct.unpack_from("<I", self._memory, 16)[0]
        start = self.HEAD.size + self.PLANS * self.PLAN.size + self.NAMES * self.COUNT.size
        return [names[i] for i in struct.unpack_from(f"<{length}H", self._memory, start)]


class Request:
    """A request as it came."""

    def __init__(self, method, path, headers, body, status, session):
        self.time = time.monotonic()
        self.method, self.path, self.headers, self.status = method, path, headers, status
        self.text = f"{path} {body}"
        self.body = body
        self.session = session  # that this request has made
        self.device = json.loads(body).get("device_id") if session else None
        self.key = headers.get("idempotency-key", "")
        self.sequence = headers.get("x-sequence")


class Backend:
    """A server that takes everything, or answers 503 while it is down. It is reached as a proxy for any http URL.

    While it is picky, it answers 422 to what has the word in it, and repeats in its answer what that was.
    """

    REFUSED = "unheard-of"

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._connections, self._answering = set(), set()
        self.proxy = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.clear()
        threading.Thread(target=self._accept, daemon=True).start()

    def clear(self):
        self.requests, self.isDown, self.isPicky, self._sessions = [], False, True, {}

    def settle(self):
        """Waits until every request that was sent is answered."""
        quiet, deadline = 0, time.monotonic() + PATIENCE
        while quiet < 3 and time.monotonic() < deadline:
            time.sleep(0.005)
            waiting = [self._listener, *self._connections]
            with contextlib.suppress(OSError, ValueError):
                quiet = 0 if self._answering or select.select(waiting, [], [], 0)[0] else quiet + 1

    def restore(self, answered):
        """Goes on from what an earlier run has sent."""
        self.requests, self._sessions = list(answered[0]), dict(answered[1])

    @property
    def answered(self):
        return list(self.requests), dict(self._sessions)

    def _accept(self):
        while True:
            connection, _ = self._listener.accept()
            self._connections.add(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.suppress(OSError))
            stack.enter_context(connection)
            stack.callback(self._connections.discard, connection)
            stack.callback(self._answering.discard, connection)
            stream = stack.enter_context(connection.makefile("rb"))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while line := stream.readline():
                self._answering.add(connection)
                method, target, _ = line.decode().split(" ")
                headers = {}
                while (field := stream.readline().decode().strip()):
                    name, _, value = field.partition(":")
                    headers[name.lower()] = value.strip()
                body = stream.read(int(headers.get("content-length", "0"))).decode()
                connection.sendall(self._answer(method, target.removeprefix("http://backend.test"), headers, body))
                self._answering.discard(connection)

    def _answer(self, method, path, headers, body):
        status, session = 503 if self.isDown else 200, None
        if path == "/v2/tracking-session" and status == 200:
            session = self._sessions.setdefault(headers["idempotency-key"], f"session-{len(self._sessions) + 1}-{os.urandom(6).hex()}")
        if status == 200 and self.isPicky and self.REFUSED in body:
            status = 422
        self.requests.append(Request(method, path, headers, body, status, session))
        text = json.dumps({"data": {"id": session}} if session else {"error": body} if status == 422 else {})
        return f"HTTP/1.1 {status} -\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode()


class Died(Exception):
    """The host has ended."""


class Hung(Exception):
    """The host has not answered in its time, or not with JSON."""


class Process:
    """A process that a `Program` has forked."""

    def __init__(self, program, pid):
        self.pid = pid
        self._program, self._code = program, None
        self._handle = os.pidfd_open(pid)

    def wait(self, patience=None):
        """Its exit code: negative, the number of the signal that ended it; None if it has not ended in that time."""
        if self._code is None and select.select([self._handle], [], [], patience)[0]:
            self._code = os.waitstatus_to_exitcode(self._program.ask(self.pid))
            os.close(self._handle)
        return self._code

    def kill(self):
        # Nobody else has its number before it was waited for.
        if self.wait(0) is None:
            os.kill(self.pid, signal.SIGKILL)
            self.wait()


class Program:
    """A program on a state folder: it is loaded once, and forked at each start. See `serve` in faults.c.

    The calls of the library `spared` do not fail.
    """

    def __init__(self, path, state, page, library, spared, options=()):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        environment = {**os.environ, "TZ": "UTC", "SWIFT_BACKTRACE": "enable=no", "LD_PRELOAD": str(library),
                       "FAULTS_PAGE": str(page.path), "FAULTS_ROOT": str(state), "FAULTS_SERVER": str(theirs.fileno()),
                       "FAULTS_SPARED": spared}
        arguments = [path, "--storage-dir", state, "--log-level", "info", *options]
        with theirs:
            self._server = subprocess.Popen(
                arguments, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
        self._channel = ours

    def start(self, isFaulty, *files):
        """A process with these as its standard input, output and error."""
        return Process(self, self.ask(0, isFaulty, files))

    def ask(self, process, isFaulty=False, files=()):
        socket.send_fds(self._channel, [struct.pack("<ii", process, isFaulty)], files)
        if not (answer := self._channel.recv(4)):
            raise RuntimeError(f"{self._server.args[0]} was not loaded: code {self._server.wait()}")
        return struct.unpack("<i", answer)[0]

    def close(self):
        """Its processes have ended."""
        self._channel.close()
        self._server.wait()


class Host:
    """A real host."""

    def __init__(self, program, log, isFaulty):
        (asked, calls), (answers, answered) = os.pipe(), os.pipe()
        with open(log, "ab") as file:
            self.process = program.start(isFaulty, asked, answered, file.fileno())
        os.close(asked)
        os.close(answered)
        self._calls, self._output = open(calls, "wb", buffering=0), open(answers, "rb", buffering=0)
        self._buffer, self._answers, self._last = b"", {}, 0

    def send(self, method, params=()):
        """Makes a call, and returns its id."""
        self._last += 1
        message = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params or []}
        try:
            self._calls.write(json.dumps(message).encode() + b"\n")
        except BrokenPipeError:
            raise Died(method) from None
        return self._last

    def wait(self, call, what, patience=PATIENCE):
        """The answer to a call: its message."""
        deadline = time.monotonic() + patience
        while call not in self._answers:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._output], [], [], left)[0]:
                raise Hung(f"{what} had no answer after {patience:.0f} s")
            if not (part := self._output.read(1 << 16)):
                raise Died(what)
            *lines, self._buffer = (self._buffer + part).split(b"\n")
            for line in lines:
                try:
                    message = json.loads(line)
                except ValueError:
                    raise Hung(f"{what} was answered with {line[:200]!r}") from None
                self._answers[message.get("id")] = message
        return self._answers.pop(call)

    def call(self, method, params=(), patience=PATIENCE):
        return self.wait(self.send(method, params), method, patience)

    @property
    def isRunning(self):
        return self.process.wait(0) is None

    def end(self, patience=PATIENCE):
        """Its exit code, once it has ended by itself."""
        self._calls.close()
        if (code := self.process.wait(patience)) is None:
            raise Hung(f"the host did not end within {patience:.0f} s")
        return code

    def kill(self):
        self.process.kill()
        self._calls.close()
        self._output.close()

    def belongings(self):
        """What it holds: its descriptors by what they lead to, and its threads by their names."""
        found, folder = {}, f"/proc/{self.process.pid}"
        for number in os.listdir(f"{folder}/fd"):
            with contextlib.suppress(OSError):
                name = os.readlink(f"{folder}/fd/{number}").split(":[")[0]
                found[name] = found.get(name, 0) + 1
        for task in os.listdir(f"{folder}/task"):
            with contextlib.suppress(OSError):
                name = "thread " + pathlib.Path(folder, "task", task, "comm").read_text().strip()
                found[name] = found.get(name, 0) + 1
        return found
