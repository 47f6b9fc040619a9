"""The clock of this package."""

from __future__ import annotations

import time


def now() -> float:
    """Seconds of a clock that is never set.

    A test may replace the functions of `time`, such as `time.monotonic`. The host is another process, and its time goes
    on.
    """
    return time.clock_gettime(time.CLOCK_MONOTONIC)
