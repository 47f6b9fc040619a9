"""The calls that a new host needs before all others."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ._call import Call
from ._ids import time_ordered_uuid
from ._json import loads
from ._off import why_off
from ._row import Gives, Row
from ._table import ROWS
from .errors import MobileTrackerError


SETUPS = frozenset(row.method for row in ROWS.values() if row.restores == "setup")
"""The methods that begin a client."""


@dataclass(slots=True)
class _Client:
    """The calls that restore one client, in this order."""

    defaults: tuple[str, bytes] | None = None
    """What every call is given. It holds over the client's end."""
    reset: tuple[str, bytes] | None = None
    """A reset from before the setup, which applies it."""
    consent: tuple[str, bytes] | None = None
    credentials: tuple[str, bytes] | None = None
    """What was set since the setup, together."""
    kept_credentials: tuple[str, bytes] | None = None
    """What was set while there was nothing to deliver with it, together: the next setup takes it."""
    setup: tuple[str, bytes] | None = None
    setup_id: float = 0
    """The id of the call that has set it up."""
    user: tuple[str, bytes] | None = None
    named_by: int = 0
    """The id of the call that has named the user: an earlier one may be answered later, if its event was still written."""
    is_held: bool = False
    """Whether the setup has ended with the error after which the host keeps what is tracked."""
    ended_by: int = 0
    """The id of the last `reset(all=True)` that has ended the brand of the setup before it; 0 if the setup came after it."""
    last_set: tuple[int, str, bytes] | None = None
    """What was set last, with the id of the call."""

    @property
    def calls(self) -> list[tuple[str, bytes]]:
        own: tuple[tuple[str, bytes] | None, ...] = (self.kept_credentials, self.setup)
        if self.setup and not self.is_off:
            own = (self.credentials, self.setup, self.kept_credentials if self.is_held else None)
        user = self.user if self.setup else None
        return [call for call in (self.defaults, self.reset, self.consent, *own, user) if call]

    @property
    def is_off(self) -> bool:
        """Whether it is turned off, so that the host stores nothing of it."""
        return self.setup is not None and why_off(ROWS[self.setup[0]], loads(self.setup[1])) is not None

    @property
    def is_on_disk(self) -> bool:
        """Whether its state outlives the host: with `persistence` as `memory` it does not."""
        if self.setup is None or self.is_off:
            return False
        return _config_of(loads(self.setup[1])).get("persistence") != "memory"

    def begin(
        self,
        setup: tuple[str, bytes] | None,
        *,
        is_held: bool = False,
        id: float = math.inf,
        is_answered: bool = True,
        is_replay: bool = False,
    ) -> None:
        """
        :param is_replay: Whether a new host is brought to where the last one was.
        """
        self.setup, self.is_held = setup, is_held
        if not is_replay:
            self.setup_id = id
        # One that turns the client off leaves these to the next.
        is_on = setup is not None and not self.is_off
        if is_on:
            self.reset = None
        if not is_replay:
            self.credentials = self.kept_credentials if is_on else None
            self.kept_credentials = None if is_on else self.kept_credentials
        if is_answered and self.is_on_disk:
            # A decision from before is on disk by now, where another process may change it since.
            self.consent = None
        if id > self.ended_by:
            self.ended_by = 0
        if not is_replay and self.last_set and self.last_set[0] > id:
            # It was answered before the setup that was made before it.
            self.set(*self.last_set)

    def keep_reset(self, method: str, params: bytes) -> None:
        """Keeps a reset that the next setup is to apply, of a client that is on. One of everything stays."""
        if (not self.setup or self.is_off) and not (self.reset and _is_of_all(self.reset[1])):
            self.reset = (method, params)

    def set(self, id: int, method: str, params: bytes) -> None:
        """Takes a call that sets credentials."""
        self.last_set = id, method, params
        is_running = self.setup is not None and not self.is_off and not self.is_held
        if is_running:
            self.credentials = _merged(self.credentials, method, params)
        if not is_running or self.ended_by:
            self.kept_credentials = _merged(self.kept_credentials, method, params)

    def end(self) -> None:
        self.begin(None)


class Recovery:
    """The calls that restore what the last host had in memory only, by what the method table says of each.

    Everything else is on disk, or in the calls that the last host did not answer.
    """

    def __init__(self) -> None:
        self._clients = {row.client: _Client() for row in ROWS.values()}
        self._topics: list[str] = []

    def record_answer(
        self, call: Call, result: dict[str, Any], *, is_answered: bool = True, is_replay: bool = False
    ) -> None:
        """Remembers a call that the host answered with a result.

        :param is_answered: Whether it has done so; otherwise it is about to.
        :param is_replay: Whether it is one of :meth:`calls`.
        """
        method, params = call.method, call.params
        if not (row := ROWS.get(method)):
            return
        client = self._clients[row.client]
        match row.restores:
            case "consent":
                # Once it is on disk, another process may have changed it since.
                client.consent = None if client.is_on_disk else (method, params)
            case "setup":
                # After an ignored one the client goes on with its last setup.
                if not (result.get("ignored") and client.setup):
                    setup = method, _again(row, params)
                    client.begin(setup, id=call.id, is_answered=is_answered, is_replay=is_replay)
            case "user" if not is_replay and call.id >= client.named_by:
                if result.get("status") != "dropped":
                    client.user, client.named_by = (method, params), call.id
                # Of a client that is not set up the host has checked nothing.
                elif client.setup and result.get("reason") in row.holds_if_dropped:
                    client.user, client.named_by = (method, _without_traits(params, client.user)), call.id
            case "credentials" if not is_replay:
                client.set(call.id, method, params)
            case "defaults":
                client.defaults = (method, params)
            case "ends":
                client.keep_reset(method, params)
                client.end()
            case "endsBrand":
                client.keep_reset(method, params)
                # The host goes on tracking, with a new session, until the next setup.
                if _is_of_all(params):
                    client.ended_by = call.id

    def record_failure(self, call: Call, error: MobileTrackerError, *, is_replay: bool = False) -> None:
        """Remembers a call that the host answered with an error. After a setup that found no session, the host keeps
        what is tracked: a new host does the same after the same call. Until a setup succeeds, one that fails otherwise
        ends that."""
        row = ROWS.get(call.method)
        if not row or row.restores != "setup" or error.code == "INVALID_PARAMS" or error.data.get("cause") == "shutdown":
            return
        client = self._clients[row.client]
        if error.code == row.holds_after:
            client.begin((call.method, call.params), is_held=True, id=call.id, is_replay=is_replay)
        elif client.is_held or client.ended_by > 0:
            client.end()

    def ended_setups(self, unanswered: Iterable[Call], last: Mapping[str, int] = MappingProxyType({})) -> dict[str, int]:
        """The methods that set up a client, in the last host or once more in the next, that has ended since, or its brand:
        the next such call may name another. A reset without an answer may have taken effect. Then it does not end what the
        next host is set up for.

        :param last: Those of the last host.
        :returns: Each with the id of the first reset that has ended it.
        """
        calls = [*unanswered]
        resets = [call for call in calls if call.is_written and _ends_setup(call)]
        ended = {}
        for method in SETUPS:
            name = ROWS[method].client
            client = self._clients[name]
            own = [call.id for call in resets if ROWS[call.method].client == name]
            for end in sorted(filter(None, [client.ended_by, last.get(method, 0), *own])):
                is_to_come = any(call.method == method and call.id < end for call in calls)
                if end > client.setup_id if client.setup else is_to_come:
                    ended[method] = end
                    break
        return ended

    def is_overtaken(self, call: Call, unanswered: Iterable[Call]) -> bool:
        """Whether an unanswered setup came before a reset of everything that was answered, and another setup came after it.
        The last host would have ended it as soon as it had begun the other one."""
        if call.method not in SETUPS:
            return False
        ended_by = self._clients[ROWS[call.method].client].ended_by
        return call.id < ended_by and any(other.method == call.method and other.id > ended_by for other in unanswered)

    def subscribe(self, topic: str) -> None:
        """Every further host is to send these notifications. Any thread may call this."""
        if topic not in self._topics:
            self._topics.append(topic)

    def flushes(self) -> list[str]:
        """The flush of each client that may have something to send."""
        return [row.method for row in ROWS.values() if row.gives is Gives.REPORT and self._clients[row.client].setup]

    def calls(self) -> list[tuple[str, bytes]]:
        """The calls for a new host, in this order."""
        kept = [call for client in self._clients.values() for call in client.calls]
        # A setup may lack the key since the program is asked for it.
        first = [_subscription(["credentials"])] if "credentials" in self._topics else []
        return first + kept + ([_subscription(self._topics)] if self._topics else [])

    def clear(self) -> None:
        """The host was shut down: the next one starts without clients. Defaults and subscriptions to notifications stay,
        and what was to hold from the next setup on."""
        self._clients = {
            name: _Client(
                client.defaults, client.reset, None if client.setup and not client.is_off else client.consent
            )
            for name, client in self._clients.items()
        }

    def end(self, methods: Iterable[str]) -> None:
        """The next host starts without the clients that these methods have set up."""
        for method in methods:
            self._clients[ROWS[method].client].end()


def _subscription(topics: list[str]) -> tuple[str, bytes]:
    return "host.subscribe", json.dumps(topics).encode()


def _again(row: Row, params: bytes) -> bytes:
    """A setup that has succeeded, as it is made again: without what has taken effect."""
    if not row.again:
        return params
    call = loads(params)
    config = {**_config_of(call), **row.again}
    call["config"] = {name: value for name, value in config.items() if name not in row.once}
    return json.dumps(call).encode()


def _merged(last: tuple[str, bytes] | None, method: str, params: bytes) -> tuple[str, bytes]:
    """Credentials that were set one after the other."""
    given = {name: value for name, value in loads(params).items() if value is not None}
    return method, json.dumps((loads(last[1]) if last else {}) | given).encode()


def _without_traits(params: bytes, last: tuple[str, bytes] | None) -> bytes:
    """An `identify` that was dropped: its traits go with no event. The program may make it again, under its message id.
    Under the id of the one before, a new host takes the user and queues no event: it has had that one."""
    message_id = loads(last[1]).get("messageId") if last else None
    return json.dumps({"userId": loads(params)["userId"], "messageId": message_id or time_ordered_uuid()}).encode()


def _ends_setup(call: Call) -> bool:
    """Whether a call ends a client, or the brand that it is set up for."""
    row = ROWS.get(call.method)
    restores = row.restores if row else None
    return restores == "ends" or (restores == "endsBrand" and _is_of_all(call.params))


def _is_of_all(params: bytes) -> bool:
    """Whether a reset is one of everything."""
    return loads(params).get("all") is True


def _config_of(setup: dict[str, Any]) -> dict[str, Any]:
    return setup.get("config") or {}
