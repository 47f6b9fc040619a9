"""Tracks one event from the wheel. The argument is a collector's address."""

import sys

from mobiletracker import MobileTracker

with MobileTracker() as tracker:
    tracker.init("925", {"api_url": sys.argv[1], "x_api_key": "debian-key-12345"})
    status = tracker.track("FROM_PYTHON", {"total": 149.99}).outcome().status
sys.exit(0 if status == "queued" else 1)
