"""The calls that a new host needs before all others."""

from __future__ import annotations

import json
from typing import Any


class Recovery:
    """The calls that restore what the last host had in memory only.

    Everything else is on disk, or in the calls that the last host did not answer.
    """

    def __init__(self) -> None:
        self._consent: bytes | None = None
        self._init: bytes | None = None
        self._analytics: bytes | None = None
        self._basic: bytes | None = None
        self._basic_user: bytes | None = None
        self._topics: list[str] = []

    def record_answer(self, method: str, params: bytes, result: dict[str, Any]) -> None:
        """Remembers a call that the host answered with a result."""
        match method:
            case "setConsent":
                self._keep_consent(params)
            case "init":
                self._init = _in_background(params)
            case "reset":
                # `reset(all=True)` ends the tracker until the next `init`.
                if json.loads(params).get("all") is True:
                    self._init = None
            case "analytics.initialize":
                self._analytics = params
            case "analytics.reset":
                self._analytics = None
            case "basic.initialize":
                self._basic = params
            case "basic.identify":
                if result.get("status") != "dropped":
                    self._basic_user = params

    def subscribe(self, topic: str) -> None:
        """Every further host is to send these notifications."""
        if topic not in self._topics:
            self._topics.append(topic)

    def flushes(self) -> list[str]:
        """The flush of each client that may have something to send."""
        used = {"flush": self._init, "analytics.flush": self._analytics, "basic.flush": self._basic}
        return [method for method, params in used.items() if params is not None]

    def calls(self) -> list[tuple[str, bytes]]:
        """The calls for a new host, in this order."""
        kept = [
            ("setConsent", self._consent),
            ("init", self._init),
            ("analytics.initialize", self._analytics),
            ("basic.initialize", self._basic),
            ("basic.identify", self._basic_user if self._basic is not None else None),
            ("host.subscribe", json.dumps(self._topics).encode() if self._topics else None),
        ]
        return [(method, params) for method, params in kept if params is not None]

    def clear(self) -> None:
        """The host was shut down: the next one starts without clients. Subscriptions to notifications stay."""
        self._consent = self._init = self._analytics = self._basic = self._basic_user = None

    def _keep_consent(self, params: bytes) -> None:
        """Consent is remembered only before `init`. After it, consent is on disk, and another process may have changed
        it since. With `persistence` as `memory` consent is always remembered."""
        is_on_disk = self._init is not None and _config_of(json.loads(self._init)).get("persistence") != "memory"
        self._consent = None if is_on_disk else params


def _in_background(params: bytes) -> bytes:
    """The same `init`, but one that does not wait for a session, since the first `init` has succeeded already."""
    call = json.loads(params)
    call["config"] = {**_config_of(call), "sessionCreation": "inBackground"}
    return json.dumps(call).encode()


def _config_of(init: dict[str, Any]) -> dict[str, Any]:
    return init.get("config") or {}
