"""The lines with which a web framework names the user of a request, as the page has them, under many requests at once."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from .support import GUARD, ROOT, SOURCE, TestCase, patient_host

REQUESTS = 300

SERVE_WSGI = """
from werkzeug.serving import make_server
server = make_server("127.0.0.1", 0, wsgi, threaded=True)
print(server.port, flush=True)
server.serve_forever()
"""
"""Serves each request on a thread of its own."""

FLASK = """
import time
from flask import request

@app.post("/login")
def login():
    session["user"] = request.args["user"]
    return "in"

@app.get("/")
def page():
    time.sleep(0.001)
    return tracker.analytics.track("Served", {"user": request.args.get("user")}).outcome(60).status

wsgi = app
"""

FASTAPI = """
import asyncio
import socket
import uvicorn

@app.get("/")
async def page(user: str | None = None):
    await asyncio.sleep(0.001)
    outcome = await tracker.analytics.track("Served", {"user": user})
    return outcome.status

@app.get("/thread")
def thread(user: str | None = None):
    tracker.analytics.track("Served", {"user": user})
    return "queued"

async def main():
    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    await uvicorn.Server(uvicorn.Config(app, log_level="error")).serve([listening])

asyncio.run(main())
"""

DJANGO = """
import sys
from types import SimpleNamespace
import django
from django.conf import settings
from django.http import HttpResponse
from django.urls import path

def signed_in(get_response):
    # Stands for AuthenticationMiddleware, which needs a database.
    def answer(request):
        user = request.headers.get("X-User")
        request.user = SimpleNamespace(pk=user, is_authenticated=user is not None)
        return get_response(request)
    return answer

def page(request):
    user = request.GET.get("user")
    return HttpResponse(tracker.analytics.track("Served", {"user": user}).outcome(60).status)

urlpatterns = [path("", page)]
settings.configure(
    DEBUG=True, ROOT_URLCONF="__main__", ALLOWED_HOSTS=["*"],
    MIDDLEWARE=["__main__.signed_in", "__main__.scope_middleware"],
)
from django.core.wsgi import get_wsgi_application
wsgi = get_wsgi_application()
"""


def example(words: str) -> str:
    """The part of the page in which these words are."""
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "Docs/Python.md").read_text(), re.M | re.S)
    return str(next(block for block in blocks if words in block))


class FrameworkTests(TestCase):
    """A service with the middleware of the page."""

    def serve(self, framework: str, source: str) -> str:
        """Starts it, and gives its address."""
        if not importlib.util.find_spec(framework):
            self.skipTest(f"{framework} is not installed; .ci/setup tests does that")
        self.collector = self.start_collector()
        program = self.folder / "service.py"
        program.write_text(source.replace("http://127.0.0.1:8123", self.collector.url))
        state = {"XDG_STATE_HOME": str(self.folder), "MOBILE_TRACKER_HOST": str(patient_host(self.folder))}
        process = subprocess.Popen(
            [sys.executable, program],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, **state, "PYTHONPATH": str(SOURCE)},
        )
        assert process.stdout
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait, GUARD)
        self.addCleanup(process.terminate)
        return f"http://127.0.0.1:{process.stdout.readline().strip()}"

    def ask(self, urls: list[tuple[str, dict[str, str]]]) -> None:
        """Asks for all at once."""

        def ask(request: tuple[str, dict[str, str]]) -> bytes:
            url, headers = request
            with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=GUARD) as answer:
                return bytes(answer.read()).strip(b'"')

        with ThreadPoolExecutor(20) as threads:
            self.assertEqual({*threads.map(ask, urls)}, {b"queued"})

    def check(self) -> None:
        """Each event is about the user that its request has named."""
        requests = self.collector.wait(name="Served", count=REQUESTS)
        self.assertTrue(requests)
        batches = self.collector.received(kind="batch", accepted=True, repeats=False)
        events = [event for request in batches for event in request["body"]["batch"]]
        self.assertEqual(len(events), REQUESTS)
        for event in events:
            self.assertEqual(event.get("userId"), event["properties"].get("user"))
            self.assertEqual("anonymousId" in event, "userId" not in event)

    @staticmethod
    def users() -> list[str | None]:
        return [None if number % 10 == 0 else f"u{number}" for number in range(REQUESTS)]

    def test_flask(self) -> None:
        url = self.serve("flask", example("from flask") + FLASK + SERVE_WSGI)
        urls: list[tuple[str, dict[str, str]]] = []
        for user in self.users():
            if user is None:
                urls.append((f"{url}/", {}))
                continue
            with urllib.request.urlopen(f"{url}/login?user={user}", b"", timeout=GUARD) as answer:
                cookie = answer.headers["Set-Cookie"].partition(";")[0]
            urls.append((f"{url}/?user={user}", {"Cookie": cookie}))

        self.ask(urls)

        self.check()

    def test_fastapi(self) -> None:
        url = self.serve("fastapi", example("from fastapi") + FASTAPI)

        self.ask(
            [
                (f"{url}/?user={user}", {"X-User": user}) if user else (f"{url}/thread", {})
                for user in self.users()
            ]
        )

        self.check()

    def test_django(self) -> None:
        url = self.serve("django", example("scope_middleware") + DJANGO + SERVE_WSGI)

        self.ask([(f"{url}/?user={user}", {"X-User": user}) if user else (f"{url}/", {}) for user in self.users()])

        self.check()

