"""What a tracker is made with."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import iscoroutinefunction
from typing import Any, Literal

from ._fault import sentence
from ._hooks import BeforeSend, CredentialsProvider


@dataclass(kw_only=True, eq=False, repr=False)
class TrackerOptions:
    """What a tracker is made with. Make one tracker, and share it: it has a host of its own.

    :param host_path: The path of the host program. Without it the package searches for the host.
    :param host_arguments: Arguments for the host program. Relative paths lead from the working directory in which the
        tracker is made.
    :param agent: The socket of this machine's agent (`BridgeHost --listen`), to connect to instead of starting a host;
        `auto`: the usual places, and a host of the program's own where none listens. Without it
        `MOBILE_TRACKER_AGENT` counts. False: a host of its own, whatever that variable says.
    :param stderr: Where the host's log goes: to this program's stderr (`inherit`), or nowhere (`ignore`).
    :param warnings: Whether to warn by the logger `mobiletracker`, of dropped calls above all.
    :param app_name: The program's name, which is in the path of the default state folder. By default the name of
        the package that runs, else of the script or of the folder that is run.
    :param logger: Receives the warnings and the host's log, instead of the logger `mobiletracker` and stderr.
    :param before_send: Receives each tracking call before it is written. It returns the call, changed or not, or
        None to drop it.
    :param default: Receives each value that JSON does not have, as in `json.dumps`, and returns one that it has.
        Without it, such a value drops its call.
    :param credentials: Gives a client its key and headers, if it was initialised without a key and after the server has
        answered 401. It receives the client's name, and may be `async`. If it raises, or takes longer than 10 s, delivery
        halts.
    """

    host_path: str | os.PathLike[str] | None = None
    host_arguments: Sequence[str] = ()
    agent: str | os.PathLike[str] | Literal[False] | None = None
    stderr: Literal["inherit", "ignore"] = "inherit"
    warnings: bool = True
    app_name: str | None = None
    logger: logging.Logger | None = None
    before_send: BeforeSend | None = None
    default: Callable[[Any], object] | None = None
    credentials: CredentialsProvider | None = None

    def __post_init__(self) -> None:
        """Checks options now: they are used later, on another thread."""
        arguments: object = self.host_arguments
        if isinstance(arguments, str) or not all(isinstance(argument, str) for argument in self.host_arguments):
            raise TypeError(_fault("host_arguments", "strings", example='["--storage-dir", "/var/lib/shop"]'))
        if self.host_path:
            # The host may be started again when the program has gone to another folder.
            self.host_path = os.path.abspath(self.host_path)
        if self.agent not in (None, False) and not (isinstance(self.agent, str | os.PathLike) and os.fspath(self.agent)):
            raise TypeError(_fault("agent", "socket"))
        if self.agent is None:
            self.agent = os.environ.get("MOBILE_TRACKER_AGENT") or None
        if self.agent and self.agent != "auto":
            self.agent = os.path.abspath(self.agent)
        if self.stderr not in ("inherit", "ignore"):
            raise ValueError(_fault("stderr", ["inherit", "ignore"], value=self.stderr))
        if self.app_name is not None and not isinstance(self.app_name, str):
            raise TypeError(_fault("app_name", "string", given=type(self.app_name).__qualname__))
        if self.logger is not None and not callable(getattr(self.logger, "log", None)):
            raise TypeError(_fault("logger", "logger", example='logging.getLogger("shop")'))
        for name, hook in (("before_send", self.before_send), ("default", self.default)):
            if hook is not None and not callable(hook):
                raise TypeError(_fault(name, "function"))
            if iscoroutinefunction(hook):
                raise TypeError(_fault(name, "plainFunction"))
        if self.credentials is not None and not callable(self.credentials):
            raise TypeError(_fault("credentials", "function"))


def _fault(option: str, expected: str | list[str], **facts: object) -> str:
    return sentence("wrongKind", {"option": option, "expected": expected, **facts}) + "."


def arguments_of_host(options: TrackerOptions, folder: str | None) -> list[str]:
    """The arguments with which a host is started, with the program's name.

    Called at the start: a tracker may be made while the package that runs is imported, before its name is known.

    :param folder: From where relative paths lead.
    """
    arguments = [*options.host_arguments, "--log-format", "json"]
    name = options.app_name or program_name(folder)
    if not name or any(argument.partition("=")[0] == "--app-name" for argument in arguments):
        return arguments
    return [*arguments, "--app-name", name]


def working_folder() -> str | None:
    """The working directory, from which relative paths lead also after the program has changed it; None if it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return None


def program_name(folder: str | None) -> str | None:
    """The name of the package that `python -m` runs, else of the script; None if there is neither."""
    spec = getattr(sys.modules.get("__main__"), "__spec__", None)
    # That of a folder or of an archive that is run is named after the file in it, as all are.
    if spec is not None and spec.name not in ("__main__", "__mp_main__"):
        return str(spec.name).removesuffix(".__main__")
    argument = sys.argv[0] if sys.argv else ""
    if argument in ("", "-c", "-m", "-"):
        return None
    # A folder that is run may be given as `.`, or with a slash at the end.
    path = os.path.normpath(os.path.join(folder or os.sep, argument))
    name = os.path.splitext(os.path.basename(path))[0]
    if name == "__main__":
        name = os.path.basename(os.path.dirname(path))
    return name or None
