"""Persons who are to be forgotten."""

from __future__ import annotations

from .support import KEY, TestCase

from mobiletracker import MobileTracker, MobileTrackerError  # isort: skip


class ForgetTests(TestCase):
    """`analytics.forget` and `analytics.unforget`."""

    def started(self) -> MobileTracker:
        """A tracker whose analytics client keeps everything for its interval."""
        self.collector = self.start_collector()
        tracker = self.real()
        tracker.analytics.initialize(
            {"write_key": KEY, "ingestion_host": self.collector.url, "flush_at": 1000, "flush_interval_seconds": 3600}
        )
        return tracker

    def test_erases_what_waits_and_drops_what_comes_later_until_unforget(self) -> None:
        tracker = self.started()
        tracker.analytics.track("A", user_id="u1").outcome(60)
        tracker.analytics.track("B", user_id="u2").outcome(60)

        report = tracker.analytics.forget("u1")
        dropped = tracker.analytics.track("C", user_id="u1").outcome(60)
        tracker.analytics.unforget(user_id="u1")
        tracker.analytics.track("D", user_id="u1").outcome(60)
        tracker.analytics.flush()

        self.assertEqual(report, {"erased": 1, "delivered_of_anyone": 0})
        self.assertEqual(dropped.reason, "FORGOTTEN")
        requests = self.collector.received(kind="batch", accepted=True, repeats=False)
        names = [event["event"] for request in requests for event in request["body"]["batch"]]
        self.assertEqual(names, ["B", "D"])

    def test_rejects_what_names_nobody(self) -> None:
        tracker = self.started()

        with self.assertRaises(MobileTrackerError) as raised:
            tracker.analytics.forget(anonymous_id=" ")

        self.assertEqual(raised.exception.code, "INVALID_VALUE")
