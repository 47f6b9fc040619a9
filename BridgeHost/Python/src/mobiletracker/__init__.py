"""Durable event tracking: once a call is `queued` the event is on disk, and it is delivered at least once, in order.

    from mobiletracker import MobileTracker

    tracker = MobileTracker()
    tracker.init("925", {"api_url": "https://api.example.com", "x_api_key": "key"})
    tracker.track("PURCHASE", {"total": 149.99})
"""

from ._table import VERSION as __version__
from ._hooks import BeforeSend, Credentials, CredentialsProvider
from .errors import ErrorCode, MobileTrackerError
from .outcome import FlushReport, Outcome
from .protocol import (
    AnalyticsCallOptions,
    AnalyticsOptions,
    AnalyticsScope,
    BasicOptions,
    Consent,
    CredentialsNotification,
    DiagnosticNotification,
    DropReason,
    Id,
    LogNotification,
    OutgoingCall,
    Properties,
    RequestHeaders,
    SessionNotification,
    StopReason,
    TrackerConfig,
)
from .receipt import Awaited, Receipt
from .tracker import AsyncMobileTracker, MobileTracker

__all__ = [
    "AnalyticsCallOptions",
    "AnalyticsOptions",
    "AnalyticsScope",
    "AsyncMobileTracker",
    "Awaited",
    "BasicOptions",
    "BeforeSend",
    "Consent",
    "Credentials",
    "CredentialsNotification",
    "CredentialsProvider",
    "DiagnosticNotification",
    "DropReason",
    "ErrorCode",
    "FlushReport",
    "Id",
    "LogNotification",
    "MobileTracker",
    "MobileTrackerError",
    "OutgoingCall",
    "Outcome",
    "Properties",
    "Receipt",
    "RequestHeaders",
    "SessionNotification",
    "StopReason",
    "TrackerConfig",
    "__version__",
]
