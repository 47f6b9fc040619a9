#!/usr/bin/env python3
"""Tracks from Python: the host runs as a child, one JSON-RPC message a line each way.

    python3 track.py .build/release/BridgeHost http://127.0.0.1:8123 any-key
"""
import itertools
import json
import shutil
import subprocess
import sys


class Tracker:
    def __init__(self, host):
        self.ids = itertools.count(1)
        self.host = subprocess.Popen([host], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")

    def call(self, method, *params):
        request = {"jsonrpc": "2.0", "id": next(self.ids), "method": method, "params": params}
        print(json.dumps(request, allow_nan=False), file=self.host.stdin, flush=True)
        answer = json.loads(self.host.stdout.readline() or '{"error": {"message": "the host has ended"}}')
        if "error" in answer:
            sys.exit(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def close(self):
        self.host.stdin.close()  # The host sends what it can within 1.5 s; what is left waits on disk.
        return self.host.wait()


if __name__ == "__main__":
    if len(sys.argv) != 4 or not shutil.which(sys.argv[1]):
        sys.exit("Usage: python3 track.py HOST API_URL KEY, where HOST is the program that `make build` has made")
    host, api_url, key = sys.argv[1:]
    tracker = Tracker(host)
    tracker.call("init", "925", {"apiUrl": api_url, "xApiKey": key})
    tracker.call("identify", "customer-17", {"email": "mail@example.com"})
    print(tracker.call("track", "PURCHASE", {"total": 149.99}, {"flow_id": "checkout_v2"}))
    print(tracker.call("flush"))
    sys.exit(tracker.close())
