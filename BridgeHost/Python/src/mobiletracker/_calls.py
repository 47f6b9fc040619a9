# Made by `make generate` from the host's method table: a change here is lost.
"""The calls of a program that waits, and of one with an event loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from ._params import OMITTED, Omitted, call_options
from .outcome import FlushReport, Outcome
from .protocol import (
    AnalyticsCallOptions,
    AnalyticsDebugInfo,
    AnalyticsOptions,
    BasicDebugInfo,
    BasicOptions,
    Consent,
    DebugInfo,
    DropReason,
    ExpectedCalls,
    ForgetReport,
    Id,
    Properties,
    RecordedCall,
    RefusedEvent,
    RefusedFilter,
    RequestHeaders,
    Timestamp,
    TrackerConfig,
)
from ._scope import ScopedCaller
from .receipt import AsyncCaller, Awaited, Caller, OutcomeCaller, Receipt

T = TypeVar("T")


class TrackerOutcomes(OutcomeCaller[T]):
    """The methods of the session-based tracker."""

    def track(
        self,
        event_name: str,
        attributes: Properties | None = None,
        metadata: Properties | None = None,
        *,
        message_id: str | None = None,
    ) -> T:
        """Records that an event happened.

        :param event_name: What happened. Not blank.
        :param attributes: Facts about this event.
        :param metadata: Technical context. Wins over an attribute of the same name.
        :param message_id: An id that you choose: a second call with it has no effect.
        """
        return self._enqueue("track", (event_name, attributes, metadata), message_id)

    def identify(self, user_id: Id, profile_data: Properties | None = None, *, message_id: str | None = None) -> T:
        """Identifies the user, and sets facts about them.

        :param user_id: The application's name for the user. Not empty.
        :param profile_data: Facts about the user.
        :param message_id: An id that you choose: a second call with it has no effect.
        """
        return self._enqueue("identify", (user_id, profile_data), message_id)

    def set(self, profile_data: Properties, *, message_id: str | None = None) -> T:
        """Sets facts about the user, without changing the user id.

        :param profile_data: Facts about the user.
        :param message_id: An id that you choose: a second call with it has no effect.
        """
        return self._enqueue("set", (profile_data,), message_id)

    def set_metadata(self, metadata: Properties, *, message_id: str | None = None) -> T:
        """Sets metadata of the session, which go with all its later events.

        :param metadata: Merged over the metadata that the session has.
        :param message_id: An id that you choose: a second call with it has no effect.
        """
        return self._enqueue("setMetadata", (metadata,), message_id)

    def screen(self, name: str, properties: Properties | None = None, *, message_id: str | None = None) -> T:
        """Records that a screen was shown, as the event `VIEW_PAGE`.

        :param name: The screen. Not blank.
        :param properties: Facts about the view. They win over `screen` and `url`.
        :param message_id: An id that you choose: a second call with it has no effect.
        """
        return self._enqueue("screen", (name, properties), message_id)

    def screen_did_appear(
        self,
        name: str,
        url: str | None = None,
        properties: Properties | None = None,
        *,
        message_id: str | None = None,
    ) -> T:
        """Records that the platform shows a screen. The same screen twice in a row is recorded once.

        :param name: The screen, or the title of a page. Not blank.
        :param url: Identifies the screen; by default its name does.
        :param properties: Facts about the view. They win over `screen` and `url`.
        :param message_id: An id that you choose: a second call with it has no effect.
        """
        return self._enqueue("screenDidAppear", (name, url, properties), message_id)

    def update_location(
        self,
        latitude: float,
        longitude: float,
        accuracy: float,
        *,
        message_id: str | None = None,
    ) -> T:
        """Sends the location of the session's device.

        :param latitude: Degrees north, from -90 to 90.
        :param longitude: Degrees east, from -180 to 180.
        :param accuracy: The radius of uncertainty in metres, at least 0.
        :param message_id: An id that you choose: a second call with it has no effect.
        """
        return self._enqueue("updateLocation", (latitude, longitude, accuracy), message_id)

    def update_session_email(self, email: str, *, message_id: str | None = None) -> T:
        """Sends the session's email address, and stores it once the backend has accepted it.

        :param email: One `@` and no spaces.
        :param message_id: An id that you choose: a second call with it has no effect.
        """
        return self._enqueue("updateSessionEmail", (email,), message_id)

    def link_session(self, source_session_id: Id, *, message_id: str | None = None) -> T:
        """Links another session of the same visitor to this one.

        :param source_session_id: The other session. Not empty.
        :param message_id: An id that you choose: a second call with it has no effect.
        """
        return self._enqueue("linkSession", (source_session_id,), message_id)

    def continue_session(self, url: str, *, message_id: str | None = None) -> T:
        """Continues the session that a URL names.

        :param url: A URL that `get_cross_domain_url` made.
        :param message_id: An id that you choose: a second call with it has no effect.
        """
        return self._enqueue("continueSession", (url,), message_id)


class TrackerCalls(TrackerOutcomes[Receipt], Caller):
    """The methods of the session-based tracker."""

    def init(self, brand_id: str, config: TrackerConfig | None = None) -> None:
        """Prepares the tracker for a brand. Tracking calls made before it has answered are kept, in order.

        :param brand_id: Your number at the backend: ASCII digits.
        :param config: Where and how to deliver; `api_url` and `x_api_key` are required, or in the environment.
        :raises MobileTrackerError: `INVALID_BRAND_ID`, `INVALID_CONFIGURATION`, `SESSION_CREATION_FAILED`, `STORAGE_ERROR`, `INIT_ERROR`
        """
        self._ask("init", (brand_id, config))

    def reset(self, all: bool | None = None, *, message_id: str | None = None) -> None:
        """Forgets the user: session, email, user id, metadata and device id. Makes a new session.

        :param all: Also forgets the brand and drops every queued event.
        :param message_id: An id that you choose: a second call with it has no effect.
        :raises MobileTrackerError: `STORAGE_ERROR`
        """
        self._ask("reset", (all,), message_id)

    def flush(self, timeout_ms: int | None = None) -> FlushReport:
        """Sends what is queued now. Other calls do not wait for it.

        :param timeout_ms: How long to try; 30,000 by default.
        """
        result: FlushReport = self._ask("flush", (timeout_ms,))
        return result

    def set_credentials(self, key: str | None = None, headers: RequestHeaders | None = None) -> None:
        """Changes the key, the headers or both, from the next request on. A halt of delivery ends at once. Nothing of them is stored or logged. Before the client is initialised they are kept for that.

        :param key: The client's key. Not blank; left out, it stays as it is.
        :param headers: Header fields for every request, instead of those before.
        :raises MobileTrackerError: `INVALID_CONFIGURATION`
        """
        self._ask("setCredentials", (key, headers))

    def set_consent(self, consent: Consent, *, message_id: str | None = None) -> None:
        """Records the user's decision. It outlives restarts and resets.

        :param consent: What the user decided.
        :param message_id: An id that you choose: a second call with it has no effect.
        :raises MobileTrackerError: `STORAGE_ERROR`
        """
        self._ask("setConsent", (consent,), message_id)

    def is_tracking_allowed(self) -> bool:
        """Whether consent is granted."""
        result: bool = self._ask("isTrackingAllowed")
        return result

    def get_session_id(self) -> str | None:
        """The backend's name for the current session."""
        result: str | None = self._ask("getSessionId")
        return result

    def get_device_id(self) -> str | None:
        """The installation's identifier."""
        result: str | None = self._ask("getDeviceId")
        return result

    def get_session_email(self) -> str | None:
        """The email that `update_session_email` set."""
        result: str | None = self._ask("getSessionEmail")
        return result

    def get_brand_id(self) -> str | None:
        """The brand, as it is stored."""
        result: str | None = self._ask("getBrandId")
        return result

    def get_cross_domain_url(self, url: str) -> str:
        """Adds the session to a URL's query, so that another site can continue it.

        :param url: An absolute URL.
        """
        result: str = self._ask("getCrossDomainUrl", (url,))
        return result

    def get_debug_info(self) -> DebugInfo:
        """The state of the tracker: queue, session, circuit, account, configuration. Secrets are masked."""
        result: DebugInfo = self._ask("getDebugInfo")
        return result

    def network_did_change(self) -> None:
        """Says that the network is back: each client that waits for its next attempt makes it at once."""
        self._ask("networkDidChange")


class AsyncTrackerCalls(TrackerOutcomes[Awaited[Outcome]], AsyncCaller):
    """The methods of the session-based tracker."""

    def init(self, brand_id: str, config: TrackerConfig | None = None) -> Awaited[None]:
        """Prepares the tracker for a brand. Tracking calls made before it has answered are kept, in order.

        :param brand_id: Your number at the backend: ASCII digits.
        :param config: Where and how to deliver; `api_url` and `x_api_key` are required, or in the environment.
        :raises MobileTrackerError: `INVALID_BRAND_ID`, `INVALID_CONFIGURATION`, `SESSION_CREATION_FAILED`, `STORAGE_ERROR`, `INIT_ERROR`
        """
        return self._call("init", (brand_id, config))

    def reset(self, all: bool | None = None, *, message_id: str | None = None) -> Awaited[None]:
        """Forgets the user: session, email, user id, metadata and device id. Makes a new session.

        :param all: Also forgets the brand and drops every queued event.
        :param message_id: An id that you choose: a second call with it has no effect.
        :raises MobileTrackerError: `STORAGE_ERROR`
        """
        return self._call("reset", (all,), message_id)

    def flush(self, timeout_ms: int | None = None) -> Awaited[FlushReport]:
        """Sends what is queued now. Other calls do not wait for it.

        :param timeout_ms: How long to try; 30,000 by default.
        """
        return self._call("flush", (timeout_ms,))

    def set_credentials(self, key: str | None = None, headers: RequestHeaders | None = None) -> Awaited[None]:
        """Changes the key, the headers or both, from the next request on. A halt of delivery ends at once. Nothing of them is stored or logged. Before the client is initialised they are kept for that.

        :param key: The client's key. Not blank; left out, it stays as it is.
        :param headers: Header fields for every request, instead of those before.
        :raises MobileTrackerError: `INVALID_CONFIGURATION`
        """
        return self._call("setCredentials", (key, headers))

    def set_consent(self, consent: Consent, *, message_id: str | None = None) -> Awaited[None]:
        """Records the user's decision. It outlives restarts and resets.

        :param consent: What the user decided.
        :param message_id: An id that you choose: a second call with it has no effect.
        :raises MobileTrackerError: `STORAGE_ERROR`
        """
        return self._call("setConsent", (consent,), message_id)

    def is_tracking_allowed(self) -> Awaited[bool]:
        """Whether consent is granted."""
        return self._call("isTrackingAllowed")

    def get_session_id(self) -> Awaited[str | None]:
        """The backend's name for the current session."""
        return self._call("getSessionId")

    def get_device_id(self) -> Awaited[str | None]:
        """The installation's identifier."""
        return self._call("getDeviceId")

    def get_session_email(self) -> Awaited[str | None]:
        """The email that `update_session_email` set."""
        return self._call("getSessionEmail")

    def get_brand_id(self) -> Awaited[str | None]:
        """The brand, as it is stored."""
        return self._call("getBrandId")

    def get_cross_domain_url(self, url: str) -> Awaited[str]:
        """Adds the session to a URL's query, so that another site can continue it.

        :param url: An absolute URL.
        """
        return self._call("getCrossDomainUrl", (url,))

    def get_debug_info(self) -> Awaited[DebugInfo]:
        """The state of the tracker: queue, session, circuit, account, configuration. Secrets are masked."""
        return self._call("getDebugInfo")

    def network_did_change(self) -> Awaited[None]:
        """Says that the network is back: each client that waits for its next attempt makes it at once."""
        return self._call("networkDidChange")


class AnalyticsOutcomes(ScopedCaller[T]):
    """The methods of the analytics client."""

    def track(
        self,
        event: str,
        properties: Properties | None = None,
        options: AnalyticsCallOptions | None = None,
        *,
        user_id: Id | Omitted = OMITTED,
        anonymous_id: Id | Omitted = OMITTED,
        group_id: Id | Omitted = OMITTED,
        timestamp: Timestamp | None | Omitted = OMITTED,
        context: Properties | None | Omitted = OMITTED,
        message_id: str | None = None,
    ) -> T:
        """Records that an event happened.

        :param event: What happened. Not blank.
        :param properties: Facts about it.
        :param options: Values for this call alone, instead of the client's own.
        :param user_id: The user that the call is about; 1 to 1,024 bytes, not blank.
        :param anonymous_id: The visitor that the call is about; 1 to 1,024 bytes, not blank.
        :param group_id: The group that the user belongs to; 1 to 1,024 bytes, not blank.
        :param timestamp: When it happened; by default when the call was made.
        :param context: Merged over the client's context, objects member by member.
        :param message_id: An id that you choose: a second call with it has no effect.
        """
        options = call_options(
            options, user_id=user_id, anonymous_id=anonymous_id, group_id=group_id, timestamp=timestamp, context=context
        )
        return self._enqueue("analytics.track", (event, properties, options), message_id)

    def identify(
        self,
        user_id: Id,
        traits: Properties | None = None,
        options: AnalyticsCallOptions | None = None,
        *,
        anonymous_id: Id | Omitted = OMITTED,
        group_id: Id | Omitted = OMITTED,
        timestamp: Timestamp | None | Omitted = OMITTED,
        context: Properties | None | Omitted = OMITTED,
        message_id: str | None = None,
    ) -> T:
        """Identifies the user of this event and all later ones.

        :param user_id: The application's name for the user. Not blank.
        :param traits: Facts about the user.
        :param options: Values for this call alone, instead of the client's own.
        :param anonymous_id: The visitor that the call is about; 1 to 1,024 bytes, not blank.
        :param group_id: The group that the user belongs to; 1 to 1,024 bytes, not blank.
        :param timestamp: When it happened; by default when the call was made.
        :param context: Merged over the client's context, objects member by member.
        :param message_id: An id that you choose: a second call with it has no effect.
        """
        options = call_options(
            options, anonymous_id=anonymous_id, group_id=group_id, timestamp=timestamp, context=context
        )
        return self._enqueue("analytics.identify", (user_id, traits, options), message_id)

    def group(
        self,
        group_id: Id,
        traits: Properties | None = None,
        options: AnalyticsCallOptions | None = None,
        *,
        user_id: Id | Omitted = OMITTED,
        anonymous_id: Id | Omitted = OMITTED,
        timestamp: Timestamp | None | Omitted = OMITTED,
        context: Properties | None | Omitted = OMITTED,
        message_id: str | None = None,
    ) -> T:
        """Sets the user's group for this event and all later ones.

        :param group_id: The group. Not blank.
        :param traits: Facts about the group.
        :param options: Values for this call alone, instead of the client's own.
        :param user_id: The user that the call is about; 1 to 1,024 bytes, not blank.
        :param anonymous_id: The visitor that the call is about; 1 to 1,024 bytes, not blank.
        :param timestamp: When it happened; by default when the call was made.
        :param context: Merged over the client's context, objects member by member.
        :param message_id: An id that you choose: a second call with it has no effect.
        """
        options = call_options(
            options, user_id=user_id, anonymous_id=anonymous_id, timestamp=timestamp, context=context
        )
        return self._enqueue("analytics.group", (group_id, traits, options), message_id)

    def screen(
        self,
        name: str,
        properties: Properties | None = None,
        options: AnalyticsCallOptions | None = None,
        *,
        user_id: Id | Omitted = OMITTED,
        anonymous_id: Id | Omitted = OMITTED,
        group_id: Id | Omitted = OMITTED,
        timestamp: Timestamp | None | Omitted = OMITTED,
        context: Properties | None | Omitted = OMITTED,
        message_id: str | None = None,
    ) -> T:
        """Records that a screen was shown.

        :param name: The screen. Not blank.
        :param properties: Facts about the view.
        :param options: Values for this call alone, instead of the client's own.
        :param user_id: The user that the call is about; 1 to 1,024 bytes, not blank.
        :param anonymous_id: The visitor that the call is about; 1 to 1,024 bytes, not blank.
        :param group_id: The group that the user belongs to; 1 to 1,024 bytes, not blank.
        :param timestamp: When it happened; by default when the call was made.
        :param context: Merged over the client's context, objects member by member.
        :param message_id: An id that you choose: a second call with it has no effect.
        """
        options = call_options(
            options, user_id=user_id, anonymous_id=anonymous_id, group_id=group_id, timestamp=timestamp, context=context
        )
        return self._enqueue("analytics.screen", (name, properties, options), message_id)

    def page(
        self,
        name: str,
        properties: Properties | None = None,
        options: AnalyticsCallOptions | None = None,
        *,
        user_id: Id | Omitted = OMITTED,
        anonymous_id: Id | Omitted = OMITTED,
        group_id: Id | Omitted = OMITTED,
        timestamp: Timestamp | None | Omitted = OMITTED,
        context: Properties | None | Omitted = OMITTED,
        message_id: str | None = None,
    ) -> T:
        """Records that a page was shown.

        :param name: The page. Not blank.
        :param properties: Facts about the view.
        :param options: Values for this call alone, instead of the client's own.
        :param user_id: The user that the call is about; 1 to 1,024 bytes, not blank.
        :param anonymous_id: The visitor that the call is about; 1 to 1,024 bytes, not blank.
        :param group_id: The group that the user belongs to; 1 to 1,024 bytes, not blank.
        :param timestamp: When it happened; by default when the call was made.
        :param context: Merged over the client's context, objects member by member.
        :param message_id: An id that you choose: a second call with it has no effect.
        """
        options = call_options(
            options, user_id=user_id, anonymous_id=anonymous_id, group_id=group_id, timestamp=timestamp, context=context
        )
        return self._enqueue("analytics.page", (name, properties, options), message_id)

    def alias(
        self,
        new_user_id: Id,
        options: AnalyticsCallOptions | None = None,
        *,
        anonymous_id: Id | Omitted = OMITTED,
        group_id: Id | Omitted = OMITTED,
        timestamp: Timestamp | None | Omitted = OMITTED,
        context: Properties | None | Omitted = OMITTED,
        message_id: str | None = None,
    ) -> T:
        """Gives the user another id, for this event and all later ones.

        :param new_user_id: The other name. Not blank.
        :param options: Values for this call alone, instead of the client's own.
        :param anonymous_id: The visitor that the call is about; 1 to 1,024 bytes, not blank.
        :param group_id: The group that the user belongs to; 1 to 1,024 bytes, not blank.
        :param timestamp: When it happened; by default when the call was made.
        :param context: Merged over the client's context, objects member by member.
        :param message_id: An id that you choose: a second call with it has no effect.
        """
        options = call_options(
            options, anonymous_id=anonymous_id, group_id=group_id, timestamp=timestamp, context=context
        )
        return self._enqueue("analytics.alias", (new_user_id, options), message_id)

    def set_advertising_id(self, advertising_id: Id | None = None, *, message_id: str | None = None) -> T:
        """Sets the advertising identifier of all later events.

        :param advertising_id: The identifier; `None` clears it, a blank one is ignored.
        :param message_id: An id that you choose: a second call with it has no effect.
        """
        return self._enqueue("analytics.setAdvertisingId", (advertising_id,), message_id)

    def clear_advertising_id(self, *, message_id: str | None = None) -> T:
        """Removes the advertising identifier from all later events.

        :param message_id: An id that you choose: a second call with it has no effect.
        """
        return self._enqueue("analytics.clearAdvertisingId", (), message_id)


class AnalyticsCalls(AnalyticsOutcomes[Receipt], Caller):
    """The methods of the analytics client."""

    def initialize(self, options: AnalyticsOptions | None = None) -> None:
        """Initialises the analytics client. Calls made meanwhile take effect after it.

        :param options: Where and how to deliver.
        :raises MobileTrackerError: `INVALID_CONFIGURATION`, `STORAGE_ERROR`, `INIT_ERROR`
        """
        self._ask("analytics.initialize", (options,))

    def set_defaults(self, properties: Properties | None = None, context: Properties | None = None) -> None:
        """Gives every event from now on these values, instead of those before: at most 32 KiB. What a call and its scope say themselves wins.

        :param properties: For the properties of each `track`, `screen` and `page`.
        :param context: For the context of each event.
        :raises MobileTrackerError: `INVALID_CONFIGURATION`
        """
        self._ask("analytics.setDefaults", (properties, context))

    def forget(self, user_id: Id | None = None, anonymous_id: Id | None = None) -> ForgetReport:
        """Erases what waits or was refused of a person, in all queues of the state folder, and has their later calls dropped as FORGOTTEN.

        :param user_id: The application's name for the user. One of the two is required.
        :param anonymous_id: The client's name for the visitor.
        :raises MobileTrackerError: `INVALID_VALUE`, `NOT_INITIALIZED`, `LIST_FULL`, `STORAGE_ERROR`
        """
        result: ForgetReport = self._ask("analytics.forget", (user_id, anonymous_id))
        return result

    def unforget(self, user_id: Id | None = None, anonymous_id: Id | None = None) -> None:
        """Has calls of a person who was forgotten taken again. What was erased does not come back.

        :param user_id: The application's name for the user. One of the two is required.
        :param anonymous_id: The client's name for the visitor.
        :raises MobileTrackerError: `INVALID_VALUE`, `NOT_INITIALIZED`, `LIST_FULL`, `STORAGE_ERROR`
        """
        self._ask("analytics.unforget", (user_id, anonymous_id))

    def flush(self, timeout_ms: int | None = None) -> FlushReport:
        """Sends what is queued now. Other calls do not wait for it.

        :param timeout_ms: How long to try; 30,000 by default.
        """
        result: FlushReport = self._ask("analytics.flush", (timeout_ms,))
        return result

    def set_credentials(self, key: str | None = None, headers: RequestHeaders | None = None) -> None:
        """Changes the key, the headers or both, from the next request on. A halt of delivery ends at once. Nothing of them is stored or logged. Before the client is initialised they are kept for that.

        :param key: The client's key. Not blank; left out, it stays as it is.
        :param headers: Header fields for every request, instead of those before.
        :raises MobileTrackerError: `INVALID_CONFIGURATION`
        """
        self._ask("analytics.setCredentials", (key, headers))

    def reset(self, *, message_id: str | None = None) -> None:
        """Drops what is queued and forgets the user. Calls are refused until `analytics.initialize`.

        :param message_id: An id that you choose: a second call with it has no effect.
        :raises MobileTrackerError: `STORAGE_ERROR`
        """
        self._ask("analytics.reset", (), message_id)

    def enable_debug_logging(self) -> None:
        """Logs info and debug messages from now on."""
        self._ask("analytics.enableDebugLogging")

    def get_debug_info(self) -> AnalyticsDebugInfo:
        """The state of the client: lifecycle, queue, circuit, identity, options. Secrets are masked."""
        result: AnalyticsDebugInfo = self._ask("analytics.getDebugInfo")
        return result

    def foreground(self) -> None:
        """The application is in the foreground: what is queued is sent."""
        self._ask("analytics.foreground")

    def background(self) -> None:
        """The application is in the background: what is queued is sent once, then nothing until the foreground."""
        self._ask("analytics.background")


class AsyncAnalyticsCalls(AnalyticsOutcomes[Awaited[Outcome]], AsyncCaller):
    """The methods of the analytics client."""

    def initialize(self, options: AnalyticsOptions | None = None) -> Awaited[None]:
        """Initialises the analytics client. Calls made meanwhile take effect after it.

        :param options: Where and how to deliver.
        :raises MobileTrackerError: `INVALID_CONFIGURATION`, `STORAGE_ERROR`, `INIT_ERROR`
        """
        return self._call("analytics.initialize", (options,))

    def set_defaults(self, properties: Properties | None = None, context: Properties | None = None) -> Awaited[None]:
        """Gives every event from now on these values, instead of those before: at most 32 KiB. What a call and its scope say themselves wins.

        :param properties: For the properties of each `track`, `screen` and `page`.
        :param context: For the context of each event.
        :raises MobileTrackerError: `INVALID_CONFIGURATION`
        """
        return self._call("analytics.setDefaults", (properties, context))

    def forget(self, user_id: Id | None = None, anonymous_id: Id | None = None) -> Awaited[ForgetReport]:
        """Erases what waits or was refused of a person, in all queues of the state folder, and has their later calls dropped as FORGOTTEN.

        :param user_id: The application's name for the user. One of the two is required.
        :param anonymous_id: The client's name for the visitor.
        :raises MobileTrackerError: `INVALID_VALUE`, `NOT_INITIALIZED`, `LIST_FULL`, `STORAGE_ERROR`
        """
        return self._call("analytics.forget", (user_id, anonymous_id))

    def unforget(self, user_id: Id | None = None, anonymous_id: Id | None = None) -> Awaited[None]:
        """Has calls of a person who was forgotten taken again. What was erased does not come back.

        :param user_id: The application's name for the user. One of the two is required.
        :param anonymous_id: The client's name for the visitor.
        :raises MobileTrackerError: `INVALID_VALUE`, `NOT_INITIALIZED`, `LIST_FULL`, `STORAGE_ERROR`
        """
        return self._call("analytics.unforget", (user_id, anonymous_id))

    def flush(self, timeout_ms: int | None = None) -> Awaited[FlushReport]:
        """Sends what is queued now. Other calls do not wait for it.

        :param timeout_ms: How long to try; 30,000 by default.
        """
        return self._call("analytics.flush", (timeout_ms,))

    def set_credentials(self, key: str | None = None, headers: RequestHeaders | None = None) -> Awaited[None]:
        """Changes the key, the headers or both, from the next request on. A halt of delivery ends at once. Nothing of them is stored or logged. Before the client is initialised they are kept for that.

        :param key: The client's key. Not blank; left out, it stays as it is.
        :param headers: Header fields for every request, instead of those before.
        :raises MobileTrackerError: `INVALID_CONFIGURATION`
        """
        return self._call("analytics.setCredentials", (key, headers))

    def reset(self, *, message_id: str | None = None) -> Awaited[None]:
        """Drops what is queued and forgets the user. Calls are refused until `analytics.initialize`.

        :param message_id: An id that you choose: a second call with it has no effect.
        :raises MobileTrackerError: `STORAGE_ERROR`
        """
        return self._call("analytics.reset", (), message_id)

    def enable_debug_logging(self) -> Awaited[None]:
        """Logs info and debug messages from now on."""
        return self._call("analytics.enableDebugLogging")

    def get_debug_info(self) -> Awaited[AnalyticsDebugInfo]:
        """The state of the client: lifecycle, queue, circuit, identity, options. Secrets are masked."""
        return self._call("analytics.getDebugInfo")

    def foreground(self) -> Awaited[None]:
        """The application is in the foreground: what is queued is sent."""
        return self._call("analytics.foreground")

    def background(self) -> Awaited[None]:
        """The application is in the background: what is queued is sent once, then nothing until the foreground."""
        return self._call("analytics.background")


class BasicOutcomes(OutcomeCaller[T]):
    """The methods of the basic tracker."""

    def track(self, event: str, properties: Properties | None = None, *, message_id: str | None = None) -> T:
        """Records that an event happened.

        :param event: What happened. Not blank.
        :param properties: Facts about it.
        :param message_id: An id that you choose: a second call with it has no effect.
        """
        return self._enqueue("basic.track", (event, properties), message_id)

    def identify(self, user_id: Id, traits: Properties | None = None, *, message_id: str | None = None) -> T:
        """Identifies the user of all later events.

        :param user_id: The application's name for the user. Not blank.
        :param traits: Facts about the user.
        :param message_id: An id that you choose: a second call with it has no effect.
        """
        return self._enqueue("basic.identify", (user_id, traits), message_id)

    def screen(self, name: str, properties: Properties | None = None, *, message_id: str | None = None) -> T:
        """Records that a screen was shown.

        :param name: The screen. Not blank.
        :param properties: Facts about the view.
        :param message_id: An id that you choose: a second call with it has no effect.
        """
        return self._enqueue("basic.screen", (name, properties), message_id)


class BasicCalls(BasicOutcomes[Receipt], Caller):
    """The methods of the basic tracker."""

    def initialize(
        self,
        api_key: str | None = None,
        endpoint: str | None = None,
        app_version: str | None = None,
        options: BasicOptions | None = None,
    ) -> None:
        """Initialises the basic tracker, or changes its configuration: what is queued goes to the new endpoint.

        :param api_key: Sent as `X-API-Key`. Required, or `MOBILE_TRACKER_KEY` in the environment. Not blank.
        :param endpoint: The URL that events are posted to. Required, or `MOBILE_TRACKER_API_URL` in the environment.
        :param app_version: The application's version, for the events' context.
        :param options: How events are kept and delivered.
        :raises MobileTrackerError: `INVALID_API_KEY`, `INVALID_ENDPOINT`, `INVALID_CONFIGURATION`, `STORAGE_ERROR`, `INIT_ERROR`
        """
        self._ask("basic.initialize", (api_key, endpoint, app_version, options))

    def flush(self, timeout_ms: int | None = None) -> FlushReport:
        """Sends what is queued now. Other calls do not wait for it.

        :param timeout_ms: How long to try; 30,000 by default.
        """
        result: FlushReport = self._ask("basic.flush", (timeout_ms,))
        return result

    def set_credentials(self, key: str | None = None, headers: RequestHeaders | None = None) -> None:
        """Changes the key, the headers or both, from the next request on. A halt of delivery ends at once. Nothing of them is stored or logged. Before the client is initialised they are kept for that.

        :param key: The client's key. Not blank; left out, it stays as it is.
        :param headers: Header fields for every request, instead of those before.
        :raises MobileTrackerError: `INVALID_CONFIGURATION`
        """
        self._ask("basic.setCredentials", (key, headers))

    def get_debug_info(self) -> BasicDebugInfo:
        """The state of the tracker: queue, circuit, user, account, configuration. Secrets are masked."""
        result: BasicDebugInfo = self._ask("basic.getDebugInfo")
        return result


class AsyncBasicCalls(BasicOutcomes[Awaited[Outcome]], AsyncCaller):
    """The methods of the basic tracker."""

    def initialize(
        self,
        api_key: str | None = None,
        endpoint: str | None = None,
        app_version: str | None = None,
        options: BasicOptions | None = None,
    ) -> Awaited[None]:
        """Initialises the basic tracker, or changes its configuration: what is queued goes to the new endpoint.

        :param api_key: Sent as `X-API-Key`. Required, or `MOBILE_TRACKER_KEY` in the environment. Not blank.
        :param endpoint: The URL that events are posted to. Required, or `MOBILE_TRACKER_API_URL` in the environment.
        :param app_version: The application's version, for the events' context.
        :param options: How events are kept and delivered.
        :raises MobileTrackerError: `INVALID_API_KEY`, `INVALID_ENDPOINT`, `INVALID_CONFIGURATION`, `STORAGE_ERROR`, `INIT_ERROR`
        """
        return self._call("basic.initialize", (api_key, endpoint, app_version, options))

    def flush(self, timeout_ms: int | None = None) -> Awaited[FlushReport]:
        """Sends what is queued now. Other calls do not wait for it.

        :param timeout_ms: How long to try; 30,000 by default.
        """
        return self._call("basic.flush", (timeout_ms,))

    def set_credentials(self, key: str | None = None, headers: RequestHeaders | None = None) -> Awaited[None]:
        """Changes the key, the headers or both, from the next request on. A halt of delivery ends at once. Nothing of them is stored or logged. Before the client is initialised they are kept for that.

        :param key: The client's key. Not blank; left out, it stays as it is.
        :param headers: Header fields for every request, instead of those before.
        :raises MobileTrackerError: `INVALID_CONFIGURATION`
        """
        return self._call("basic.setCredentials", (key, headers))

    def get_debug_info(self) -> Awaited[BasicDebugInfo]:
        """The state of the tracker: queue, circuit, user, account, configuration. Secrets are masked."""
        return self._call("basic.getDebugInfo")


class RefusedOutcomes(OutcomeCaller[T]):
    """What the server has refused, of all clients."""


class RefusedCalls(RefusedOutcomes[Receipt], Caller):
    """What the server has refused, of all clients."""

    def list(self, filter: RefusedFilter | None = None) -> Sequence[RefusedEvent]:
        """The events that the server has refused for good and that are kept apart, of each client the oldest first.

        :param filter: Which events; by default all.
        :raises MobileTrackerError: `STORAGE_ERROR`
        """
        result: Sequence[RefusedEvent] = self._ask("refused.list", (filter,))
        return result

    def retry(self, filter: RefusedFilter | None = None) -> int:
        """Queues refused events again, at the end of the queue, each under its message id and for its own session.

        :param filter: Which events; by default all.
        :raises MobileTrackerError: `STORAGE_ERROR`
        """
        result: int = self._ask("refused.retry", (filter,))
        return result

    def drop(self, filter: RefusedFilter | None = None) -> int:
        """Removes refused events for good.

        :param filter: Which events; by default all.
        :raises MobileTrackerError: `STORAGE_ERROR`
        """
        result: int = self._ask("refused.drop", (filter,))
        return result


class AsyncRefusedCalls(RefusedOutcomes[Awaited[Outcome]], AsyncCaller):
    """What the server has refused, of all clients."""

    def list(self, filter: RefusedFilter | None = None) -> Awaited[Sequence[RefusedEvent]]:
        """The events that the server has refused for good and that are kept apart, of each client the oldest first.

        :param filter: Which events; by default all.
        :raises MobileTrackerError: `STORAGE_ERROR`
        """
        return self._call("refused.list", (filter,))

    def retry(self, filter: RefusedFilter | None = None) -> Awaited[int]:
        """Queues refused events again, at the end of the queue, each under its message id and for its own session.

        :param filter: Which events; by default all.
        :raises MobileTrackerError: `STORAGE_ERROR`
        """
        return self._call("refused.retry", (filter,))

    def drop(self, filter: RefusedFilter | None = None) -> Awaited[int]:
        """Removes refused events for good.

        :param filter: Which events; by default all.
        :raises MobileTrackerError: `STORAGE_ERROR`
        """
        return self._call("refused.drop", (filter,))


class RecordOutcomes(OutcomeCaller[T]):
    """The calls of a test, of all clients."""


class RecordCalls(RecordOutcomes[Receipt], Caller):
    """The calls of a test, of all clients."""

    def calls(self) -> Sequence[RecordedCall]:
        """The calls so far, of all clients, in the order in which they were made. As the others here only in a host that was started with `--record`."""
        result: Sequence[RecordedCall] = self._ask("record.calls")
        return result

    def expect(
        self,
        name: str,
        properties: Properties | None = None,
        call: Properties | None = None,
        count: int | None = None,
    ) -> ExpectedCalls:
        """Looks for calls, and says in words what is wrong with those that came.

        :param name: The name of the event, screen or page; of other calls the method.
        :param properties: Values that the call has, among others. Objects are compared member by member, lists as a whole.
        :param call: What else the call has, such as `user_id` or `client`. A dropped call is found by its `outcome` alone.
        :param count: How many calls; by default at least one.
        """
        result: ExpectedCalls = self._ask("record.expect", (name, properties, call, count))
        return result

    def find(
        self,
        name: str,
        properties: Properties | None = None,
        call: Properties | None = None,
    ) -> Sequence[RecordedCall]:
        """The calls that have a name and some values.

        :param name: The name of the event, screen or page; of other calls the method.
        :param properties: Values that the call has, among others. Objects are compared member by member, lists as a whole.
        :param call: What else the call has, such as `user_id` or `client`. A dropped call is found by its `outcome` alone.
        """
        result: Sequence[RecordedCall] = self._ask("record.find", (name, properties, call))
        return result

    def fail(self, reason: DropReason | None = None) -> None:
        """Drops valid calls for a reason from now on, as the product would.

        :param reason: The reason; without one calls are taken again.
        """
        self._ask("record.fail", (reason,))

    def clear(self) -> None:
        """Forgets the calls so far, and takes calls again. The clients stay as they are."""
        self._ask("record.clear")

    def shutdown(self) -> None:
        """Ends the clients, as `host.shutdown` does. The calls so far stay, and the host goes on."""
        self._ask("record.shutdown")


class AsyncRecordCalls(RecordOutcomes[Awaited[Outcome]], AsyncCaller):
    """The calls of a test, of all clients."""

    def calls(self) -> Awaited[Sequence[RecordedCall]]:
        """The calls so far, of all clients, in the order in which they were made. As the others here only in a host that was started with `--record`."""
        return self._call("record.calls")

    def expect(
        self,
        name: str,
        properties: Properties | None = None,
        call: Properties | None = None,
        count: int | None = None,
    ) -> Awaited[ExpectedCalls]:
        """Looks for calls, and says in words what is wrong with those that came.

        :param name: The name of the event, screen or page; of other calls the method.
        :param properties: Values that the call has, among others. Objects are compared member by member, lists as a whole.
        :param call: What else the call has, such as `user_id` or `client`. A dropped call is found by its `outcome` alone.
        :param count: How many calls; by default at least one.
        """
        return self._call("record.expect", (name, properties, call, count))

    def find(
        self,
        name: str,
        properties: Properties | None = None,
        call: Properties | None = None,
    ) -> Awaited[Sequence[RecordedCall]]:
        """The calls that have a name and some values.

        :param name: The name of the event, screen or page; of other calls the method.
        :param properties: Values that the call has, among others. Objects are compared member by member, lists as a whole.
        :param call: What else the call has, such as `user_id` or `client`. A dropped call is found by its `outcome` alone.
        """
        return self._call("record.find", (name, properties, call))

    def fail(self, reason: DropReason | None = None) -> Awaited[None]:
        """Drops valid calls for a reason from now on, as the product would.

        :param reason: The reason; without one calls are taken again.
        """
        return self._call("record.fail", (reason,))

    def clear(self) -> Awaited[None]:
        """Forgets the calls so far, and takes calls again. The clients stay as they are."""
        return self._call("record.clear")

    def shutdown(self) -> Awaited[None]:
        """Ends the clients, as `host.shutdown` does. The calls so far stay, and the host goes on."""
        return self._call("record.shutdown")


class HostOutcomes(OutcomeCaller[T]):
    """What the host says of all clients."""


class HostCalls(HostOutcomes[Receipt], Caller):
    """What the host says of all clients."""

    def metrics(self) -> str:
        """Metrics of all clients, as text for Prometheus. They count all earlier calls, and maybe some later ones."""
        result: str = self._ask("host.metrics")
        return result


class AsyncHostCalls(HostOutcomes[Awaited[Outcome]], AsyncCaller):
    """What the host says of all clients."""

    def metrics(self) -> Awaited[str]:
        """Metrics of all clients, as text for Prometheus. They count all earlier calls, and maybe some later ones."""
        return self._call("host.metrics")
