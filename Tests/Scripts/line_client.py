"""Drives a host with jsonrpcclient, which others wrote: one message a line, batches and notifications.

    line_client.py HOST CONFIG
"""

import json
import subprocess
import sys

from jsonrpcclient import Error, Ok, notification, parse, request, request_uuid

host = subprocess.Popen([sys.argv[1], "--shutdown-timeout", "60s"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
config = json.loads(sys.argv[2])


def send(message):
    host.stdin.write(json.dumps(message) + "\n")


def receive():
    return parse(json.loads(host.stdout.readline()))


def call(method, params=None):
    send(request(method, params))
    return receive()


answer = call("init", ["925", {**config, "apiURL": "x"}])
assert isinstance(answer, Error) and answer.code == 1002 and answer.data["code"] == "INVALID_CONFIGURATION", answer
assert "apiUrl" in answer.message, answer

answer = call("init", {"apiKey": "925", "x_api_key": config.pop("xApiKey"), "endpoint": config.pop("apiUrl"), **config})
assert isinstance(answer, Ok) and answer.result == {}, answer

send(notification("track", ["SILENT"]))
send([
    request_uuid("track", ["ONE"]),
    notification("track", ["QUIET"]),
    request("track", {"eventName": "TWO", "metadata": {"a": None}}),
    {"nonsense": True},
])
answers = list(receive())
assert [type(answer) for answer in answers] == [Ok, Ok, Error], answers
assert all(answer.result["status"] == "queued" for answer in answers[:2]), answers
assert answers[2].code == -32600 and answers[2].id is None, answers
assert call("flush").result["remaining"] == 0

send([notification("track", ["LAST"])])
assert call("host.shutdown").result == {}
assert host.wait(timeout=60) == 0
assert host.stdout.read() == ""
