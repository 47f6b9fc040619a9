"""The params of rare calls, which this package reads again."""

from __future__ import annotations

import json
from typing import Any

from ._json import loads


class KeptParams(bytes):
    """The JSON text of the params of a call, with what it says. Every call has them but events, which are read by the host
    alone."""

    members: dict[str, Any]
    """Not to be changed."""

    def __new__(cls, text: bytes, members: dict[str, Any] | None = None) -> KeptParams:
        """
        :param members: What the text says, if it is known.
        """
        params = super().__new__(cls, text)
        params.members = loads(text) if members is None else members
        return params

    @classmethod
    def of(cls, **members: Any) -> KeptParams:
        """The params with these members."""
        return cls(json.dumps(members).encode(), members)


def members_of(params: bytes) -> dict[str, Any]:
    """What params say."""
    return params.members if isinstance(params, KeptParams) else loads(params)
