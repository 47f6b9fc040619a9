"""What the server refuses: listed, sent again and removed, with a real host and a backend that refuses."""

from __future__ import annotations

import unittest
from datetime import datetime, timedelta, timezone
from decimal import Decimal

from .support import AsyncTestCase, TestCase

LATER = (datetime.now(timezone.utc) + timedelta(days=1)).isoformat()


class RefusedTests(TestCase):
    """The calls of `tracker.refused`."""

    def test_of_all_clients_or_of_some_events(self) -> None:
        collector = self.start_collector()
        tracker = self.real()
        tracker.init("925", collector.config())
        tracker.analytics.initialize({"write_key": "any-key", "ingestion_host": collector.url})
        collector.faults(["422×3"])
        tracker.track("TYPO", message_id="order-1")
        tracker.flush()
        tracker.track("EMPTY")
        tracker.flush()
        tracker.analytics.track("Typo", user_id="ada")
        tracker.analytics.flush()

        events = tracker.refused.list()
        self.assertEqual([event["event"] for event in events], ["TYPO", "EMPTY", "Typo"])
        self.assertEqual([event["client"] for event in events], ["tracker", "tracker", "analytics"])
        facts = {(event["status"], event["reason"], event["attempts"]) for event in events}
        self.assertEqual(facts, {(422, "rejected", 1)})
        self.assertEqual(events[0]["message_id"], "order-1")
        self.assertEqual(events[0]["body"]["event_name"], "TYPO")
        self.assertEqual(tracker.refused.list({"message_ids": ["order-1"], "until": LATER}), events[:1])
        self.assertEqual(tracker.refused.list({"since": LATER}), [])

        self.assertEqual(tracker.refused.drop({"events": ["EMPTY"]}), 1)
        self.assertEqual(tracker.refused.retry({"client": "tracker"}), 1)
        self.assertEqual(tracker.flush().remaining, 0)
        self.assertEqual(collector.names(), ["TYPO"])
        self.assertEqual(collector.received(kind="event", accepted=True)[0]["headers"]["idempotency-key"], "order-1")
        self.assertEqual([event["event"] for event in tracker.refused.list()], ["Typo"])
        self.assertEqual(tracker.refused.retry(), 1)
        self.assertEqual(tracker.analytics.flush().remaining, 0)
        self.assertEqual(collector.names("batch"), ["Typo"])
        self.assertEqual(tracker.refused.list(), [])

    def test_with_a_whole_number_of_any_length(self) -> None:
        collector = self.start_collector()
        tracker = self.real()
        tracker.init("925", collector.config())
        collector.faults(["422×1"])
        tracker.track("LONG", {"number": Decimal("1" * 5000)})
        tracker.flush()
        host = tracker._channel.link.host

        self.assertEqual([event["event"] for event in tracker.refused.list()], ["LONG"])

        self.assertEqual(tracker._channel.link.host, host)


class AsyncRefusedTests(AsyncTestCase):
    """The same calls in asyncio."""

    async def test_are_awaited(self) -> None:
        collector = self.start_collector()
        tracker = self.real_async()
        await tracker.init("925", collector.config())
        collector.faults(["422×2"])
        for name in ["TYPO", "EMPTY"]:
            tracker.track(name)
            await tracker.flush()

        self.assertEqual([event["event"] for event in await tracker.refused.list()], ["TYPO", "EMPTY"])
        self.assertEqual(await tracker.refused.drop({"events": ["EMPTY"]}), 1)
        self.assertEqual(await tracker.refused.retry({"statuses": [422]}), 1)
        self.assertEqual((await tracker.flush()).remaining, 0)
        self.assertEqual(collector.names(), ["TYPO"])
        self.assertEqual(await tracker.refused.list(), [])


if __name__ == "__main__":
    unittest.main()
