"""A server on this machine that answers as a vendor does, and keeps what it was sent."""

from __future__ import annotations

import gzip
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

ANSWERS: dict[str, bytes] = {
    "/v1/batch": b'{"success":true}',
    "/batch/": b'{"status":"Ok"}',
    "/2/httpapi": b'{"code":200,"events_ingested":1,"payload_size_bytes":1,"server_upload_time":1}',
    "/import": b'{"code":200,"num_records_imported":1,"status":1}',
    "/track": b'{"status":1,"error":null}',
    "/engage": b'{"status":1,"error":null}',
    "/groups": b'{"status":1,"error":null}',
    "/v1/logs": b"{}",
}
"""What each endpoint says when it has taken everything."""


@dataclass
class Request:
    """One request, without its compression."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    """By names in lower case."""
    body: bytes = field(repr=False)

    def json(self) -> Any:
        """The body, or the JSON in a form's field `data`."""
        if self.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
            return {
                name: json.loads(values[0])
                for name, values in parse_qs(self.body.decode(), keep_blank_values=True).items()
            }
        return json.loads(self.body)


class Recorder(ThreadingHTTPServer):
    """Listens on a port of its own until the `with` ends."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.requests: list[Request] = []
        self.lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02})

    def __enter__(self) -> Recorder:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Recorder

    def do_POST(self) -> None:
        address = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        if headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        query = {name: values[0] for name, values in parse_qs(address.query).items()}
        with self.server.lock:
            self.server.requests.append(Request(self.command, address.path, query, headers, body))
        answer = ANSWERS.get(address.path)
        self.send_response(404 if answer is None else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer or b"")))
        self.end_headers()
        self.wfile.write(answer or b"")

    def log_message(self, *_: object) -> None:
        """Standard error is for what goes wrong."""
