"""Answers for clients that are turned off, as a host would, so that none need run for them."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, NamedTuple

from ._kept_params import members_of
from ._row import Gives, Row
from ._texts import OFF_PHRASES

_OFF = ("false", "0", "no", "off")
"""The words that turn tracking off in `MOBILE_TRACKER_ENABLED`."""


class Kept(NamedTuple):
    """A call that was answered here, and that the host must know of."""

    row: Row
    params: bytes

    @property
    def content(self) -> tuple[str, dict[str, Any]]:
        """What tells it from others: all but the message id."""
        return self.row.method, {**members_of(self.params), "messageId": None}


class OffClients:
    """The clients that are off. A client that a host has set up is the host's, whatever its next setup says.

    What the host must know of the calls that are answered here, it gets before the first call of that client that it gets.
    """

    def __init__(self, *, is_recorder: bool) -> None:
        """
        :param is_recorder: Whether the host records: it answers also for clients that are off, and the environment has no
            effect on it.
        """
        self._is_recorder = is_recorder
        self._lock = threading.RLock()
        """Reentrant: a signal handler or a finaliser may make calls while this thread has it."""
        self._off: dict[str, str] = {}
        """The clients that are off, with the word for why."""
        self._kept: dict[str, list[Kept]] = {}
        self._kept_again: deque[Kept] = deque()
        """Calls that no host took, which are not among the others yet."""
        self._others: set[str] = set()

    @property
    def is_all(self) -> bool:
        """Whether no host is needed: no client has one, and one is off, or all are by the environment."""
        return not (self._others or self._is_recorder) and (bool(self._off) or _is_off_by_environment())

    def take(self, row: Row, params: bytes) -> dict[str, Any] | tuple[list[Kept], list[Kept]]:
        """The answer to a call; or what the host must get before it, and after it: a client must be set up to erase a
        person.
        """
        client = row.client
        is_setup = row.restores == "setup"
        is_off = client in self._off or self.is_all
        # Nothing changes. The I/O thread, on which a logging handler may call, does not wait for the lock.
        if self._is_recorder or not (is_setup or is_off or self._kept.get(client) or self._kept_again):
            return [], []
        with self._lock:
            self._keep_again()
            if is_setup and client not in self._others:
                if word := why_off(row, members_of(params)):
                    self._off[client] = word
                    return {}
                self._off.pop(client, None)
                self._others.add(client)
            if client in self._off or self.is_all:
                return self._answer(row, params)
            kept = self._kept.pop(client, None)
            if not kept:
                return [], []
            first, others = ([call for call in kept if bool(call.row.restores) == is_first] for is_first in (True, False))
            if is_setup:
                return first, others
            if others:
                self._kept[client] = others
            return first, []

    def become_child(self) -> None:
        """After a fork: a thread that only the parent has may have locked it."""
        self._lock = threading.RLock()

    def keep(self, call: Kept) -> None:
        """Keeps a call for the next host. Waits for nobody: the I/O thread must not wait for a thread that a signal handler
        may have interrupted."""
        self._kept_again.append(call)

    def clear(self) -> None:
        """The program has closed the tracker.

        All stays but credentials: a host would have it on disk, and defaults stay in the link.
        """
        with self._lock:
            self._keep_again()
            self._off.clear()
            self._others.clear()
            for calls in self._kept.values():
                calls[:] = [call for call in calls if call.row.restores != "credentials"]

    def _keep_again(self) -> None:
        while self._kept_again:
            self._keep(self._kept_again.popleft())

    def _keep(self, call: Kept) -> None:
        """Of equal calls the host gets the last."""
        others = [other for other in self._kept.get(call.row.client, []) if other.content != call.content]
        self._kept[call.row.client] = [*others, call]

    def _answer(self, row: Row, params: bytes) -> dict[str, Any]:
        word = self._off.get(row.client)
        if row.gives is Gives.OUTCOME:
            if word is None:
                return {"status": "dropped", "reason": "NOT_INITIALIZED"}
            return {"status": "dropped", "reason": "DISABLED", "fault": {"reason": word}}
        if row.repeats:
            self._keep(Kept(row, params))
        match row.when_off:
            case "consent":
                return {row.member: self._consent(row.client) == "granted"}
            case "param":
                return {row.member: members_of(params).get(row.member)}
            case "state":
                info = {"lifecycle": "disabled", "disabledBecause": OFF_PHRASES[word]} if word else {"lifecycle": "idle"}
                return {**info, "queueLength": 0}
            case None:
                return {row.member: None} if row.gives is Gives.MEMBER else {}
        return deepcopy(dict(row.when_off))

    def _consent(self, client: str) -> Any:
        given = [call for call in self._kept.get(client, []) if call.row.restores == "consent"]
        return members_of(given[-1].params).get("consent") if given else "granted"


def why_off(row: Row, given: Mapping[str, Any]) -> str | None:
    """Why a setup turns its client off; None if it does not."""
    options: Mapping[str, Any] = next((value for param in row.params if isinstance(value := given.get(param.wire), dict)), {})
    enabled = options.get("enabled")
    if enabled is not None:
        return "offByOption" if enabled is False else None
    return "offByEnvironment" if _is_off_by_environment() else None


def _is_off_by_environment() -> bool:
    return os.environ.get("MOBILE_TRACKER_ENABLED", "").lower() in _OFF
