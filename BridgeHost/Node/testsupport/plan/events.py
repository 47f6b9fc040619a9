# Made by "mobile-tracker plan types". Change the plan and make it again, not this file.
"""The events of the plan, one function each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, Literal, NotRequired, Protocol, TypedDict, TypeVar, Unpack
from uuid import UUID

Result = TypeVar("Result", covariant=True)


class EventTracker(Protocol[Result]):
    """Who tracks the events: a tracker of the package, one of its clients, or one of your own."""

    @property
    def track(self) -> Callable[..., Result]: ...


class TrackOptions(TypedDict, total=False):
    """What a call of a `MobileTracker` takes besides; `basic` takes `message_id` alone."""

    metadata: Mapping[str, object]
    message_id: str


class AnalyticsTrackOptions(TypedDict, total=False):
    """What a call of `analytics` takes besides."""

    user_id: str | int | UUID
    anonymous_id: str | int | UUID
    group_id: str | int | UUID
    timestamp: datetime | str
    context: Mapping[str, object]
    message_id: str


PurchaseItemsElement = TypedDict("PurchaseItemsElement", {
    "sku": str,
    "price": float,
    "quantity": NotRequired[int],
    "gift": NotRequired[bool],
})

Purchase = TypedDict("Purchase", {
    "total": float,
    "currency": Literal["EUR", "USD", "GBP"],
    "items": Sequence[PurchaseItemsElement],
    "coupon": NotRequired[str | None],
    "default": NotRequired[bool],
    "paid_at": NotRequired[datetime | str],
    "extra": NotRequired[Any],
})

SignedUpReferrer = TypedDict("SignedUpReferrer", {
    "campaign": NotRequired[str],
})

SignedUp = TypedDict("SignedUp", {
    "plan": Literal["free", "pro"],
    "seats": NotRequired[int],
    "tags": NotRequired[Sequence[Literal["new", "class"]]],
    "invited_by": str | None,
    "referrer": NotRequired[SignedUpReferrer],
})

Logout = TypedDict("Logout", {})


class PlannedEvents(Generic[Result]):
    """The events of the plan, for a `MobileTracker` or its `basic`."""

    def __init__(self, tracker: EventTracker[Result]) -> None:
        self._track = tracker.track

    def purchase(self, data: Purchase, **options: Unpack[TrackOptions]) -> Result:
        """An order was paid."""
        return self._track("PURCHASE", data, **options)

    def signed_up(self, data: SignedUp, **options: Unpack[TrackOptions]) -> Result:
        """Tracks "Signed Up"."""
        return self._track("Signed Up", data, **options)

    def logout(self, data: Logout | None = None, **options: Unpack[TrackOptions]) -> Result:
        """Tracks "LOGOUT"."""
        return self._track("LOGOUT", data, **options)

    def search(self, data: Mapping[str, object] | None = None, **options: Unpack[TrackOptions]) -> Result:
        """Tracks "SEARCH"."""
        return self._track("SEARCH", data, **options)


class PlannedAnalyticsEvents(Generic[Result]):
    """The events of the plan, for the `analytics` of a tracker."""

    def __init__(self, analytics: EventTracker[Result]) -> None:
        self._track = analytics.track

    def purchase(self, data: Purchase, **options: Unpack[AnalyticsTrackOptions]) -> Result:
        """An order was paid."""
        return self._track("PURCHASE", data, **options)

    def signed_up(self, data: SignedUp, **options: Unpack[AnalyticsTrackOptions]) -> Result:
        """Tracks "Signed Up"."""
        return self._track("Signed Up", data, **options)

    def logout(self, data: Logout | None = None, **options: Unpack[AnalyticsTrackOptions]) -> Result:
        """Tracks "LOGOUT"."""
        return self._track("LOGOUT", data, **options)

    def search(self, data: Mapping[str, object] | None = None, **options: Unpack[AnalyticsTrackOptions]) -> Result:
        """Tracks "SEARCH"."""
        return self._track("SEARCH", data, **options)
