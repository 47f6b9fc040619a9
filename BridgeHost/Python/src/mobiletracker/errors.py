"""Errors of the host, and of starting it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, TypeAlias

from ._fault import client_text
from ._table import NUMBERS
from .protocol import HostErrorCode

ErrorCode: TypeAlias = (
    HostErrorCode | Literal["HOST_NOT_FOUND", "HOST_START_FAILED", "PROTOCOL_MISMATCH", "HOST_EXITED"]
)
"""The code of an error. The last four come from no message: there is no host, it cannot run here, it belongs to another
version of this package, or it ended before it answered."""


class MobileTrackerError(Exception):
    """An error with a stable `code`. Decide by the code, not by the message."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        number: int | None = None,
        retryable: bool = False,
        data: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(code, message)
        self.code = code
        """A stable word, such as `INVALID_BRAND_ID`; see `ErrorCode`."""
        self.message = message
        """A sentence for a developer."""
        self.number = NUMBERS.get(code) if number is None else number
        """The number in JSON-RPC; None for errors that come from no message, such as `HOST_EXITED`."""
        self.retryable = retryable
        """Whether the same call may succeed later."""
        self.data = data or {}
        """What else is known. With `SESSION_CREATION_FAILED`: `status` or `cause`."""

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def copy(self, message: str | None = None) -> MobileTrackerError:
        """The same error for another caller: each has a traceback of its own."""
        sentence = self.message if message is None else message
        return MobileTrackerError(self.code, sentence, number=self.number, retryable=self.retryable, data=self.data)


def described(error: BaseException) -> str:
    """What code of the program has raised, and where. What an error says may be personal, and is not shown."""
    name, place = type(error).__qualname__, error.__traceback__
    if place is None:
        return name
    while place.tb_next is not None:
        place = place.tb_next
    return client_text("errorAt", error=name, place=f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}")


def error_from_answer(error: dict[str, Any]) -> MobileTrackerError:
    """Reads the `error` member of an answer."""
    data = error.get("data")
    if not isinstance(data, dict):
        data = {}
    return MobileTrackerError(
        str(data.get("code", "INTERNAL_ERROR")),
        str(error.get("message", client_text("noReason"))),
        number=error.get("code"),
        retryable=data.get("retryable") is True,
        data=data,
    )


def host_exited(how: str, method: str = "") -> MobileTrackerError:
    """The error of a call whose host ended. `how` is for the middle of a sentence."""
    return MobileTrackerError("HOST_EXITED", client_text("hostEnded", how=how, method=method or None), retryable=True)


def message_too_large(method: str, limit: int) -> MobileTrackerError:
    """The error of a call that is longer than the host accepts. `limit` says how long a message may be, in bytes."""
    sentence = client_text("callTooLarge", method=method, limit=limit)
    return MobileTrackerError("MESSAGE_TOO_LARGE", sentence, data={"limit": limit})


def ended_too_often(how: str) -> MobileTrackerError:
    """The error of calls while the host is not started again."""
    return MobileTrackerError("HOST_EXITED", client_text("hostEndedTooOften", how=how), retryable=True)


def not_started(how: str) -> MobileTrackerError:
    """The error of calls while the system cannot start the host."""
    return MobileTrackerError("HOST_START_FAILED", client_text("hostNotStarted", how=how), retryable=True)


def agent_not_reached(path: Path, how: str, *, is_absent: bool) -> MobileTrackerError:
    """The error of calls while there is no agent."""
    sentence = client_text("agentNotReached", path=path, how=how, absent="" if is_absent else None)
    return MobileTrackerError("HOST_START_FAILED", sentence, retryable=True)


def protocol_mismatch(path: str, info: dict[str, Any], version: int) -> MobileTrackerError:
    """The error of calls to a host of another version."""
    theirs, protocol = info.get("version"), info.get("protocolVersion")
    return MobileTrackerError(
        "PROTOCOL_MISMATCH",
        client_text("otherProtocol", path=path, version=theirs, theirs=protocol, ours=version),
        data={"hostVersion": theirs, "hostProtocol": protocol, "clientProtocol": version},
    )
