"""How fast a program's calls through the Python client are answered, when it waits for none before the next.

    client.py URL FOLDER COUNT HOST

The server answers no event. Prints the seconds until the last outcome and this process's processor time in seconds, as JSON.
"""
import json
import sys
import time
from pathlib import Path

from event import event

sys.path.insert(0, str(Path(__file__).parents[2] / 'BridgeHost/Python/src'))

from mobiletracker import MobileTracker  # noqa: E402

url, folder, count, host = sys.argv[1:]
arguments = ['--storage-dir', folder, '--shutdown-timeout', '10ms']
with MobileTracker(host_path=host, host_arguments=arguments, stderr='ignore') as tracker:
    config = {'api_url': url, 'x_api_key': 'key-12345678', 'max_queued_events': 1_000_000, 'max_queued_bytes': 2**30}
    tracker.init('925', config)

    before, begin = time.process_time(), time.monotonic()
    receipts = [tracker.track(*event(number)) for number in range(int(count))]
    for receipt in receipts:
        if receipt.outcome().status != 'queued':
            raise RuntimeError(f'not queued: {receipt}')
    print(json.dumps({'seconds': time.monotonic() - begin, 'cpu': time.process_time() - before}))
