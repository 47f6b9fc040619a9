"""Drives a host with python-lsp-jsonrpc, which others wrote: Content-Length frames, and ids that are UUIDs.

    lsp_client.py HOST CONFIG
"""

import json
import subprocess
import sys
import threading

from pylsp_jsonrpc.endpoint import Endpoint
from pylsp_jsonrpc.exceptions import JsonRpcException
from pylsp_jsonrpc.streams import JsonRpcStreamReader, JsonRpcStreamWriter

host = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
config = json.loads(sys.argv[2])
heard = threading.Event()
received = []


def take(params):
    received.append(params)
    heard.set()


endpoint = Endpoint({"log": take}, JsonRpcStreamWriter(host.stdin).write)
reader = threading.Thread(target=JsonRpcStreamReader(host.stdout).listen, args=(endpoint.consume,))
reader.start()


def call(method, params=None):
    return endpoint.request(method, params).result(timeout=60)


def failure(method, params):
    try:
        call(method, params)
    except JsonRpcException as error:
        return error
    raise AssertionError(f"{method} did not fail")


# Errors arrive with their own numbers, and with what else they say.
error = failure("init", ["nine", config])
assert (error.code, error.data["code"], error.data["retryable"]) == (1001, "INVALID_BRAND_ID", False), error.data
error = failure("track", [5])
assert error.code == -32602 and "eventName" in error.message, error.message
assert failure("no.such.method", []).code == -32601

assert call("init", ["925", config]) == {}
# Many at once, some by name, and what an editor sends besides.
endpoint.notify("$/setTrace", {"value": "off"})
calls = [endpoint.request("track", {"eventName": f"E{n}", "attributes": {"n": n, "é": "😀"}}) for n in range(50)]
# A call that is given up is answered all the same.
for identifier in list(endpoint._server_request_futures)[:5]:
    endpoint.notify("$/cancelRequest", {"id": identifier})
assert all(one.result(timeout=60)["status"] == "queued" for one in calls)
assert call("getSessionId") == {"sessionId": "session-1"}
assert call("flush", [60000])["remaining"] == 0

assert call("host.subscribe", ["log"]) == {}
assert call("track", [" "])["reason"] == "INVALID_EVENT_NAME"
assert heard.wait(60) and received[0]["level"] == "warning", received

host.stdin.close()
assert host.wait(timeout=60) == 0
reader.join()
endpoint.shutdown()
