"""The metrics of a tracker's clients, from a real host."""

from __future__ import annotations

from .support import AsyncTestCase, TestCase


class MetricsTests(TestCase):
    """The call of `tracker.host`."""

    def test_are_the_account(self) -> None:
        collector = self.start_collector()
        tracker = self.real()
        tracker.init("925", collector.config())
        tracker.track("PURCHASE")
        self.assertEqual(tracker.flush().remaining, 0)

        lines = tracker.host.metrics().splitlines()

        self.assertIn('mobile_tracker_delivered_records_total{client="tracker"} 1', lines)
        self.assertIn('mobile_tracker_delivery_seconds_count{client="tracker"} 1', lines)
        self.assertEqual(lines[-1], "# EOF")


class AsyncMetricsTests(AsyncTestCase):
    """The same call in asyncio."""

    async def test_are_awaited(self) -> None:
        tracker = self.real_async()
        self.assertEqual(await tracker.host.metrics(), "# EOF\n")
