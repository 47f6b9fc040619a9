"""What a part of a program gives to every analytics call that it makes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Iterable, Mapping
from contextvars import ContextVar, Token
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from ._json import JSONWriter, SizeFault, ValueFault, fault_of
from ._params import OMITTED, Omitted, text_of_id
from ._row import names_of
from .protocol import Id, Properties
from .receipt import OutcomeCaller

if TYPE_CHECKING:
    from ._channel import Channel

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

_NAMES = names_of("userId", "anonymousId", "groupId", "context", "properties")

_IDS = {"userId", "anonymousId", "groupId"}

_PATHS = {wire: f"scope.{wire}" for wire, _ in _NAMES.values()}
"""What the values are called in a fault."""


class Scope(NamedTuple):
    """The scopes around a call, the outermost first. The host applies them."""

    texts: tuple[bytes, ...] = ()
    """JSON of each."""
    fault: ValueFault | SizeFault | None = None
    """What is wrong with the first one that cannot be written."""

    @property
    def json(self) -> bytes:
        return b"[%b]" % b",".join(self.texts) if self.texts else b""


_current: ContextVar[Scope] = ContextVar("mobiletracker_scope", default=Scope())
"""The scopes around the code that runs: one for every tracker of the process."""


def current_scope() -> Scope:
    """The scopes around the code that runs.

    :raises ValueFault: If one of them cannot be written.
    """
    scope = _current.get()
    if scope.fault is not None:
        raise scope.fault
    return scope


class ScopedCaller(OutcomeCaller[T]):
    """Makes calls that take what the scope around them gives."""

    _channel: Channel

    def scope(
        self,
        *,
        user_id: Id | None | Omitted = OMITTED,
        anonymous_id: Id | None | Omitted = OMITTED,
        group_id: Id | None | Omitted = OMITTED,
        context: Properties | None = None,
        properties: Properties | None = None,
    ) -> ScopeBlock:
        """Gives these values to every analytics call in the block.

            with tracker.analytics.scope(user_id=user.id):
                tracker.analytics.track("Order Completed")

        As a decorator, of functions with `async` too, it does so for each call of a function.

        It holds where context variables do: in what the block calls and awaits, in the tasks that it starts, and in
        `asyncio.to_thread`; not in other threads. What a call says itself wins. A scope inside another one takes over
        what it leaves out, but no id if it names another user.

        :param user_id: The user that the calls are about. Leave it out if you do not know one: with `None` or a blank id
            every call in the block is dropped as `INVALID_VALUE`. So it is with the two other ids.
        :param anonymous_id: The visitor that the calls are about.
        :param group_id: The group that the user belongs to.
        :param context: Facts for the context of each event.
        :param properties: Facts for the properties of each `track`, `screen` and `page`.
        """
        values: dict[str, object] = {"user_id": user_id, "anonymous_id": anonymous_id, "group_id": group_id}
        values = {name: value for name, value in values.items() if value is not OMITTED}
        values |= {name: value for name, value in (("context", context), ("properties", properties)) if value is not None}
        return ScopeBlock(lambda: _inside(_current.get(), self._channel, values))


class ScopeBlock:
    """One block of code in a scope, or as a decorator each call of a function."""

    def __init__(self, scope: Callable[[], Scope]) -> None:
        """
        :param scope: The scopes for a block that begins now.
        """
        self._scope = scope
        self._token: Token[Scope] | None = None

    def __enter__(self) -> None:
        if self._token is not None:
            raise RuntimeError("This scope has had its block: make another one for each block.")
        self._token = _current.set(self._scope())

    def __exit__(self, *_: object) -> None:
        assert self._token is not None
        try:
            _current.reset(self._token)
        except ValueError:
            pass  # The block ends in another context, in which it has changed nothing.

    def __call__(self, function: F) -> F:
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(
                "A scope cannot decorate a generator, which runs with its caller's code in turns: use `with` in it, around "
                "calls and never around a `yield`."
            )

        async def awaited(*arguments: Any, **keywords: Any) -> Any:
            with ScopeBlock(self._scope):
                return await function(*arguments, **keywords)

        async def resumed(coroutine: Coroutine[Any, Any, Any]) -> Any:
            with ScopeBlock(self._scope):
                return await coroutine

        def called(*arguments: Any, **keywords: Any) -> Any:
            with ScopeBlock(self._scope):
                result = function(*arguments, **keywords)
            # A wrapper of an `async` function need not be one itself.
            return resumed(result) if inspect.iscoroutine(result) else result

        return cast(F, wraps(function)(awaited if inspect.iscoroutinefunction(function) else called))


def _inside(outer: Scope, channel: Channel, values: Mapping[str, object]) -> Scope:
    """The scopes with one more, unless it says what the innermost one does: code that schedules itself in its own scope
    would nest them without end."""
    members = {_NAMES[name].wire: value for name, value in values.items()}
    try:
        members |= {wire: text_of_id(value) for wire, value in members.items() if wire in _IDS}
        text = channel.writer.write(members, _PATHS, channel.link.max_params_bytes)
    except Exception as error:
        return outer._replace(fault=outer.fault or fault_of(error, "scope"))
    return outer if outer.texts[-1:] == (text,) else outer._replace(texts=(*outer.texts, text))


def shown(scopes: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Scopes with the names that they have in Python."""
    names = {name.wire: python for python, name in _NAMES.items()}
    return [{names.get(key, key): value for key, value in scope.items()} for scope in scopes]


def written(scopes: Iterable[Mapping[str, Any]], writer: JSONWriter, max_bytes: int, *, is_exact: bool) -> bytes:
    """Scopes as `before_send` has left them, as JSON."""
    texts = []
    for scope in scopes:
        for key, (wire, _) in _NAMES.items():
            if key != wire and key in scope and wire in scope:
                raise ValueFault(["scope", key], "repeated", other=wire)
        members = {_NAMES[key].wire if key in _NAMES else key: value for key, value in scope.items()}
        texts.append(writer.write(members, _PATHS, max_bytes, is_exact=is_exact))
        max_bytes -= len(texts[-1])
        if max_bytes < 0:
            raise SizeFault
    return Scope(tuple(texts)).json
