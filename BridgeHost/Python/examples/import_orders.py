"""Imports orders from a CSV file on standard input, and tracks each one once, however often the file is imported.

    python import_orders.py < orders.csv

The file has the columns order, user and total. MOBILE_TRACKER_API_URL is the backend; without it, the collector that
`mobile-tracker collect` runs. In a clone of the repository, set PYTHONPATH to its folder BridgeHost/Python/src.
"""

import csv
import os
import sys
from decimal import Decimal

from mobiletracker import MobileTracker

url = os.environ.get("MOBILE_TRACKER_API_URL") or "http://127.0.0.1:8123"
orders = csv.DictReader(sys.stdin)
if not {"order", "user", "total"} <= set(orders.fieldnames or ()):
    sys.exit("Give a CSV file on standard input, with the columns order, user and total.")
with MobileTracker() as tracker:
    analytics = tracker.analytics
    analytics.initialize({"write_key": "any-key-12345678", "ingestion_host": url})
    receipts = [
        analytics.track(
            "Order Completed",
            {"total": Decimal(row["total"])},  # an exact number
            {"user_id": row["user"]},  # for this call alone
            message_id=f"order-{row['order']}",  # a second call with it has no effect
        )
        for row in orders
    ]
    # Each outcome is known once its event is on disk. Asking at the end keeps the import fast.
    dropped = [outcome.reason for outcome in (receipt.outcome() for receipt in receipts) if outcome.status == "dropped"]
    report = analytics.flush()
    print(f"{len(receipts)} orders, {len(dropped)} not tracked; {report.delivered} delivered, {report.remaining} wait")
sys.exit(1 if dropped else 0)
