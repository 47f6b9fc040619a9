"""Another tracker, in a process of its own: `python peer.py NAME URL COUNT`, with the packages of peers.txt at hand.

Tracks COUNT events as that package's documentation does, has it send what is left, and prints the seconds from the
first call until everything was taken, the processor time in that while of the process and of those that it started, and
its memory, as JSON. The name "product" stands for this product's own package.
"""
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[1]

# With what each package adds, some 400 bytes an event.
PROPERTIES = {'total': 149.99, 'currency': 'EUR'}
# None may drop anything for want of room.
ROOM = 1_000_000


def posthog(url):
    from posthog import Posthog
    client = Posthog('write-key', host=url, max_queue_size=ROOM)
    return lambda: client.capture('PURCHASE', distinct_id='user-1', properties=PROPERTIES), client.shutdown


def segment(url):
    from segment.analytics import Client
    client = Client('write-key', host=url, max_queue_size=ROOM)
    return lambda: client.track('user-1', 'PURCHASE', PROPERTIES), client.shutdown


def rudder(url):
    from rudderstack.analytics import Client
    client = Client('write-key', host=url, max_queue_size=ROOM, gzip=True)
    return lambda: client.track('user-1', 'PURCHASE', PROPERTIES), client.shutdown


def snowplow(url):
    from snowplow_tracker import AsyncEmitter, SelfDescribingJson, StructuredEvent, Tracker
    address = urlsplit(url)
    emitter = AsyncEmitter(address.hostname, protocol='http', port=address.port, batch_size=100, buffer_capacity=ROOM)
    tracker = Tracker('bench', emitters=[emitter], app_id='bench')
    context = SelfDescribingJson('iglu:com.example/purchase/jsonschema/1-0-0', PROPERTIES)
    return lambda: tracker.track(StructuredEvent('shop', 'PURCHASE', context=[context])), emitter.sync_flush


def mixpanel(url):
    from mixpanel import BufferedConsumer, Mixpanel
    consumer = BufferedConsumer(max_size=50, events_url=f'{url}/track')
    client = Mixpanel('write-key', consumer=consumer)
    return lambda: client.track('user-1', 'PURCHASE', PROPERTIES), consumer.flush


def product(url):
    sys.path.insert(0, str(ROOT / 'BridgeHost/Python/src'))
    from mobiletracker import MobileTracker
    folder = tempfile.TemporaryDirectory()
    tracker = MobileTracker(
        host_path=str(Path(os.environ.get('BENCH_BUILD', ROOT / '.build/release')) / 'BridgeHost'), stderr='ignore',
        host_arguments=['--storage-dir', folder.name, '--shutdown-timeout', '60s', '--log-level', 'error'])
    tracker.analytics.initialize({
        'write_key': 'write-key', 'ingestion_host': url, 'max_queue_events': ROOM, 'max_queued_events': ROOM})

    def finish():
        tracker.analytics.flush(60_000)
        tracker.close()
        folder.cleanup()
    return lambda: tracker.analytics.track('PURCHASE', PROPERTIES), finish


PEERS = {peer.__name__: peer for peer in (posthog, segment, rudder, snowplow, mixpanel)}


def processor_time():
    """That of this process, and of those that it started and that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def main():
    name, url, count = sys.argv[1:]
    track, finish = product(url) if name == 'product' else PEERS[name](url)
    begin, before = time.monotonic(), processor_time()
    for _ in range(int(count)):
        track()
    # For whoever wants to kill it with everything still queued.
    print('tracked', file=sys.stderr, flush=True)
    finish()
    resident = sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(json.dumps({
        'seconds': time.monotonic() - begin, 'cpu': processor_time() - before, 'resident': resident / 1024}))


if __name__ == '__main__':
    main()
