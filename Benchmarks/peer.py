"""Another tracker, in a process of its own: `python peer.py NAME URL COUNT`, with the packages of peers.txt at hand.

Tracks COUNT events as that package's documentation does, has it send what is left, and prints the seconds from the
first call until everything was taken, the processor time of the process in that while, and its memory, as JSON.
"""
import json
import resource
import sys
import time
from urllib.parse import urlsplit

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


PEERS = {peer.__name__: peer for peer in (posthog, segment, rudder, snowplow, mixpanel)}


def main():
    name, url, count = sys.argv[1:]
    track, finish = PEERS[name](url)
    begin, before = time.monotonic(), time.process_time()
    for _ in range(int(count)):
        track()
    # For whoever wants to kill it with everything still queued.
    print('tracked', file=sys.stderr, flush=True)
    finish()
    print(json.dumps({
        'seconds': time.monotonic() - begin, 'cpu': time.process_time() - before,
        'resident': resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


if __name__ == '__main__':
    main()
