"""The calls that a new host needs before all others."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

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
    """What was set last, together."""
    setup: tuple[str, bytes] | None = None
    user: tuple[str, bytes] | None = None
    is_held: bool = False
    """Whether the setup has ended with the error after which the host keeps what is tracked."""
    is_ended: bool = False
    """Whether `reset(all=True)` has ended its brand."""

    @property
    def calls(self) -> list[tuple[str, bytes]]:
        user = self.user if self.setup else None
        calls = (self.defaults, self.reset, self.consent, self.credentials, self.setup, user)
        return [call for call in calls if call]

    @property
    def is_on_disk(self) -> bool:
        """Whether its state outlives the host: with `persistence` as `memory` it does not."""
        return self.setup is not None and _config_of(json.loads(self.setup[1])).get("persistence") != "memory"

    def begin(self, setup: tuple[str, bytes] | None, *, is_held: bool = False) -> None:
        if self.setup and not self.is_held and setup != self.setup:
            # A client that goes on with another setup has the credentials of that one.
            self.credentials = None
        if setup:
            self.reset = None
        self.setup, self.is_held, self.is_ended = setup, is_held, False

    def keep_reset(self, method: str, params: bytes) -> None:
        """Keeps a reset that the next setup is to apply. One of everything stays."""
        if not self.setup and not (self.reset and _is_of_all(self.reset[1])):
            self.reset = (method, params)

    def set(self, method: str, params: bytes) -> None:
        last = json.loads(self.credentials[1]) if self.credentials else {}
        given = {name: value for name, value in json.loads(params).items() if value is not None}
        self.credentials = (method, json.dumps(last | given).encode())

    def end(self) -> None:
        self.begin(None)


class Recovery:
    """The calls that restore what the last host had in memory only, by what the method table says of each.

    Everything else is on disk, or in the calls that the last host did not answer.
    """

    def __init__(self) -> None:
        self._clients = {row.client: _Client() for row in ROWS.values()}
        self._topics: list[str] = []

    def record_answer(self, method: str, params: bytes, result: dict[str, Any]) -> None:
        """Remembers a call that the host answered with a result."""
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
                    client.begin((method, _again(row, params)))
            case "user" if result.get("status") != "dropped":
                client.user = (method, params)
            case "credentials":
                client.set(method, params)
            case "defaults":
                client.defaults = (method, params)
            case "ends":
                client.keep_reset(method, params)
                client.end()
            case "endsBrand":
                client.keep_reset(method, params)
                # The host goes on tracking, with a new session, until the next setup.
                client.is_ended = client.is_ended or _is_of_all(params)

    def record_failure(self, method: str, params: bytes, error: MobileTrackerError) -> None:
        """Remembers a call that the host answered with an error. After a setup that found no session, the host keeps
        what is tracked: a new host does the same after the same call. Until a setup succeeds, one that fails otherwise
        ends that."""
        row = ROWS.get(method)
        if not row or row.restores != "setup" or error.code == "INVALID_PARAMS" or error.data.get("cause") == "shutdown":
            return
        client = self._clients[row.client]
        if error.code == row.holds_after:
            client.begin((method, params), is_held=True)
        elif client.is_held or client.is_ended:
            client.end()

    @property
    def ended_setups(self) -> set[str]:
        """The methods whose brand, for which a new host is set up, `reset(all=True)` has ended: the next such call may
        name another."""
        return {client.setup[0] for client in self._clients.values() if client.setup and client.is_ended}

    def subscribe(self, topic: str) -> None:
        """Every further host is to send these notifications."""
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
            name: _Client(client.defaults, client.reset, None if client.setup else client.consent)
            for name, client in self._clients.items()
        }

    def end(self, methods: set[str]) -> None:
        """The next host starts without the clients that these calls set up."""
        for method in methods:
            self._clients[ROWS[method].client].end()


def _subscription(topics: list[str]) -> tuple[str, bytes]:
    return "host.subscribe", json.dumps(topics).encode()


def _again(row: Row, params: bytes) -> bytes:
    """A setup that has succeeded, as it is made again: without what has taken effect."""
    if not row.again:
        return params
    call = json.loads(params)
    config = {**_config_of(call), **row.again}
    call["config"] = {name: value for name, value in config.items() if name not in row.once}
    return json.dumps(call).encode()


def _is_of_all(params: bytes) -> bool:
    """Whether a reset is one of everything."""
    return json.loads(params).get("all") is True


def _config_of(setup: dict[str, Any]) -> dict[str, Any]:
    return setup.get("config") or {}
