"""The calls that a new host needs before all others."""

from __future__ import annotations

import json
from typing import Any

from .errors import MobileTrackerError


class Recovery:
    """The calls that restore what the last host had in memory only.

    Everything else is on disk, or in the calls that the last host did not answer.
    """

    def __init__(self) -> None:
        self._consent: bytes | None = None
        self._init: bytes | None = None
        self._is_held = False
        """Whether that `init` had found no session."""
        self._is_ended = False
        """Whether `reset(all=True)` has ended its brand."""
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
                self._keep_init(_in_background(params))
            case "reset":
                # After `reset(all=True)` the host goes on tracking, with a new session, until the next `init`.
                if json.loads(params).get("all") is True:
                    self._is_ended = True
            case "analytics.initialize":
                self._analytics = params
            case "analytics.reset":
                self._analytics = None
            case "basic.initialize":
                self._basic = params
            case "basic.identify":
                if result.get("status") != "dropped":
                    self._basic_user = params

    def record_failure(self, method: str, params: bytes, error: MobileTrackerError) -> None:
        """Remembers a call that the host answered with an error. After an `init` that found no session, the host keeps
        what is tracked: a new host does the same after the same `init`. Until an `init` succeeds, one that fails
        otherwise ends that."""
        if method != "init" or error.code == "INVALID_PARAMS" or error.data.get("cause") == "shutdown":
            return
        if error.code == "SESSION_CREATION_FAILED":
            self._keep_init(params, is_held=True)
        elif self._is_held or self._is_ended:
            self.end_tracker()

    @property
    def is_brand_ended(self) -> bool:
        """Whether `reset(all=True)` has ended the brand that a new host is initialised for: the next `init` may name
        another."""
        return self._init is not None and self._is_ended

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
        self._consent = self._analytics = self._basic = self._basic_user = None
        self.end_tracker()

    def end_tracker(self) -> None:
        """The next host starts without the session-based tracker."""
        self._init = None
        self._is_held = self._is_ended = False

    def _keep_init(self, params: bytes, *, is_held: bool = False) -> None:
        self._init = params
        self._is_held = is_held
        self._is_ended = False

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
