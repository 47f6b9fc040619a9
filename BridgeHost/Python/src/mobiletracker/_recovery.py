"""The calls that a new host needs before all others."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from ._call import Call
from ._kept_params import KeptParams, members_of
from ._off import why_off
from ._row import Gives, Row
from ._table import ROWS
from .errors import MobileTrackerError


SETUPS = frozenset(row.method for row in ROWS.values() if row.restores == "setup")
"""The methods that begin a client."""


_MOST_RESETS = 1000
"""How many message ids of resets are remembered."""


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
    next_credentials: tuple[str, bytes] | None = None
    """What was set since the brand has ended, together: the next setup takes it too."""
    setup: tuple[str, bytes] | None = None
    user: tuple[str, bytes] | None = None
    named_by: int = 0
    """The id of the call that has named the user: an earlier one may be answered later, if its event was still written."""
    is_held: bool = False
    """Whether the setup has ended with the error after which the host keeps what is tracked."""
    endings: list[tuple[int, str, bytes]] = field(default_factory=list)
    """The resets of everything since the setup, in order, with their ids: the next setup may name another brand."""
    last_sets: dict[str, tuple[int, str, bytes]] = field(default_factory=dict)
    """The calls that set the key and the headers last, by these names, with their ids."""

    @property
    def calls(self) -> list[tuple[str, bytes]]:
        own: tuple[tuple[str, bytes] | None, ...] = (self.kept_credentials, self.setup)
        if self.setup and not self.is_off:
            own = (self.credentials, self.setup, self.kept_credentials if self.is_held else None)
        # The last host has made the event.
        user = (self.user[0], repeated(self.user[1], "answered")) if self.setup and self.user else None
        return [call for call in (self.defaults, self.reset, self.consent, *own, user) if call]

    @property
    def is_off(self) -> bool:
        """Whether it is turned off, so that the host stores nothing of it."""
        return self.setup is not None and why_off(ROWS[self.setup[0]], members_of(self.setup[1])) is not None

    @property
    def is_on_disk(self) -> bool:
        """Whether its state outlives the host: with `persistence` as `memory` it does not."""
        return self.setup is not None and _is_on_disk(*self.setup)

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
        # One that turns the client off leaves these to the next.
        is_on = setup is not None and not self.is_off
        if is_on:
            self.reset = None
        if not is_replay:
            if self.next_credentials:
                self.kept_credentials = _merged(self.kept_credentials, *self.next_credentials)
            self.next_credentials = None
            self.credentials = self.kept_credentials if is_on else None
            self.kept_credentials = None if is_on else self.kept_credentials
        if is_answered and self.is_on_disk:
            # A decision from before is on disk by now, where another process may change it since.
            self.consent = None
        if not is_replay:
            self.endings = [ending for ending in self.endings if ending[0] > id]
        if not is_replay:
            # It was answered before the setup that was made before it.
            self._set_since(id)

    def keep_reset(self, method: str, params: bytes) -> None:
        """Keeps a reset that the next setup is to apply, of a client that is on. One of everything stays."""
        if (not self.setup or self.is_off) and not (self.reset and _is_of_all(self.reset[1])):
            self.reset = (method, params)

    def end_brand(self, id: int, method: str, params: bytes, setups: list[int]) -> None:
        """Takes a reset of everything.

        :param setups: The ids of this client's setups that have no answer.
        """
        if not self.setup and not any(setup < id for setup in setups):
            return
        # One before it counts if it has ended what another setup came after.
        kept = [ending for ending in self.endings if any(ending[0] < setup < id for setup in setups)]
        self.endings = [*kept, (id, method, params)]
        # It was answered before the reset that was made before it.
        self._set_since(id)

    def set(self, id: int, method: str, params: bytes) -> None:
        """Takes a call that sets credentials."""
        for name, value in members_of(params).items():
            if value is not None:
                self.last_sets[name] = id, method, params
        is_running = self.setup is not None and not self.is_off and not self.is_held
        if is_running:
            self.credentials = _merged(self.credentials, method, params)
        else:
            self.kept_credentials = _merged(self.kept_credentials, method, params)
        if self.endings and id > self.endings[-1][0]:
            self.next_credentials = _merged(self.next_credentials, method, params)

    def _set_since(self, id: float) -> None:
        """Takes what was set after a call once more."""
        for later in sorted({call for call in self.last_sets.values() if call[0] > id}):
            self.set(*later)

    def end(self) -> None:
        self.begin(None)


class Recovery:
    """The calls that restore what the last host had in memory only, by what the method table says of each.

    Everything else is on disk, or in the calls that the last host did not answer.
    """

    def __init__(self) -> None:
        self._clients = {row.client: _Client() for row in ROWS.values()}
        self._topics: list[str] = []
        self._resets: dict[str, None] = {}
        """The message ids of the last resets that were answered: once more, they end nothing."""

    def record_answer(
        self,
        call: Call,
        result: dict[str, Any],
        *,
        is_answered: bool = True,
        is_replay: bool = False,
        unanswered: Iterable[Call] = (),
    ) -> None:
        """Remembers a call that the host answered with a result.

        :param is_answered: Whether it has done so; otherwise it is about to.
        :param is_replay: Whether it is one of :meth:`calls`.
        :param unanswered: The calls without an answer.
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
                    # Its traits go with no event.
                    user = KeptParams.of(userId=members_of(params)["userId"])
                    client.user, client.named_by = (method, user), call.id
            case "credentials" if not is_replay:
                client.set(call.id, method, params)
            case "defaults":
                client.defaults = (method, params)
            case "ends" if is_replay or self._is_first(params):
                client.keep_reset(method, params)
                client.end()
            case "endsBrand" if not is_replay and self._is_first(params):
                all_setups = (other for other in unanswered if other.method in SETUPS)
                setups = [other for other in all_setups if ROWS[other.method].client == row.client]
                before = [setup for setup in setups if setup.id < call.id]
                # One that a setup was waiting before has had its effect there: another brand's has nothing of it.
                if not before:
                    client.keep_reset(method, params)
                # So has a decision from before that setup.
                if any(_is_on_disk(setup.method, setup.params) for setup in before):
                    client.consent = None
                # The host goes on tracking, with a new session, until the next setup.
                if _is_of_all(params):
                    client.end_brand(call.id, method, params, [setup.id for setup in setups])

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
        elif client.is_held or client.endings:
            client.end()

    def endings(self) -> list[tuple[int, str, bytes]]:
        """The calls that are to be made in their places among those without an answer: the resets that have ended the brand
        of a setup, which the new host gets once more."""
        endings = []
        for client in self._clients.values():
            endings += [(id, method, repeated(params, "answered")) for id, method, params in client.endings]
            if client.next_credentials:
                endings.append((client.endings[-1][0], *client.next_credentials))
        return endings

    def may_have_ended(self, call: Call) -> bool:
        """Whether a call that the last host may have had has ended something there."""
        return ends_setup(call.method, call.params) and members_of(call.params).get("messageId") not in self._resets

    def _is_first(self, params: bytes) -> bool:
        """Whether no reset under this message id was answered before."""
        message_id = members_of(params).get("messageId")
        if message_id in self._resets:
            return False
        if message_id is not None:
            self._resets[message_id] = None
        if len(self._resets) > _MOST_RESETS:
            del self._resets[next(iter(self._resets))]
        return True

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


def _subscription(topics: list[str]) -> tuple[str, bytes]:
    return "host.subscribe", json.dumps(topics).encode()


def _again(row: Row, params: bytes) -> bytes:
    """A setup that has succeeded, as it is made again: without what has taken effect."""
    if not row.again:
        return params
    call = members_of(params)
    config = {**_config_of(call), **row.again}
    return KeptParams.of(**{**call, "config": {name: value for name, value in config.items() if name not in row.once}})


def _merged(last: tuple[str, bytes] | None, method: str, params: bytes) -> tuple[str, bytes]:
    """Credentials that were set one after the other."""
    given = {name: value for name, value in members_of(params).items() if value is not None}
    return method, KeptParams.of(**(members_of(last[1]) if last else {}) | given)


def ends_setup(method: str, params: bytes) -> bool:
    """Whether a call ends a client, or the brand that it is set up for."""
    ends = ROWS[method].ends if method in ROWS else None
    return ends == "always" or (ends == "all" and _is_of_all(params))


def repeated(params: bytes, repeats: Literal["unanswered", "answered"]) -> bytes:
    """The params of a call that the last host has had, as a new one gets them.

    :returns: The text of an event stays as it is besides: an exact number stays one.
    """
    if isinstance(params, KeptParams):
        return KeptParams.of(**{**params.members, "repeats": repeats})
    return b'{"repeats":"%b",%b' % (repeats.encode(), params[1:])


def _is_on_disk(method: str, params: bytes) -> bool:
    """Whether what a setup begins outlives the host."""
    call = members_of(params)
    return why_off(ROWS[method], call) is None and _config_of(call).get("persistence") != "memory"


def _is_of_all(params: bytes) -> bool:
    """Whether a reset is one of everything."""
    return members_of(params).get("all") is True


def _config_of(setup: dict[str, Any]) -> dict[str, Any]:
    return setup.get("config") or {}
