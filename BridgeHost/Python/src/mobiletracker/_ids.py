"""Message ids that nobody has used before."""

from __future__ import annotations

import os
import time
import uuid

_last = 0


def time_ordered_uuid() -> str:
    """A version 7 UUID (RFC 9562, 5.7): ids made one after the other are neighbours in the queue's index."""
    global _last
    # Ids keep increasing when the clock is set back.
    _last = now = max(_last, time.time_ns() // 1_000_000)
    random = int.from_bytes(os.urandom(10), "big")
    digits = f"{now << 80 | 7 << 76 | (random >> 62 & 0xFFF) << 64 | 2 << 62 | random & (1 << 62) - 1:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def stamped_id() -> str:
    """An id in the form of the analytics client: milliseconds, then a UUID."""
    return f"{time.time_ns() // 1_000_000}-{uuid.uuid4()}"
