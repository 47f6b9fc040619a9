"""Credentials that change while a client runs."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .support import GUARD, PATIENT, AsyncTestCase, TestCase, host_path

from mobiletracker import AsyncMobileTracker, Credentials  # isort: skip

OLD = "secret-key-of-old-1111"
NEW = "secret-key-of-new-2222"
TENANT = "secret-tenant-3333"


class Server:
    """A backend that takes one key, and notes what came with which."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.names: list[str] = []
        self.requests: list[tuple[str | None, str | None]] = []
        taken = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                taken.requests.append((self.headers["X-API-Key"], self.headers["X-Tenant"]))
                is_taken = self.headers["X-API-Key"] == taken.key
                if is_taken and "event_name" in body:
                    taken.names.append(body["event_name"])
                answer = b'{"data":{"id":"S1"}}' if is_taken else b""
                self.send_response(200 if is_taken else 401)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Ends it."""
        self._server.shutdown()
        self._server.server_close()

    def config(self, **changes: Any) -> Any:
        """A configuration of `init` for it, without compression."""
        return {"api_url": self.url, "compression": "none", "retry_delay_ms": 10, **changes}


class CredentialsTests(TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.server = Server(OLD)
        self.addCleanup(self.server.close)

    def test_backlog(self) -> None:
        """Credentials that are set go on with a halted backlog, in its order, and are stored nowhere."""
        tracker = self.real()
        tracker.init("925", self.server.config(x_api_key=OLD))
        names = [f"E{number}" for number in range(40)]
        for name in names[:20]:
            tracker.track(name)
        tracker.flush()
        self.server.key = NEW
        for name in names[20:]:
            tracker.track(name)
        self.assertEqual(tracker.flush().stopped_by, "halted")

        tracker.set_credentials(NEW, {"X-Tenant": TENANT})
        self.assertEqual(tracker.flush().remaining, 0)

        self.assertEqual(self.server.names, names)
        self.assertEqual(self.server.requests[-1], (NEW, TENANT))
        info = tracker.get_debug_info()
        tracker.close()
        self.assertNotIn("secret", f"{info} {self.warnings}")
        for path in (self.folder / "state").rglob("*"):
            if path.is_file():
                for secret in (OLD, NEW, TENANT):
                    self.assertNotIn(secret.encode(), path.read_bytes(), path)

    def test_faults(self) -> None:
        """What cannot be sent is refused, by each client."""
        tracker = self.real()
        for client in (tracker, tracker.analytics, tracker.basic):
            for key, headers in ((" ", None), (None, None), (None, {"Host": "secret"})):
                with self.assertRaisesCode("INVALID_CONFIGURATION") as caught:
                    client.set_credentials(key, headers)
                self.assertNotIn("secret", str(caught.exception))

    def test_option(self) -> None:
        """The option gives the first key, and the next one after a 401; a new host asks it too."""
        asked: list[str] = []

        def credentials(client: str) -> Credentials:
            asked.append(client)
            return {"key": self.server.key}

        tracker = self.real(credentials=credentials)
        tracker.init("925", self.server.config())
        self.server.key = NEW
        tracker.track("A")
        self.assertEqual(tracker.flush().remaining, 0)
        assert tracker._channel.link.host
        os.kill(tracker._channel.link.host, signal.SIGKILL)
        tracker.track("B").outcome(60)
        tracker.flush()

        self.assertEqual(self.server.names, ["A", "B"])
        self.assertEqual(set(asked), {"tracker"})
        self.assertNotIn("secret", f"{self.warnings}")

    def test_option_that_exits(self) -> None:
        """The option may raise anything: it is a warning without its words, and the next question is asked."""
        was_asked = threading.Semaphore(0)

        def credentials(client: str) -> Credentials:
            was_asked.release()
            if self.server.key == OLD:
                sys.exit("secret")
            return {"key": self.server.key}

        tracker = self.real(credentials=credentials)
        tracker.init("925", self.server.config(session_creation="inBackground"))
        self.assertTrue(was_asked.acquire(timeout=60))
        tracker.set_credentials(OLD)
        tracker.track("A").outcome(60)
        tracker.flush()
        self.server.key = NEW
        tracker.track("B").outcome(60)
        self.assertEqual(tracker.flush().remaining, 0)

        self.assertTrue(was_asked.acquire(timeout=60))
        self.assertEqual(self.server.names, ["A", "B"])
        self.assertIn("gave none to tracker: it has failed with SystemExit", f"{self.warnings}")
        self.assertNotIn("secret", f"{self.warnings}")


    def test_option_after_the_loop_of_the_setup(self) -> None:
        """Each `asyncio.run` has a loop of its own: the function runs in the one that awaits calls, as long as one does."""
        loops: list[asyncio.AbstractEventLoop] = []

        async def credentials(client: str) -> Credentials:
            loops.append(asyncio.get_running_loop())
            return {"key": self.server.key}

        arguments = ["--storage-dir", str(self.folder / "state"), *PATIENT]
        tracker = AsyncMobileTracker(
            host_path=host_path(), host_arguments=arguments, stderr="ignore", credentials=credentials
        )

        async def begin() -> None:
            await tracker.init("925", self.server.config())

        async def go_on() -> None:
            self.server.key = NEW
            await tracker.track("A")
            self.assertEqual((await tracker.flush()).remaining, 0)
            self.assertIs(loops[-1], asyncio.get_running_loop())

        async def end() -> None:
            await tracker.shutdown()

        asyncio.run(begin())
        asyncio.run(go_on())
        self.server.key = OLD
        tracker.track("B")
        self.wait_for_warning("credentials was not asked for tracker: its event loop is closed")
        asyncio.run(end())

        self.assertEqual((self.server.names, len(loops)), (["A"], 2))

    def wait_for_warning(self, words: str) -> None:
        """Returns as soon as there was one with these words."""
        deadline = time.monotonic() + GUARD
        while not any(words in warning for warning in self.warnings):
            self.assertLess(time.monotonic(), deadline, self.warnings)
            time.sleep(0.005)


class AsyncCredentialsTests(AsyncTestCase):
    async def test_option(self) -> None:
        """The option may be `async`: it runs in the program's loop. What it raises is a warning without its words."""
        server = Server(OLD)
        self.addCleanup(server.close)
        threads: list[int] = []

        async def credentials(client: str) -> Credentials:
            threads.append(threading.get_ident())
            if len(threads) == 2:
                raise ValueError("secret")
            return {"key": server.key}

        tracker = self.real_async(credentials=credentials)
        await tracker.init("925", server.config())
        server.key = NEW
        await tracker.track("A")
        self.assertEqual((await tracker.flush()).stopped_by, "halted")
        await tracker.set_credentials(NEW)
        self.assertEqual((await tracker.flush()).remaining, 0)

        self.assertEqual(server.names, ["A"])
        self.assertEqual(threads, [threading.get_ident()] * 2)
        self.assertIn("gave none to tracker: it has failed with ValueError", f"{self.warnings}")
        self.assertNotIn("secret", f"{self.warnings}")

    async def test_where_no_loop_runs(self) -> None:
        """Without a running loop nothing could be asked there: the error says where to call."""
        tracker = self.real_async(credentials=lambda _: {"key": OLD})
        calls: list[Callable[[], object]] = [
            lambda: tracker.init("925", {"api_url": "https://example.test"}), lambda: tracker.on("log", print)
        ]
        with ThreadPoolExecutor() as pool:
            for call in calls:
                with self.assertRaisesRegex(RuntimeError, "in the event loop in which they are set: call this, or initialise"):
                    pool.submit(call).result(60)
