"""The same calls through each vendor's own SDK and through the host, against one recording server."""

from __future__ import annotations

import copy
import json
import logging
import subprocess
import unittest
import urllib.request
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import product
from calls import every_call
from comparison import Form, Sent, compare
from forms import FORMS
from recorder import Recorder
from sdks import SDKS

ROOT = Path(__file__).resolve().parents[2]

DUMPS = ROOT / ".build/recorded"

CALLS = list(every_call())

RECORDED: dict[str, list[Sent]] = {}
"""What each SDK has sent, and the product under the name of its option `api`."""

REFUSED: dict[str, list[str]] = {}
"""The calls that the product has not taken, by that name."""


def setUpModule() -> None:
    # The SDKs log what the calls do on purpose.
    logging.disable(logging.ERROR)
    unittest.addModuleCleanup(logging.disable, logging.NOTSET)
    for form in FORMS:
        for name in form.sdks:
            with Recorder() as server:
                SDKS[name](server.url, CALLS)
            keep(name, form.sent(server.requests))
        with Recorder() as server:
            REFUSED[form.api] = product.play(form.api, server.url, CALLS)
        keep(f"api {form.api}", form.sent(server.requests))


def keep(name: str, sent: list[Sent]) -> None:
    """Keeps a recording, also where a person can read it."""
    RECORDED[name] = sent
    DUMPS.mkdir(parents=True, exist_ok=True)
    (DUMPS / f"{name}.json").write_text(json.dumps([asdict(each) for each in sent], indent=1, ensure_ascii=False))


class ComparisonTests(unittest.TestCase):
    """That a difference is found, wherever it is."""

    def test_a_recording_is_like_itself(self) -> None:
        for form, sdk in pairs():
            self.assertEqual(compare(form, sdk, RECORDED[sdk], RECORDED[sdk]).differences, [], sdk)

    def test_every_field_counts(self) -> None:
        for form, sdk in pairs():
            bare = replace(form, aside=(), meant=(), meant_for={})
            for sent in map(copy.deepcopy, RECORDED[sdk]):
                # One event of each call is enough, and takes less time.
                del form.events(sent.body)[6:]
                missed = [
                    path
                    for path in leaves(sent.body)
                    if not compare(bare, sdk, [sent], [changed(sent, path)]).differences
                ]
                self.assertEqual(missed, [], f"{sdk}: changes that are not found")

    def test_headers_method_path_and_query_count(self) -> None:
        for form, sdk in pairs():
            first, *rest = RECORDED[sdk]
            for change in (
                {"method": "PUT"},
                {"path": "/other"},
                {"query": {"a": "b"}},
                {"headers": {**first.headers, "content-type": "text/plain"}},
            ):
                self.assertTrue(
                    compare(form, sdk, [first, *rest], [replace(first, **change), *rest]).differences,
                    f"{sdk}: {change}",
                )

    def test_an_event_too_few_or_out_of_order_is_found(self) -> None:
        for form, sdk in pairs():
            for change in (list.pop, list.reverse):
                first, *rest = RECORDED[sdk]
                body = copy.deepcopy(first.body)
                change(form.events(body))
                self.assertTrue(
                    compare(form, sdk, [first, *rest], [replace(first, body=body), *rest]).differences,
                    f"{sdk}: {change}",
                )


class BackendTests(unittest.TestCase):
    """That the product sends what the vendor's SDK sends."""

    def test_every_call_is_taken(self) -> None:
        self.assertEqual(len(CALLS), 60)
        for form in FORMS:
            self.assertEqual(REFUSED[form.api], [], form.api)

    def test_the_collector_finds_nothing_wrong(self) -> None:
        for form in FORMS:
            with Collector(form.api) as collector:
                refused = product.play(form.api, collector.url, CALLS)
                requests = collector.received()
            self.assertEqual(refused, [], form.api)
            self.assertEqual({request["api"] for request in requests}, {form.api})
            self.assertEqual([problem for request in requests for problem in request["problems"]], [], form.api)
            flags = [
                flag["text"]
                for request in requests
                for flag in request["flags"]
                if flag["kind"] in ("repeat", "gap", "order")
            ]
            self.assertEqual(flags, [], form.api)

    def test_what_a_vendor_refuses_is_kept_and_the_rest_arrives(self) -> None:
        # A fault in the vendor's words, the events that are refused, and the names in each request that is taken. A first
        # refusal of a compressed body goes again plain, so Mixpanel's fault stays.
        named = "indices=yes:name=BAD"
        cases = {
            "segment": ("400×always:name=BAD", ["BAD"], [["A"], ["B"]]),
            "amplitude": (f"400:{named}", ["BAD"], [["A", "B"]]),
            "mixpanel": (f"400×always:{named}", ["BAD"], [["A", "BAD", "B"]]),
            "otlp": (f"200:{named}", ["A", "BAD", "B"], [["A", "BAD", "B"]]),
        }
        for api, (fault, refused, requests) in cases.items():
            with self.subTest(api), Collector(api) as collector, product.tracker_for(api, collector.url) as tracker:
                collector.faults([fault])
                for name in ("A", "BAD", "B"):
                    tracker.analytics.track(name, {"total": 1}, user_id="user-1")
                self.assertEqual(tracker.analytics.flush(product.GUARD_MS).remaining, 0)

                self.assertEqual([event["event"] for event in tracker.refused.list()], refused)
                taken = [request for request in collector.received() if request["accepted"] and not request["repeat"]]
                brought = [[item["name"] for item in request["items"]] for request in taken]
                self.assertEqual(brought, requests)

    def test_segment(self) -> None:
        self.is_like("segment")

    def test_rudderstack(self) -> None:
        self.is_like("rudderstack")

    def test_posthog(self) -> None:
        self.is_like("posthog")

    def test_amplitude(self) -> None:
        self.is_like("amplitude")

    def test_mixpanel(self) -> None:
        self.is_like("mixpanel")

    def test_otlp(self) -> None:
        self.is_like("otlp")

    def test_otlp_takes_any_time_and_depth(self) -> None:
        deep: Any = 1
        for level in range(80):
            deep = {"a": [deep]} if level % 3 == 0 else {"a": deep}
        times = [datetime(year, 1, 2, tzinfo=timezone.utc) for year in (1900, 1970, 2026, 2600)]
        with Recorder() as server, product.tracker_for("otlp", server.url) as tracker:
            for time in times:
                tracker.analytics.track("A", {"deep": deep}, timestamp=time)
            self.assertEqual(tracker.analytics.flush(product.GUARD_MS).remaining, 0)
        # The protocol's own library reads the bodies.
        [sent] = next(form for form in FORMS if form.api == "otlp").sent(server.requests)
        records = sent.body["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
        self.assertEqual(["timeUnixNano" in record for record in records], [False, True, True, False])

    def is_like(self, sdk: str) -> None:
        """Fails at a difference that is not meant, and at one that is and is not there."""
        form = next(form for form in FORMS if sdk in form.sdks)
        found = compare(form, sdk, RECORDED[sdk], RECORDED[f"api {form.api}"])
        self.assertEqual([str(difference) for difference in found.differences], [])
        unused = [each.place for each in [*form.meant, *form.meant_for.get(sdk, ())] if not found.used[each]]
        self.assertEqual(unused, [], "differences that are meant, and that there are not")


class Collector:
    """The development collector, which takes anything but this API's requests for a problem."""

    def __init__(self, api: str) -> None:
        command = ["node", ROOT / "BridgeHost/Node/bin/mobile-tracker.js", "collect", "--api", api]
        options = ["--port", "0", "--json", "--quiet", "--until-stdin-ends"]
        self._process = subprocess.Popen([*command, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout
        self.url: str = json.loads(self._process.stdout.readline())["url"]

    def __enter__(self) -> Collector:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=60)

    def faults(self, script: list[str]) -> None:
        """Sets what it does wrong."""
        urllib.request.urlopen(f"{self.url}/faults", json.dumps(script).encode(), timeout=60).close()

    def received(self) -> list[dict[str, Any]]:
        """What has come."""
        with urllib.request.urlopen(f"{self.url}/received", timeout=60) as answer:
            return json.load(answer)["requests"]


def pairs() -> Iterator[tuple[Form, str]]:
    """Each form with each SDK that it stands beside."""
    return ((form, sdk) for form in FORMS for sdk in form.sdks)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all values that hold no others."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not members:
        yield path
    for key, member in members:
        yield from leaves(member, (*path, key))


def changed(sent: Sent, path: tuple[Any, ...]) -> Sent:
    """A request in whose body one value is another."""

    def change(value: Any, path: tuple[Any, ...]) -> Any:
        if not path:
            return f"{value} and more"
        other = copy.copy(value)
        other[path[0]] = change(value[path[0]], path[1:])
        return other

    return replace(sent, body=change(sent.body, path))
