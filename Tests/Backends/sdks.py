"""Each vendor's own SDK makes the calls: one function per vendor, called with the server's address.

A call that the SDK has no method for is made as the vendor's documentation says it is written there: a screen of
Mixpanel, for example, is an event of that name.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from calls import APP, GROUP_TYPE, Call

KEY = "write-key-12345678"

Play = Callable[[str, Iterable[Call]], None]


def without_dates(value: Any) -> Any:
    """A copy with dates as texts, for an SDK that takes none."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds")
    if isinstance(value, dict):
        return {name: without_dates(member) for name, member in value.items()}
    return [without_dates(member) for member in value] if isinstance(value, list) else value


def segment(url: str, calls: Iterable[Call]) -> None:
    from segment.analytics import Client

    _play_segment(Client(KEY, host=url, gzip=True, upload_interval=0.1), calls)


def rudderstack(url: str, calls: Iterable[Call]) -> None:
    from rudderstack.analytics import Client

    _play_segment(Client(KEY, host=url, gzip=True, upload_interval=0.1), calls)


def _play_segment(client, calls: Iterable[Call]) -> None:
    for call in calls:
        when = {"timestamp": call.when, "message_id": call.uuid}
        who = {"user_id": call.user, "anonymous_id": call.anonymous, **when}
        match call.kind:
            case "track":
                client.track(event=call.name, properties=call.values, **who)
            case "identify":
                client.identify(traits=call.values, **who)
            case "group":
                client.group(group_id=call.group, traits=call.values, **who)
            case "screen":
                client.screen(name=call.name, properties=call.values, **who)
            case "page":
                client.page(name=call.name, properties=call.values, **who)
            case "alias":
                client.alias(call.previous, call.user, **when)
    client.shutdown()


def posthog(url: str, calls: Iterable[Call]) -> None:
    from posthog import Posthog

    client = Posthog(KEY, host=url, gzip=True, flush_interval=0.1)
    for call in calls:
        stamp = {"timestamp": call.when, "uuid": call.uuid}
        who = {"distinct_id": call.user or call.anonymous, **stamp}
        match call.kind:
            case "track":
                client.capture(call.name, properties=call.values, **who)
            case "identify":
                client.set(properties=call.values, **who)
            case "group":
                client.group_identify(GROUP_TYPE, call.group, call.values, **who)
            case "screen":
                client.capture("$screen", properties={"$screen_name": call.name, **call.values}, **who)
            case "page":
                client.capture("$pageview", properties={"title": call.name, **call.values}, **who)
            case "alias":
                client.alias(call.previous, call.user, **stamp)
    client.shutdown()


def amplitude(url: str, calls: Iterable[Call]) -> None:
    from amplitude import Amplitude, BaseEvent, Config, EventOptions, Identify, IdentifyEvent

    client = Amplitude(KEY, Config(server_url=f"{url}/2/httpapi", flush_interval_millis=100))
    for call in calls:
        who = {
            "user_id": call.user,
            "device_id": call.anonymous or call.previous,
            "insert_id": call.uuid,
            "time": int(call.when.timestamp() * 1000),
        }
        # The SDK changes what it is given, and drops all values of an event with a date in them.
        values = without_dates(call.values)
        traits = functools.reduce(lambda traits, item: traits.set(*item), values.items(), Identify())
        match call.kind:
            case "track":
                client.track(BaseEvent(call.name, event_properties=values, **who))
            case "identify":
                client.identify(traits, EventOptions(**who))
            case "group":
                client.set_group(GROUP_TYPE, call.group, EventOptions(**who))
                client.group_identify(GROUP_TYPE, call.group, traits, EventOptions(**who))
            case "screen" | "page":
                client.track(BaseEvent(f"Viewed {call.name}", event_properties=values, **who))
            case "alias":
                client.track(IdentifyEvent(user_properties={}, **who))
    client.shutdown()


def mixpanel(url: str, calls: Iterable[Call]) -> None:
    from mixpanel import BufferedConsumer, Mixpanel

    consumer = BufferedConsumer(
        events_url=f"{url}/track", people_url=f"{url}/engage", import_url=f"{url}/import", groups_url=f"{url}/groups"
    )
    client = Mixpanel(KEY, consumer=consumer)
    for call in calls:
        who = call.user or call.anonymous
        stamp = int(call.when.timestamp())
        match call.kind:
            case "track" | "screen" | "page":
                client.import_data(None, who, call.name, stamp, call.values, {}, KEY)
            case "identify":
                client.people_set(who, call.values)
            case "group":
                client.group_set(GROUP_TYPE, call.group, call.values)
            case "alias":
                client.merge(None, call.previous, call.user, api_secret=KEY)
    consumer.flush()


def otlp(url: str, calls: Iterable[Call]) -> None:
    from opentelemetry._logs import LogRecord
    from opentelemetry.exporter.otlp.proto.http import Compression
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
    from opentelemetry.sdk.resources import Resource

    provider = LoggerProvider(
        Resource.create({f"service.{name}": APP[name] for name in ("name", "version", "namespace")})
    )
    provider.add_log_record_processor(
        BatchLogRecordProcessor(OTLPLogExporter(f"{url}/v1/logs", compression=Compression.Gzip))
    )
    logger = provider.get_logger("mobile-tracker")
    for call in calls:
        nanoseconds = int(call.when.timestamp() * 1000) * 1_000_000
        # What a record says of its call has no name in OpenTelemetry's conventions but for the user and the id.
        own = {
            "log.record.uid": call.uuid,
            "mobile_tracker.type": call.kind,
            "user.id": call.user,
            "app.installation.id": call.anonymous or call.previous,
            "mobile_tracker.group.id": call.group,
            "mobile_tracker.previous.id": call.previous,
        }
        attributes = {**without_dates(call.values), **{name: value for name, value in own.items() if value}}
        logger.emit(LogRecord(timestamp=nanoseconds, event_name=call.name or call.kind, attributes=attributes))
    provider.shutdown()


SDKS: dict[str, Play] = {play.__name__: play for play in (segment, rudderstack, posthog, amplitude, mixpanel, otlp)}
