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

    @property
    def screen(self) -> Callable[..., Result]: ...

    @property
    def identify(self) -> Callable[..., Result]: ...


class AnalyticsTracker(EventTracker[Result], Protocol[Result]):
    """The `analytics` of a tracker, or one of your own."""

    @property
    def group(self) -> Callable[..., Result]: ...


class TrackOptions(TypedDict, total=False):
    """What a call of a `MobileTracker` takes besides; `basic` takes `message_id` alone."""

    metadata: Mapping[str, object]
    message_id: str


class CallOptions(TypedDict, total=False):
    """What a call of a `MobileTracker` or its `basic` takes besides that is no `track`."""

    message_id: str


class AnalyticsTrackOptions(TypedDict, total=False):
    """What a call of `analytics` takes besides."""

    user_id: str | int | UUID
    anonymous_id: str | int | UUID
    group_id: str | int | UUID
    timestamp: datetime | str
    context: Mapping[str, object]
    message_id: str


class AnalyticsIdentifyOptions(TypedDict, total=False):
    """What an `identify` of `analytics` takes besides."""

    anonymous_id: str | int | UUID
    group_id: str | int | UUID
    timestamp: datetime | str
    context: Mapping[str, object]
    message_id: str


class AnalyticsGroupOptions(TypedDict, total=False):
    """What a `group` of `analytics` takes besides."""

    user_id: str | int | UUID
    anonymous_id: str | int | UUID
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

ScreenProduct = TypedDict("ScreenProduct", {
    "sku": str,
    "from": NotRequired[Literal["search", "link"]],
})

ScreenHome = TypedDict("ScreenHome", {})

Identify = TypedDict("Identify", {
    "email": str,
    "name": NotRequired[str],
    "plan": Literal["free", "pro"],
    "birthday": NotRequired[str | None],
})

Group = TypedDict("Group", {
    "name": NotRequired[str],
    "seats": int,
})


class PlannedEvents(Generic[Result]):
    """The events of the plan, for a `MobileTracker` or its `basic`."""

    def __init__(self, tracker: EventTracker[Result]) -> None:
        self._track = tracker.track
        self._screen = tracker.screen
        self._identify = tracker.identify

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

    def screen_product(self, properties: ScreenProduct, **options: Unpack[CallOptions]) -> Result:
        """A product is shown."""
        return self._screen("Product", properties, **options)

    def screen_home(self, properties: ScreenHome | None = None, **options: Unpack[CallOptions]) -> Result:
        """Says that the screen "Home" is shown."""
        return self._screen("Home", properties, **options)

    def identify(self, user_id: str | int | UUID, traits: Identify, **options: Unpack[CallOptions]) -> Result:
        """Who buys here."""
        return self._identify(user_id, traits, **options)


class PlannedAnalyticsEvents(Generic[Result]):
    """The events of the plan, for the `analytics` of a tracker."""

    def __init__(self, analytics: AnalyticsTracker[Result]) -> None:
        self._track = analytics.track
        self._screen = analytics.screen
        self._identify = analytics.identify
        self._group = analytics.group

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

    def screen_product(self, properties: ScreenProduct, **options: Unpack[AnalyticsTrackOptions]) -> Result:
        """A product is shown."""
        return self._screen("Product", properties, **options)

    def screen_home(self, properties: ScreenHome | None = None, **options: Unpack[AnalyticsTrackOptions]) -> Result:
        """Says that the screen "Home" is shown."""
        return self._screen("Home", properties, **options)

    def identify(self, user_id: str | int | UUID, traits: Identify, **options: Unpack[AnalyticsIdentifyOptions]) -> Result:
        """Who buys here."""
        return self._identify(user_id, traits, **options)

    def group(self, group_id: str | int | UUID, traits: Group, **options: Unpack[AnalyticsGroupOptions]) -> Result:
        """Says which group the user belongs to."""
        return self._group(group_id, traits, **options)
