"""Which calls wait while a new host works on a setup that the link has repeated."""

from __future__ import annotations

import math

from ._call import Call
from ._recovery import ends_setup
from ._table import ROWS


def is_urgent(call: Call) -> bool:
    """Whether a call ends a hold: the setup may wait for it, or it must not wait for a backend."""
    return call.method == "host.shutdown" or (call.method in ROWS and ROWS[call.method].is_urgent)


class SetupHold:
    """Holds back a setup of the program while a new host still works on the same setup, which the link has repeated.

    The host would let it join the repeated one and share its result, such as that there is no session. What is called
    after a held setup is held too, so that the order stays. The link keeps the calls: this knows from which one on they
    wait. Only the I/O thread uses it.
    """

    def __init__(self) -> None:
        self._repeated: dict[str, Call] = {}
        """The repeated setups that the next one would have to wait for, by their methods."""
        self._open: dict[str, Call] = {}
        """All repeated setups without an answer, by their methods."""
        self._ended: set[str] = set()
        """The methods of those whose client has been reset since."""
        self._awaited: Call | None = None
        """The one that calls wait for."""
        self._first: float = math.inf
        """The id of the first call that waits."""

    def begin(self, repeated: list[Call]) -> None:
        """There is a new host, which gets these setups from the link."""
        self._repeated = {call.method: call for call in repeated}
        self._open, self._ended = dict(self._repeated), set()
        self._stop()

    def setup_before(self, call: Call) -> Call | None:
        """The repeated setup that a call has to wait for, if there is one."""
        if call.id < self._first:
            self._awaited = self._repeated.get(call.method)
            if self._awaited:
                self._first = call.id
        return self._awaited

    def record_sent(self, method: str, params: bytes) -> None:
        """A call is sent: a setup behind a reset replaces a repeated one."""
        row = ROWS.get(method)
        for name, repeated in self._open.items():
            if not row or ROWS[name].client != row.client:
                continue
            if name == method and name in self._ended:
                repeated.is_replaced = True
            if ends_setup(method, params):
                self._ended.add(name)
                self._repeated.pop(name, None)

    def record_answer(self, call: Call) -> float:
        """A call has an answer.

        :returns: The id from which on calls are to be sent now; infinite if there are none.
        """
        for calls in (self._repeated, self._open):
            if calls.get(call.method) is call:
                del calls[call.method]
        return self._stop() if call is self._awaited else math.inf

    def end(self) -> float:
        """Ends the hold before its time, and holds nothing more back from this host.

        :returns: The id from which on calls are to be sent now; infinite if there are none.
        """
        if self._awaited:
            self._repeated.clear()
        return self._stop()

    def _stop(self) -> float:
        first = self._first
        self._awaited, self._first = None, math.inf
        return first
