"""What a host has to be told after the death of the last."""

from __future__ import annotations

import json
from typing import Any


class Recovery:
    """What a host knows only as long as it lives. All else is on disk, or in the calls that it did not answer."""

    def __init__(self) -> None:
        self._consent: bytes | None = None
        self._init: bytes | None = None
        self._analytics: bytes | None = None
        self._basic: bytes | None = None
        self._basic_user: bytes | None = None
        self._topics: list[str] = []

    def note_answer(self, method: str, params: bytes, result: dict[str, Any]) -> None:
        """The host said yes to a call."""
        match method:
            case "setConsent":
                self._note_consent(params)
            case "init":
                self._init = _in_background(params)
            case "reset":
                # After this the tracker starts anew with the next `init`; until then, calls are for nobody.
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
        """Every host from now on is to send these notifications."""
        if topic not in self._topics:
            self._topics.append(topic)

    def flushes(self) -> list[str]:
        """The flush of each client that may have something to send."""
        used = {"flush": self._init, "analytics.flush": self._analytics, "basic.flush": self._basic}
        return [method for method, params in used.items() if params is not None]

    def calls(self) -> list[tuple[str, bytes]]:
        """The calls to make first, in this order."""
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
        """The host was shut down. The next one starts afresh, and sends the same notifications."""
        self._consent = self._init = self._analytics = self._basic = self._basic_user = None

    def _note_consent(self, params: bytes) -> None:
        """Once a tracker is initialised its consent is on disk, where another process may have changed it since: so
        only one that was given before counts. A tracker without a disk is told every time."""
        is_on_disk = self._init is not None and _config_of(json.loads(self._init)).get("persistence") != "memory"
        self._consent = None if is_on_disk else params


def _in_background(params: bytes) -> bytes:
    """The same `init`, for a session that exists or was promised: no failure to make one can fail it."""
    call = json.loads(params)
    call["config"] = {**_config_of(call), "sessionCreation": "inBackground"}
    return json.dumps(call).encode()


def _config_of(init: dict[str, Any]) -> dict[str, Any]:
    return init.get("config") or {}
