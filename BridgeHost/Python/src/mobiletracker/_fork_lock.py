"""Makes a fork wait while the I/O thread makes descriptors that it has not recorded yet."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_PATIENCE = 5.0
"""How long a fork and a start of a host wait for each other, in seconds. Then both go on: a child that keeps descriptors
does less harm than a program that stands still."""

_lock = threading.RLock()
"""Held during a fork, and during the start of a host. It is reentrant because with gevent the start itself forks."""


@contextmanager
def forks_held_back() -> Iterator[None]:
    """Makes other threads wait before they fork.

    A child gets copies of all descriptors, and closes those that are recorded. If it kept others, the parent could wait
    for the start of its host until the child ends, and the host could miss the end of its parent.
    """
    lock = _lock
    is_held = lock.acquire(timeout=_PATIENCE)
    try:
        yield
    finally:
        if is_held:
            lock.release()


def _before_fork() -> None:
    _lock.acquire(timeout=_PATIENCE)


def _after_fork() -> None:
    try:
        _lock.release()
    except RuntimeError:
        pass  # It was not free in time.


def _after_fork_in_child() -> None:
    global _lock
    # A thread that the child does not have may hold the old one.
    _lock = threading.RLock()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork_in_child)
