"""Answers for clients that are turned off, so that no host need run for them."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from typing import Any, NamedTuple

from ._row import Gives, Row

_OFF = ("false", "0", "no", "off")
"""The words that turn tracking off in `MOBILE_TRACKER_ENABLED`."""


class Setup(NamedTuple):
    """A call that has turned a client off."""

    method: str
    params: bytes
    word: str
    """Why, as the host says it."""


class OffClients:
    """The clients that are off. A client that a host has set up is the host's, whatever its next setup says.

    What is not answered here goes to the host, which gets the setup first.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._off: dict[str, Setup] = {}
        self._others: set[str] = set()

    def take(self, row: Row, params: bytes) -> dict[str, Any] | Setup | None:
        """The answer to a call; or what the host must be told before it, if there is something."""
        with self._lock:
            client = row.client
            if row.restores == "setup" and client not in self._others:
                if word := _why_off(row, json.loads(params)):
                    self._off[client] = Setup(row.method, params, word)
                    return {}
                self._off.pop(client, None)
                self._others.add(client)
                return None
            off = self._off.get(client)
            if off is None:
                return None
            if row.gives is Gives.OUTCOME:
                return {"status": "dropped", "reason": "DISABLED", "fault": {"reason": off.word}}
            if row.gives is Gives.REPORT:
                return {"delivered": 0, "remaining": 0}
            del self._off[client]
            self._others.add(client)
            return off

    def clear(self) -> None:
        """The program has closed the tracker."""
        with self._lock:
            self._off.clear()
            self._others.clear()


def _why_off(row: Row, given: Mapping[str, Any]) -> str | None:
    """Why a setup turns its client off; None if it does not."""
    options: Mapping[str, Any] = next((value for param in row.params if isinstance(value := given.get(param.wire), dict)), {})
    enabled = options.get("enabled")
    if enabled is not None:
        return "offByOption" if enabled is False else None
    return "offByEnvironment" if os.environ.get("MOBILE_TRACKER_ENABLED", "").lower() in _OFF else None
