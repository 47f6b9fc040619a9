"""Lines that the host writes."""

from __future__ import annotations

from typing import Any, NamedTuple

from ._json import loads


class Answer(NamedTuple):
    """The answer to a call. Either `result` or `error` is set."""

    id: int
    result: dict[str, Any] | None
    error: dict[str, Any] | None


class Notification(NamedTuple):
    """A notification from the host."""

    method: str
    params: Any


def read_message(line: str) -> Answer | Notification | None:
    """Reads a line; None if it is neither an answer nor a notification."""
    try:
        message = loads(line)
    except ValueError:
        return None
    match message:
        case {"id": int(number), "error": dict(error)}:
            return Answer(number, None, error)
        case {"id": int(number), "result": dict(result)}:
            return Answer(number, result, None)
        case {"method": str(method)} if "id" not in message:
            return Notification(method, message.get("params"))
        case _:
            return None
