"""The product makes the calls: its Python package, and with it the host that was built."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from calls import APP, Call
from sdks import KEY

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "BridgeHost/Python/src"))

from mobiletracker import MobileTracker  # noqa: E402

CONTEXT = {
    "device": {"manufacturer": "Generic", "model": "PC", "name": "desk", "type": "Desktop"},
    "os": {"name": "Linux", "version": "6.1"},
    "screen": {"width": 1280, "height": 800, "density": 2},
    "network": {"wifi": True},
    "locale": "de-CH",
    "timezone": "Europe/Zurich",
}
"""What a client finds out where it can: given here, since not every machine tells it."""

HOST = os.environ.get("MOBILE_TRACKER_HOST", ROOT / ".build/debug/BridgeHost")
"""The host that `make test-backends` has built: a release host beside it may be older."""

GUARD_MS = 60_000
"""How long a flush may take that never takes long."""


def play(api: str, url: str, calls: Iterable[Call]) -> list[str]:
    """Makes the calls through a host of its own, and says which of them it has refused, and why."""
    with tracker_for(api, url) as tracker:
        receipts = [(call, _make(tracker.analytics, call)) for call in calls]
        outcomes = [(call, receipt.outcome()) for call, receipt in receipts]
        tracker.analytics.flush(GUARD_MS)
        return [
            f"{call.kind} {call.values_name}: {outcome}" for call, outcome in outcomes if outcome.status != "queued"
        ]


@contextmanager
def tracker_for(api: str, url: str) -> Iterator[MobileTracker]:
    """A tracker with a host and a state folder of its own, which sends when it is told to."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["--storage-dir", folder, "--shutdown-timeout", "60s", "--log-level", "error"]
        with MobileTracker(host_path=HOST, host_arguments=arguments, stderr="ignore", warnings=False) as tracker:
            options = {
                "api": api,
                "write_key": KEY,
                "ingestion_host": url,
                "flush_at": 1000,
                "flush_interval_seconds": 60,
            }
            tracker.analytics.initialize({**options, "app": APP, "context": CONTEXT})
            yield tracker


def _make(analytics, call: Call):
    options = {"timestamp": call.when, "message_id": call.uuid}
    if call.kind != "alias" and call.anonymous:
        options["anonymous_id"] = call.anonymous
    if call.kind not in ("identify", "alias") and call.user:
        options["user_id"] = call.user
    match call.kind:
        case "track":
            return analytics.track(call.name, call.values, **options)
        case "identify":
            return analytics.identify(call.user, call.values, options={"user_id": call.user}, **options)
        case "group":
            return analytics.group(call.group, call.values, **options)
        case "screen":
            return analytics.screen(call.name, call.values, **options)
        case "page":
            return analytics.page(call.name, call.values, **options)
        case "alias":
            # The new id may be named once more: the call is about another user than the client's own either way.
            own = {"user_id": call.user} if call.number % 4 == 0 else None
            return analytics.alias(call.user, own, anonymous_id=call.previous, **options)
