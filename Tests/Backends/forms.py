"""How each vendor's requests are read, and every way in which the product's are meant to differ from its SDK's."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from comparison import ABSENT, Form, Meant
from recorder import Request


def added(theirs: Any, ours: Any) -> bool:
    """Only the product has it."""
    return theirs is ABSENT and ours is not ABSENT


def left_out(theirs: Any, ours: Any) -> bool:
    """Only the SDK has it."""
    return ours is ABSENT and theirs is not ABSENT


def left_out_if(*values: Any) -> Callable[[Any, Any], bool]:
    """Only the SDK has it, and it is one of these values."""
    return lambda theirs, ours: ours is ABSENT and theirs in values


def are(their: Any, our: Any) -> Callable[[Any, Any], bool]:
    """Exactly these two values."""
    return lambda theirs, ours: theirs == their and ours == our


def without(value: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: member for name, member in value.items() if name not in names}


CONTEXT = "the product says of which app, device and system an event is"
EMPTY = "a member without a value is left out"
SERVER = "the SDK says of which Python and system the server is"
NO_TRAITS = "the SDK sends nothing for an identify without traits; the product also tells that the user is there"

SEGMENT = Form(
    api="segment",
    sdks=("segment", "rudderstack"),
    read=Request.json,
    events=lambda body: body["batch"],
    envelope=lambda body: without(body, "batch"),
    key=lambda event: event.get("messageId"),
    aside=("*envelope.sentAt", "*.context.library.name", "*.context.library.version"),
    meant=(
        Meant("*event.anonymousId", EMPTY, left_out_if(None)),
        Meant("*event.userId", EMPTY, left_out_if(None)),
        Meant("*event.category", "a screen or page of the product has no category", left_out_if(None)),
        *(
            Meant(f"*event.context.{name}", CONTEXT, added)
            for name in ("app", "device", "os", "screen", "network", "locale", "timezone")
        ),
    ),
    meant_for={
        "rudderstack": (
            Meant("*envelope.writeKey", "RudderStack reads the key in the header; Segment's SDK sends it twice", added),
            Meant("*event.integrations.All", "an empty list of destinations means all of them", left_out_if(True)),
            Meant(
                "*event.channel",
                "it names the SDK's kind; the product's events come from apps and servers alike",
                left_out_if("server"),
            ),
            Meant("*event.context.traits", "RudderStack takes the traits of an identify in either place", left_out),
            Meant("*event.traits", "RudderStack takes the traits of an identify in either place", added),
        ),
    },
)

POSTHOG = Form(
    api="postHog",
    sdks=("posthog",),
    read=Request.json,
    events=lambda body: body["batch"],
    envelope=lambda body: without(body, "batch"),
    key=lambda event: event.get("uuid"),
    aside=(
        "*envelope.sent_at",
        "*.properties.$lib",
        "*.properties.$lib_version",
        "*event.properties.$os",
        "*event.properties.$os_version",
    ),
    meant=(
        Meant("*event.properties.$python_*", SERVER, left_out),
        Meant("*event.properties.$os_distro", SERVER, left_out),
        Meant(
            "*event.properties.$is_server",
            "events of an app come from no server; $geoip_disable says what matters of it",
            left_out_if(True),
        ),
        *(
            Meant(f"*event.properties.${name}", CONTEXT, added)
            for name in ("os", "os_version", "device_*", "app_*", "screen_*", "network_wifi", "locale", "timezone")
        ),
        Meant("* event", NO_TRAITS, added),
    ),
)


def _seconds_of(theirs: Any, ours: Any) -> bool:
    return isinstance(theirs, int) and isinstance(ours, int) and theirs == ours // 1000


def _is_list_in_list(_: Any, ours: Any) -> bool:
    return ours is not ABSENT and "tags" in ours


AMPLITUDE = Form(
    api="amplitude",
    sdks=("amplitude",),
    read=Request.json,
    events=lambda body: body["events"],
    envelope=lambda body: without(body, "events"),
    key=lambda event: (event.get("time"), event.get("event_type")),
    headers=("content-type", "content-encoding"),
    aside=("*event.library",),
    meant=(
        Meant("*headers.content-type", "JSON is UTF-8", are("application/json; charset=UTF-8", "application/json")),
        Meant(
            "*event.event_properties.coupon",
            "the SDK drops nulls at the top; the product sends what it was given",
            added,
        ),
        Meant(
            "*event.event_properties",
            "the SDK drops all properties where a list is in a list",
            lambda theirs, ours: added(theirs, ours) and _is_list_in_list(theirs, ours),
        ),
        Meant("*event.user_properties.$set.tags", "the SDK drops a trait with a list in a list", added),
        Meant("*event.group_properties.$set.tags", "the SDK drops a trait with a list in a list", added),
        Meant(
            "*event.insert_id",
            "one call is two events, and Amplitude takes two with one id for one",
            lambda theirs, ours: ours == f"{theirs}:group",
        ),
        *(
            Meant(f"*event.{name}", CONTEXT, added)
            for name in ("os_name", "os_version", "device_*", "language", "app_version")
        ),
        Meant("* event", NO_TRAITS, added),
    ),
)


def _mixpanel_body(request: Request) -> Any:
    """A list in either encoding: the SDK sends a form whose field `data` holds it."""
    body = request.json()
    return body["data"] if isinstance(body, dict) else body


def _mixpanel_key(event: Any) -> Any:
    """A profile is found by whose it is, an event by its name and its people: the SDK makes up its `$insert_id`."""
    properties = event.get("properties", {})
    people = properties.get("$distinct_ids") or [properties.get("distinct_id")]
    return event.get("$distinct_id") or event.get("$group_id") or (event["event"], *people)


def _is_cut(theirs: Any, ours: Any) -> bool:
    """The SDK writes a date without its fraction and its zone."""
    if not (isinstance(theirs, str) and isinstance(ours, str) and re.fullmatch(r"[-\d]+T[:\d]+", theirs)):
        return False
    return datetime.fromisoformat(f"{theirs}+00:00") == datetime.fromisoformat(ours).replace(microsecond=0)


RESERVED = "a property of a name that Mixpanel reserves would move the event to another time; the SDK lets it"

MIXPANEL = Form(
    api="mixpanel",
    sdks=("mixpanel",),
    read=_mixpanel_body,
    events=lambda body: body,
    envelope=lambda _: {},
    key=_mixpanel_key,
    # Calls alternate between three paths, so requests are small, and small ones are not compressed.
    headers=("content-type", "authorization"),
    aside=(
        "*event.$time",
        "*event.properties.$insert_id",
        "*event.properties.mp_lib",
        "*event.properties.$lib_version",
    ),
    meant=(
        Meant(
            "*headers.content-type",
            "Mixpanel takes JSON at all three; the SDK sends forms",
            are("application/x-www-form-urlencoded", "application/json"),
        ),
        Meant("/import.query.strict", "with it Mixpanel names the events that it refuses", added),
        Meant("*.query.ip", "the SDK sends it in its form", are(ABSENT, "0")),
        Meant("*.query.verbose", "the SDK sends it in its form", are(ABSENT, "1")),
        Meant("*event.properties.time", "milliseconds keep the order of events within a second", _seconds_of),
        Meant("*event.properties.time", RESERVED, lambda theirs, ours: theirs == 5 and ours > 1_000_000_000_000),
        Meant("*event.*", "the SDK cuts dates to whole seconds and leaves out the zone", _is_cut),
        Meant(
            "*event.properties.$user_id",
            "it says that the id is a user's, for projects with Simplified ID Merge",
            added,
        ),
        Meant(
            "*event.properties.$device_id",
            "it says that the id is a visitor's, for projects with Simplified ID Merge",
            added,
        ),
        *(
            Meant(f"*event.properties.{name}", CONTEXT, added)
            for name in ("$os*", "$manufacturer", "$model", "$app_*", "$screen_*", "$wifi", "locale", "timezone")
        ),
    ),
)


def _log_records(request: Request) -> Any:
    """The message of OTLP, from either of its encodings: `opentelemetry-proto` takes no member that it does not know."""
    message = ExportLogsServiceRequest()
    if request.headers["content-type"] == "application/x-protobuf":
        message.ParseFromString(request.body)
    else:
        json_format.Parse(request.body, message)
    body = json_format.MessageToDict(message)
    for resource in body["resourceLogs"]:
        resource["resource"] = _by_key(resource["resource"])
        for scope in resource["scopeLogs"]:
            scope["logRecords"] = [_by_key(record) for record in scope["logRecords"]]
    return body


def _by_key(holder: dict[str, Any]) -> dict[str, Any]:
    """With its attributes as an object: their order says nothing."""
    attributes = {each["key"]: each.get("value", {}) for each in holder.get("attributes", [])}
    assert len(attributes) == len(holder.get("attributes", [])), "a key stands there twice"
    return {**holder, "attributes": attributes}


OTLP = Form(
    api="otlp",
    sdks=("otlp",),
    read=_log_records,
    events=lambda body: body["resourceLogs"][0]["scopeLogs"][0]["logRecords"],
    envelope=lambda body: [
        {**without(resource, "scopeLogs"), "scopes": [without(scope, "logRecords") for scope in resource["scopeLogs"]]}
        for resource in body["resourceLogs"]
    ],
    key=lambda record: record["timeUnixNano"],
    aside=("*event.observedTimeUnixNano", "*attributes.telemetry.sdk.*"),
    meant=(
        Meant(
            "*headers.content-type",
            "OTLP has two encodings, and every receiver takes both",
            are("application/x-protobuf", "application/json"),
        ),
        Meant("*headers.authorization", "the key; the SDK's user gives it as a header", added),
        Meant("*attributes.service.instance.id", "the SDK's process; a queue on disk outlives processes", left_out),
        Meant("*scopes[].scope.version", "the product's version", added),
        Meant("*event.body", "an empty body", left_out_if({})),
        Meant("*event.attributes.mobile_tracker.context", CONTEXT, added),
    ),
)

FORMS = (SEGMENT, POSTHOG, AMPLITUDE, MIXPANEL, OTLP)
