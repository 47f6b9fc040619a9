"""What becomes of calls when the host dies, cannot start or ends: the same for the clients of both languages.

The scenarios are in Tests/Recovery/scenarios.json, and the Node client plays them too. `host` is a shell script that is
the host: `$HOST` is the real one, `$START` how often it was started; null means that there is none. Steps:

    call        makes a call, and waits for it unless `as` gives it a name; what begins with `$` are the backend's addresses
    await       waits for the call of that name
    gives       what the call comes to, at least; null is nothing
    fails       the error it fails with
    remember    keeps what it came to under that name; `isStill` compares
    signal      sends a signal to the host that runs
    burst       tracks events in portions without waiting; before each but the first, the host is killed
    faults      what the backend does wrong from now on
    arrive      waits until exactly these events have arrived, in this order
    arriveOfBrands  the same for events of several brands, which have no order among them
    key         what the debug information shows of the tracker's key
    starts      how often the host was started so far
    warnings    how often the client has warned so far
    shutdown    ends the host; with `as` it is not waited for
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import os
import signal
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from unittest import mock

from .agents import Supervisor
from .support import KEY, PATIENT, ROOT, AsyncTestCase, host_path, snake

from mobiletracker import AsyncMobileTracker, MobileTracker, MobileTrackerError, Receipt  # isort: skip
from mobiletracker._call import Call  # isort: skip
from mobiletracker._io_thread import IOThread  # isort: skip
from mobiletracker._kept_params import KeptParams, members_of  # isort: skip
from mobiletracker._recovery import Recovery, repeated  # isort: skip

SCENARIOS = json.loads((ROOT / "Tests/Recovery/scenarios.json").read_text())


CONSENT = b'{"consent":"denied"}'


class Stage:
    """One scenario: a tracker, a host that can be killed, a backend, and what is remembered from step to step."""

    def __init__(
        self, test: RecoveryTests, tracker_of: Callable[..., Any], host: str | None, folder: Path, *, over_agent: bool
    ) -> None:
        """
        :param over_agent: Whether the host is an agent, which a supervisor starts again.
        """
        self.test = test
        self.collector = test.collector
        self.starts_file = folder / "starts"
        path = folder / "host"
        if host is not None:
            path.write_text(
                f'#!/bin/sh\nSTARTS={self.starts_file}\nHOST={host_path()}\necho $$ >> "$STARTS"\n'
                f'START=$(wc -l < "$STARTS")\n{host}\n'
            )
            path.chmod(0o755)
        arguments = ["--storage-dir", str(folder / "state"), *PATIENT]
        self._supervisor: Supervisor | None = None
        if over_agent:
            socket = folder / "agent.sock"
            self._supervisor = Supervisor([str(path), "--listen", str(socket), *arguments])
            self.tracker = tracker_of(agent=socket)
        else:
            self.tracker = tracker_of(host_path=path, host_arguments=arguments, stderr="ignore")
        self._kills = 0
        self.calls: dict[str, Any] = {}
        self.remembered: dict[str, Any] = {}

    async def play(self, step: dict[str, Any]) -> None:
        """Takes one step."""
        match step:
            case {"call": method}:
                await self._call(method, step)
            case {"await": name}:
                await self._check(self.calls[name], step)
            case {"signal": name}:
                self._signal(signal.Signals[name])
            case {"burst": counts}:
                await self._burst(counts)
            case {"faults": script}:
                self.collector.faults(script)
            case {"arrive": names}:
                self._arrive(names, step.get("kind", "event"))
            case {"arriveOfBrands": names}:
                self._arrive(names, "event", any_order=True)
            case {"arriveBurst": counts}:
                self._arrive(_burst_names(counts), "event")
            case {"arriveRequests": count, "kind": kind}:
                self.collector.wait(kind=kind, requests=count)
            case {"key": masked}:
                info = await _settled(self.tracker.get_debug_info())
                self.test.assertEqual(info["config"]["xApiKey"], masked)
            case {"starts": count}:
                # An agent outlives a shutdown of its client.
                self.test.assertEqual(len(self.starts), 1 + self._kills if self._supervisor else count)
            case {"warnings": _} if self._supervisor:
                pass  # One for each try to connect that has another reason.
            case {"warnings": count}:
                self.test.assertEqual(len(self.test.warnings), count, self.test.warnings)
            case {"shutdown": True}:
                if "as" in step:
                    self.calls[step["as"]] = self.tracker.shutdown()
                else:
                    await _settled(self.tracker.shutdown())
            case _:
                self.test.fail(f"What is {step}?")

    def end(self) -> None:
        """Ends the agent, if there is one."""
        if self._supervisor:
            self._supervisor.end()

    def _signal(self, number: signal.Signals) -> None:
        os.kill(self.starts[-1], number)
        self._kills += number == signal.SIGKILL

    @property
    def starts(self) -> list[int]:
        """The processes that were started."""
        return [int(line) for line in self.starts_file.read_text().split()] if self.starts_file.exists() else []

    async def _call(self, method: str, step: dict[str, Any]) -> None:
        client, _, name = method.rpartition(".")
        owner = getattr(self.tracker, client) if client else self.tracker
        arguments = [self._filled(argument) for argument in step.get("args", [])]
        options = {"message_id": step["messageId"]} if "messageId" in step else {}

        def call() -> Any:
            return getattr(owner, snake(name))(*arguments, **options)

        if "as" in step:
            self.calls[step["as"]] = call()
        else:
            await self._check(call, step)

    def _filled(self, argument: Any) -> Any:
        match argument:
            case "$config":
                return self.collector.config()
            case "$analytics":
                return {"write_key": "write-key-1234", "ingestion_host": self.collector.url, "retry_delay_ms": 10}
            case "$endpoint":
                return f"{self.collector.url}/events"
            case _:
                return argument

    async def _check(self, call: Any, step: dict[str, Any]) -> None:
        """
        :param call: What a call has returned, or what makes the call: one that waits for its answer may raise.
        """
        if fails := step.get("fails"):
            with self.test.assertRaises(MobileTrackerError) as caught:
                await _settled(call() if callable(call) else call)
            self.test.assertIn(fails.get("message", ""), caught.exception.message)
            self.test.assertEqual(caught.exception.code, fails["code"])
            self.test.assertEqual(caught.exception.retryable, fails.get("retryable", False))
            return
        value = await _settled(call() if callable(call) else call)
        if "gives" in step and step["gives"] is None:
            self.test.assertIsNone(value)
        elif "gives" in step:
            fields = {snake(name): member for name, member in step["gives"].items()}
            self.test.assertEqual({name: dataclasses.asdict(value)[name] for name in fields}, fields)
        if "remember" in step:
            self.remembered[step["remember"]] = value
        if "isStill" in step:
            self.test.assertEqual(value, self.remembered[step["isStill"]])

    async def _burst(self, counts: list[int]) -> None:
        names = iter(_burst_names(counts))
        calls = []
        for number, count in enumerate(counts):
            if number > 0:
                self._signal(signal.SIGKILL)
            portion = [self.tracker.track(next(names)) for _ in range(count)]
            calls += portion
            await _settled(portion[0])
        for call in calls:
            self.test.assertEqual((await _settled(call)).status, "queued")

    def _arrive(self, names: list[str | None], kind: str, *, any_order: bool = False) -> None:
        self.collector.wait(kind=kind, accepted=True, repeats=False, count=len(names))
        came = self.collector.names(kind)
        self.test.assertEqual(sorted(map(str, came)) if any_order else came, names)


async def _settled(call: Any) -> Any:
    """What a call comes to, whichever client has made it."""
    if isinstance(call, Receipt):
        return call.outcome(60)
    return await asyncio.wait_for(_awaited(call), 60) if isinstance(call, Awaitable) else call


async def _awaited(call: Awaitable[Any]) -> Any:
    return await call


def _burst_names(counts: list[int]) -> list[str | None]:
    return [f"E{number}" for number in range(sum(counts))]


def _waits_where_it_asks(scenario: dict[str, Any]) -> bool:
    """Whether every call that goes on while others are made is one that has a receipt."""
    return all(step.get("call", "").endswith("track") for step in scenario["steps"] if "as" in step)


def _works_over_agent(scenario: dict[str, Any]) -> bool:
    """Whether it is about a host that runs. How often one that fails is started, others decide of an agent."""
    kills = sum(step.get("signal") == "SIGKILL" for step in scenario["steps"])
    return "host" not in scenario and kills < 5


class RecoveryTests(AsyncTestCase):
    """Every scenario, with the tracker of asyncio; and those that it can play with the one that waits."""

    def setUp(self) -> None:
        super().setUp()
        self.collector = self.start_collector()

    async def test_asyncio(self) -> None:
        for scenario in SCENARIOS:
            await self._play(AsyncMobileTracker, scenario)

    async def test_waiting(self) -> None:
        scenarios = [scenario for scenario in SCENARIOS if _waits_where_it_asks(scenario)]
        self.assertGreater(len(scenarios), 12)
        for scenario in scenarios:
            await self._play(MobileTracker, scenario)

    async def test_over_agents(self) -> None:
        scenarios = [scenario for scenario in SCENARIOS if _works_over_agent(scenario)]
        self.assertGreater(len(scenarios), 15)
        for scenario in scenarios:
            await self._play(AsyncMobileTracker, scenario, over_agent=True)

    async def test_goes_on_with_the_configuration_in_force(self) -> None:
        tracker = self.real_async()
        await tracker.init("925", self.collector.config(request_timeout_ms=11_000))
        await tracker.init("925", self.collector.config(request_timeout_ms=12_000))  # The host ignores it.
        self._kill(tracker)
        await tracker.track("A")

        config: Any = (await tracker.get_debug_info())["config"]
        self.assertEqual(config["delivery"]["requestTimeoutMs"], 11_000)

    async def test_has_a_reset_from_before_init_take_effect_with_the_next_init(self) -> None:
        await self._check_reset(everything=False)

    async def test_has_a_reset_of_everything_from_before_init_take_effect_with_the_next_init(self) -> None:
        await self._check_reset(everything=True)

    async def _check_reset(self, *, everything: bool) -> None:
        tracker = self.real_async()
        await tracker.init("925", self.collector.config())
        await tracker.identify("user-1", {"email": "a@example.com"})
        session = await tracker.get_session_id()
        await tracker.shutdown()

        await tracker.reset(all=everything)
        self._kill(tracker)
        await _settled(tracker.init("925", self.collector.config()))

        self.assertNotEqual(await tracker.get_session_id(), session)
        self.assertEqual(len(self.collector.received(kind="session")), 2)

    async def test_has_forgotten_the_user_after_a_reset_from_before_initialize(self) -> None:
        tracker = self.real_async()
        options: Any = {"write_key": KEY, "ingestion_host": self.collector.url}
        await tracker.analytics.initialize(options)
        await tracker.analytics.identify("user-1")
        await tracker.shutdown()

        await tracker.analytics.reset()
        self._kill(tracker)
        await _settled(tracker.analytics.initialize(options))

        self.assertIsNone((await tracker.analytics.get_debug_info())["user_id"])

    async def test_keeps_a_reset_of_everything_until_a_setup_over_smaller_ones_and_a_shutdown(self) -> None:
        recovery = Recovery()
        everything, rest = b'{"all":true}', b"{}"
        recovery.record_answer(Call("reset", rest), {})
        recovery.record_answer(Call("reset", everything), {})
        recovery.record_answer(Call("reset", rest), {})
        recovery.record_answer(Call("setConsent", CONSENT), {})
        recovery.record_failure(Call("init", b'{"brandId":""}'), MobileTrackerError("INVALID_BRAND_ID", "No."))
        recovery.clear()
        self.assertEqual(recovery.calls(), [("reset", everything), ("setConsent", CONSENT)])

        recovery.record_answer(Call("init", b'{"brandId":"925"}'), {})
        recovery.record_answer(Call("reset", rest), {})
        self.assertEqual([method for method, _ in recovery.calls()], ["init"])

    async def test_keeps_a_denial_that_was_made_while_its_client_was_turned_off(self) -> None:
        for end in ("kill", "shutdown"):
            tracker = self.real_async()
            await tracker.init("925", self.collector.config())
            await tracker.init("925", self.collector.config(enabled=False))
            await tracker.set_consent("denied")

            await self._end(tracker, end)
            await tracker.init("925", self.collector.config())

            self.assertFalse(await tracker.is_tracking_allowed(), end)
            self.assertEqual((await tracker.track("A")).reason, "TRACKING_NOT_ALLOWED")
            self.assertEqual(self.collector.names(), [])

    async def test_keeps_resets_that_were_made_while_their_clients_were_turned_off(self) -> None:
        for end in ("kill", "shutdown"):
            tracker = self.real_async()
            analytics: Any = {"write_key": KEY, "ingestion_host": self.collector.url}
            self.collector.faults([f"503×always:name=LAST_{end}"])
            await tracker.init("925", self.collector.config())
            device = await tracker.get_device_id()
            await tracker.track(f"LAST_{end}")
            await tracker.analytics.initialize(analytics)
            await tracker.analytics.identify("user-1")
            await tracker.init("925", self.collector.config(enabled=False))
            await tracker.analytics.initialize(analytics | {"enabled": False})
            await tracker.reset(all=True)
            await tracker.analytics.reset()

            await self._end(tracker, end)
            self.collector.faults([])
            await tracker.init("925", self.collector.config())
            await tracker.analytics.initialize(analytics)
            await tracker.track(f"NEXT_{end}")
            await tracker.flush()

            self.assertNotEqual(await tracker.get_device_id(), device)
            self.assertIsNone((await tracker.analytics.get_debug_info())["user_id"])
            self.assertIn(f"NEXT_{end}", self.collector.names())
            self.assertNotIn(f"LAST_{end}", self.collector.names())

    async def test_goes_on_with_the_user_of_an_identify_that_the_plan_dropped(self) -> None:
        plan = self.folder / "plan.json"
        age = {"type": "object", "properties": {"age": {"type": "integer"}}}
        plan.write_text(json.dumps({"events": {}, "identify": {"traits": age}}))
        tracker = self.real_async()
        options: Any = {"plan": {"file": str(plan), "on_broken": "drop"}}
        await tracker.basic.initialize(KEY, f"{self.collector.url}/events", options=options)
        await tracker.basic.identify("alice", {"age": 7})
        self.assertEqual((await tracker.basic.identify("bob", {"age": "seven"})).reason, "PLAN")
        user = (await tracker.basic.get_debug_info())["user_id"]

        self._kill(tracker)
        await self._restarted(tracker)

        self.assertEqual((user, (await tracker.basic.get_debug_info())["user_id"]), ("bob", "bob"))
        # It stays dropped: only its user is restored.
        await tracker.basic.flush()
        self.assertNotIn("bob", json.dumps(self.collector.received()))

    async def test_knows_the_user_of_the_last_identify_whose_user_the_host_has_taken(self) -> None:
        reasons = {
            "PLAN": True, "STORAGE_ERROR": True, "QUEUE_FULL": True, "FORGOTTEN": True, "TRACKING_NOT_ALLOWED": True,
            "NOT_INITIALIZED": False, "INVALID_USER_ID": False, "SERIALIZATION_ERROR": False, "TOO_LARGE": False,
            "DISABLED": False, "BEFORE_SEND": False,
        }  # fmt: skip
        for reason, is_taken in reasons.items():
            with self.subTest(reason):
                recovery = Recovery()
                recovery.record_answer(Call("basic.initialize", b"{}"), {})
                recovery.record_answer(Call("basic.identify", b'{"userId":"alice"}'), {"status": "queued"})
                dropped = {"status": "dropped", "reason": reason}
                bob = Call("basic.identify", b'{"userId":"bob","traits":{"age":7},"messageId":"m"}')
                recovery.record_answer(bob, dropped)

                method, params = recovery.calls()[-1]
                user = json.loads(params)
                self.assertEqual((method, user["userId"]), ("basic.identify", "bob" if is_taken else "alice"))
                # Its traits go with no event, and the program may make the call again under its id.
                self.assertNotIn("traits", user)
                self.assertNotEqual(user.get("messageId"), "m")

    async def test_knows_of_a_brand_that_has_ended_what_the_last_host_knew(self) -> None:
        init, reset, credentials = (
            Call("init", b'{"brandId":"925"}'), Call("reset", b'{"all":true}'), Call("setCredentials", b'{"key":"then"}'),
        )  # fmt: skip
        init.id, reset.id, credentials.id = 1, 2, 0
        recovery = Recovery()
        recovery.record_answer(credentials, {})
        recovery.record_answer(reset, {}, unanswered=[init])

        self.assertEqual([method for method, _ in recovery.calls()], ["setCredentials"])
        self.assertEqual(recovery.endings(), [(2, "reset", b'{"repeats":"answered","all":true}')])

        credentials.id = 3
        for calls in ([reset, credentials], [credentials, reset]):
            recovery = Recovery()
            for call in [init, *calls]:
                recovery.record_answer(call, {})
            self.assertEqual([method for _, method, _ in recovery.endings()], ["reset", "setCredentials"])

    async def test_knows_what_was_decided_and_set_around_a_brand_that_has_ended(self) -> None:
        consent, init, key = (
            Call("setConsent", b'{"consent":"denied"}'), Call("init", b'{"brandId":"925"}'), Call("setCredentials", b'{"key":"k"}'),
        )  # fmt: skip
        reset, headers = Call("reset", b'{"all":true}'), Call("setCredentials", b'{"key":null,"headers":{"X":"1"}}')
        init.id, reset.id, key.id, headers.id = 1, 2, 3, 4
        recovery = Recovery()
        recovery.record_answer(consent, {})
        recovery.record_answer(reset, {}, unanswered=[init])
        self.assertEqual(recovery.calls(), [])

        recovery = Recovery()
        for call in (init, key, headers, reset):
            recovery.record_answer(call, {})
        self.assertEqual(json.loads(recovery.endings()[-1][2]), {"key": "k", "headers": {"X": "1"}})

    async def test_takes_a_reset_that_was_answered_before_for_nothing(self) -> None:
        setup = Call("analytics.initialize", b'{"options":{"writeKey":"w"}}')
        reset, other = Call("analytics.reset", b'{"messageId":"r"}'), Call("analytics.reset", b'{"messageId":"s"}')
        recovery = Recovery()
        for call in (setup, reset, setup, reset):
            recovery.record_answer(call, {})

        self.assertEqual([method for method, _ in recovery.calls()], ["analytics.initialize"])
        self.assertEqual((recovery.may_have_ended(reset), recovery.may_have_ended(other)), (False, True))

    async def test_says_once_of_a_call_that_two_hosts_have_had_that_it_is_made_again(self) -> None:
        reset = repeated(repeated(KeptParams(b'{"all":true,"messageId":"r"}'), "unanswered"), "unanswered")
        identify = repeated(b'{"userId":"u","traits":{"price":1.10}}', "answered")

        self.assertEqual(json.loads(reset), {"all": True, "messageId": "r", "repeats": "unanswered"})
        self.assertEqual(members_of(reset), json.loads(reset))
        self.assertEqual(identify, b'{"repeats":"answered","userId":"u","traits":{"price":1.10}}')

    async def test_knows_the_last_user_though_the_identify_before_is_answered_later(self) -> None:
        recovery = Recovery()
        alice, bob = Call("basic.identify", b'{"userId":"alice"}'), Call("basic.identify", b'{"userId":"bob"}')
        alice.id, bob.id = 1, 2
        recovery.record_answer(Call("basic.initialize", b"{}"), {})
        recovery.record_answer(bob, {"status": "dropped", "reason": "QUEUE_FULL"})
        recovery.record_answer(alice, {"status": "queued"})

        self.assertEqual(json.loads(recovery.calls()[-1][1])["userId"], "bob")

    async def test_knows_the_user_that_an_earlier_call_names_after_a_restart(self) -> None:
        """The call was made before the host died, and is answered after the one that restores the user before it."""
        recovery = Recovery()
        again, bob = Call("basic.identify", b'{"userId":"alice"}'), Call("basic.identify", b'{"userId":"bob"}')
        again.id, bob.id = 7, 2
        recovery.record_answer(Call("basic.initialize", b"{}"), {})
        recovery.record_answer(again, {"status": "queued"}, is_replay=True)
        recovery.record_answer(bob, {"status": "queued"})

        self.assertEqual(recovery.calls()[-1], ("basic.identify", b'{"repeats":"answered","userId":"bob"}'))

    async def test_takes_an_init_for_another_brand_if_a_reset_of_everything_was_answered_during_the_first(self) -> None:
        for is_early in (True, False):
            tracker, collector = self.real_async(), self.start_collector()
            collector.faults(["delay=60000"])
            first = tracker.init("1", collector.config())
            collector.wait(kind="session")
            await tracker.reset(all=True)

            early = tracker.init("2", collector.config()) if is_early else None
            self._kill(tracker)
            if early is None:
                await self._restarted(tracker)
            await _settled(early or tracker.init("2", collector.config()))

            self.assertEqual(await tracker.get_brand_id(), "2")
            if is_early:
                with self.assertRaisesCode("INIT_ERROR"):
                    await first
            else:
                # The second may have come while the first was still made again.
                with contextlib.suppress(MobileTrackerError):
                    await _settled(first)
            await tracker.shutdown()

    async def test_takes_an_init_for_another_brand_after_a_reset_of_everything_and_two_kills(self) -> None:
        tracker = self.real_async()
        await tracker.init("1", self.collector.config())
        await tracker.reset(all=True)

        for _ in range(2):
            self._kill(tracker)
            await self._restarted(tracker)
        await tracker.init("2", self.collector.config())

        self.assertEqual(await tracker.get_brand_id(), "2")

    async def test_a_forked_child_takes_an_init_for_another_brand_after_a_reset_of_everything(self) -> None:
        with mock.patch.object(IOThread, "_start"):
            tracker = AsyncMobileTracker(host_path="/nowhere")
            calls = [tracker.init("1", self.collector.config()), tracker.reset(all=True)]
            link = tracker._channel.link
            link.become_child()

        ((_, method, params),) = link.recovery.endings()
        self.assertEqual((method, json.loads(params)["repeats"]), ("reset", "answered"))
        for call in calls:
            with self.assertRaisesCode("HOST_EXITED"):
                await call

    async def _restarted(self, tracker: AsyncMobileTracker) -> None:
        """Waits for a host that has got the calls which bring back its clients."""
        try:
            await tracker.get_debug_info()
        except MobileTrackerError:
            await tracker.get_debug_info()

    async def _end(self, tracker: AsyncMobileTracker, manner: str) -> None:
        if manner == "kill":
            self._kill(tracker)
        else:
            await tracker.shutdown()

    async def test_knows_in_a_forked_child_what_the_thread_of_its_parent_has_not_taken_yet(self) -> None:
        with mock.patch.object(IOThread, "_start"):
            tracker = AsyncMobileTracker(host_path="/nowhere")
            initialized = tracker.init("925", self.collector.config())
            reset = tracker.analytics.reset()
            link = tracker._channel.link
            link.become_child()

        self.assertEqual([method for method, _ in link.recovery.calls()], ["init", "analytics.reset"])
        for call in (initialized, reset):
            with self.assertRaisesCode("HOST_EXITED"):
                await call

    async def test_a_forked_child_is_subscribed_to_what_the_thread_of_its_parent_has_not_taken_yet(self) -> None:
        with mock.patch.object(IOThread, "_start"):
            tracker = AsyncMobileTracker(host_path="/nowhere")
            tracker.on("delivered", print)
            link = tracker._channel.link
            link.become_child()

        self.assertEqual(link.recovery.calls(), [("host.subscribe", b'["delivered"]')])

    async def test_keeps_over_a_shutdown_what_holds_from_the_next_init_on(self) -> None:
        tracker = self.real_async()
        await tracker.set_consent("denied")
        await tracker.shutdown()

        await tracker.init("925", self.collector.config())

        self.assertEqual((await tracker.track("A")).reason, "TRACKING_NOT_ALLOWED")

    async def test_tracks_the_initial_screen_once(self) -> None:
        tracker = self.real_async()
        await tracker.init("925", self.collector.config(initial_screen="Home"))
        self.collector.wait(name="VIEW_PAGE")

        self._kill(tracker)
        await _settled(tracker.track("NEXT"))
        await tracker.flush()

        self.assertEqual(self.collector.names(), ["VIEW_PAGE", "NEXT"])

    async def test_tracks_the_initial_screen_after_an_init_without_a_session(self) -> None:
        tracker = self.real_async()
        config = self.collector.config(initial_screen="Home")
        self.collector.faults(["503×always"])
        with self.assertRaisesCode("SESSION_CREATION_FAILED"):
            await tracker.init("925", config)
        self.collector.faults([])

        self._kill(tracker)
        await _settled(tracker.init("925", config))
        await tracker.track("NEXT")
        await tracker.flush()

        self.assertEqual(self.collector.names(), ["VIEW_PAGE", "NEXT"])

    async def test_is_without_the_debug_log_of_analytics(self) -> None:
        tracker = self.real_async()
        levels: list[str] = []
        tracker.on("log", lambda entry: levels.append(entry["level"]))
        await tracker.analytics.initialize({"write_key": KEY, "ingestion_host": self.collector.url})
        await tracker.analytics.enable_debug_logging()
        await tracker.analytics.track("A")
        await tracker.analytics.flush()
        self.assertIn("debug", levels)

        self._kill(tracker)
        await _settled(tracker.analytics.track("B"))
        levels.clear()
        await tracker.analytics.track("C")
        await tracker.analytics.flush()

        self.assertEqual(levels, [])

    def _kill(self, tracker: AsyncMobileTracker) -> None:
        assert tracker._channel.link.host
        os.kill(tracker._channel.link.host, signal.SIGKILL)

    async def _play(
        self, tracker_of: Callable[..., Any], scenario: dict[str, Any], *, over_agent: bool = False
    ) -> None:
        self.collector.clear()
        self.warnings.clear()
        with self.subTest(scenario["name"]), tempfile.TemporaryDirectory() as folder:
            stage = Stage(self, tracker_of, scenario.get("host", 'exec "$HOST" "$@"'), Path(folder), over_agent=over_agent)
            try:
                for step in scenario["steps"]:
                    await stage.play(step)
                self.assertEqual(self.collector.problems(), [])
            finally:
                await _settled(stage.tracker.close())
                stage.end()
