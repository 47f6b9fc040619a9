"""What follows when a host has ended."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ._agent import explain_agent, is_absence
from ._fault import client_text
from ._find import HostEnd, explain_start
from ._limits import CrashLimit
from .errors import MobileTrackerError, agent_not_reached, ended_too_often, not_started


@dataclass(frozen=True, slots=True)
class Consequence:
    """What follows when a host has ended or could not be started, or a connection to an agent has."""

    error: MobileTrackerError
    """Why calls fail, if they do, now or because no other one can be started."""
    warning: str | None
    """What to tell the developer when another one is started; None if none is: every call fails."""


def after_host(crashes: CrashLimit, path: Path, end: HostEnd, had_started: bool) -> Consequence:
    """Decides what follows from the end of a host of the program's own, and counts it.

    :param had_started: Whether it had answered its first request.
    """
    reason = None if had_started else explain_start(path, end)
    # The process did not even begin: the system lacks something now.
    is_obstacle = end.error is not None and not reason
    if is_obstacle:
        crashes.record_obstacle()
    else:
        crashes.record()
    if reason:
        return Consequence(MobileTrackerError("HOST_START_FAILED", reason), None)
    if is_obstacle:
        warning = client_text("hostNotStartedYet", how=end)
        return Consequence(not_started(str(end)), None if crashes.is_blocked else warning)
    warning = client_text("hostEndedUnexpectedly", how=end)
    return Consequence(ended_too_often(str(end)), None if crashes.is_reached else warning)


def after_agent(crashes: CrashLimit, path: Path, end: HostEnd, had_started: bool) -> Consequence:
    """Decides what follows from the end of a connection to an agent, and counts it. The connection is made again: others
    may start the agent."""
    crashes.record_obstacle()
    if reason := None if had_started else explain_agent(path, end.error):
        return Consequence(MobileTrackerError("HOST_START_FAILED", reason), None)
    warning = client_text("agentNotReachedYet", path=path, how=end)
    error = agent_not_reached(path, str(end), is_absent=is_absence(end.error))
    return Consequence(error, None if crashes.is_blocked else warning)
