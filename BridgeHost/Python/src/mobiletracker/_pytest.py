"""The fixture for pytest."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .testing import TestTracker


@pytest.fixture
def mobile_tracker() -> Iterator[TestTracker]:
    """A tracker that records the calls of this test, and sends nothing."""
    with TestTracker() as tracker:
        yield tracker
