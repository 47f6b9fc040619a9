"""Finds the host, and says why it does not start."""

from __future__ import annotations

import errno
import os
import platform
import re
import signal
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

from ._fault import client_text
from .errors import MobileTrackerError

_PACKAGE = Path(__file__).resolve().parent

_WRONG_ARGUMENTS = 64
"""The exit code of a program that was called wrongly (sysexits.h, EX_USAGE)."""

_MACHINES = {0x03: "i686", 0x28: "armv7l", 0x3E: "x86_64", 0xB7: "aarch64", 0xF3: "riscv64"}
"""What a processor is called in the header of an ELF file."""


@dataclass(frozen=True, slots=True)
class HostEnd:
    """How a host process ended."""

    code: int | None = None
    signal: int | None = None
    stderr: str = ""
    """The end of what it wrote to stderr."""
    error: OSError | None = None
    """Why it could not be started at all."""
    how: str = ""
    """What has happened, if it is no process."""

    def __str__(self) -> str:
        """For the middle of a sentence."""
        if self.error:
            return str(self.error)
        if self.how:
            return self.how
        if self.signal:
            return client_text("bySignal", signal=_signal_name(self.signal))
        return client_text("exitCode", code=self.code)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # Most real-time signals have only a number.
        return str(number)


def find_host(
    host_path: str | os.PathLike[str] | None = None, folder: str | None = None, *, package: Path = _PACKAGE
) -> Path:
    """Finds the host program: at `host_path`, else at `MOBILE_TRACKER_HOST`, else in the package, else in the build
    folder of the repository that contains the package.

    :param host_path: The path that the caller chose.
    :param folder: From where a relative path leads; the working directory if left out.
    :raises MobileTrackerError: `HOST_NOT_FOUND`. The message lists the places and says how to build; its data have the
        places, each with its path and its origin.
    """
    places = _places(host_path, folder or "", package)
    for path, _ in places:
        if os.path.isfile(path):  # A path that cannot be examined is none.
            return path
    looked = [{"path": str(path), "origin": origin} for path, origin in places]
    is_named = host_path or os.environ.get("MOBILE_TRACKER_HOST")
    remedy = client_text("hostRemedy", why=client_text("hostNamed") if is_named else None)
    words = "\n".join(client_text("hostPlace", path=path, origin=_origin(origin)) for path, origin in places)
    sentence = client_text("hostNotFound", places=words, remedy=remedy)
    raise MobileTrackerError("HOST_NOT_FOUND", sentence, data={"looked": looked})


def _origin(name: str) -> str:
    """What has named a place, in words."""
    match name:
        case "hostPath":
            return client_text("fromOption")
        case "package":
            return client_text("fromPackage")
        case "release" | "debug":
            return client_text("fromBuild", name=name)
        case _:
            return name  # A variable.


def _places(host_path: str | os.PathLike[str] | None, folder: str, package: Path) -> list[tuple[Path, str]]:
    # If the caller names a place, no other is searched: another host than the named one would be a surprise.
    if host_path:
        return [(Path(folder, host_path).absolute(), "hostPath")]
    if variable := os.environ.get("MOBILE_TRACKER_HOST"):
        return [(Path(folder, variable).absolute(), "MOBILE_TRACKER_HOST")]
    places = [(package / "host" / "BridgeHost", "package")]
    if package.parts[-4:-1] == ("BridgeHost", "Python", "src"):
        build = package.parents[3] / ".build"
        places += [(build / name / "BridgeHost", name) for name in ("release", "debug")]
    return places


def explain_start(path: Path, end: HostEnd) -> str | None:
    """Says in a sentence why a host cannot start on this machine; None if it looks like a crash, after which another
    start may succeed."""
    built_for, here = _platform_of(path), f"{sys.platform}-{platform.machine()}"
    if built_for and built_for != here and (end.error or end.code is not None):
        return client_text("otherPlatform", path=path, platform=built_for, here=here)
    if end.error:
        return _explain_error(path, end.error)
    if end.code == _WRONG_ARGUMENTS:
        return client_text("wrongArguments", path=path, line=end.stderr.strip().partition("\n")[0])
    # One line for each version that is missing, in no order.
    if versions := re.findall(r"version [`'\"]?GLIBC_([\d.]+)['\"]? not found", end.stderr):
        needed = max(versions, key=lambda version: [int(part) for part in version.split(".") if part])
        return client_text("oldLibrary", path=path, version=needed)
    if library := re.search(r"error while loading shared libraries: ([^\s:]+)", end.stderr):
        return client_text("noLibrary", path=path, library=library[1])
    if end.code in (126, 127):
        return client_text("notRunnable", path=path, line=end.stderr.strip().rpartition("\n")[2] or None)
    return None


def _explain_error(path: Path, error: OSError) -> str | None:
    match error.errno:
        case errno.EACCES:
            return client_text("notExecutable", path=path)
        case errno.ENOENT:
            return client_text("otherLibrary", path=path)
        case errno.ENOEXEC:
            return client_text("noProgram", path=path)
        case errno.EAGAIN | errno.ENOMEM | errno.EMFILE | errno.ENFILE:
            return None
        case _:
            return client_text("notStartable", path=path, how=error.strerror or error)


def _platform_of(path: Path) -> str | None:
    """The platform a program was built for, by its first bytes; None if unknown."""
    try:
        with path.open("rb") as file:
            head = file.read(20)
    except OSError:
        return None  # Then the platform stays unknown.
    if len(head) < 20:
        return None
    if head.startswith(b"\x7fELF"):
        (machine,) = struct.unpack_from("<H" if head[5] == 1 else ">H", head, 18)
        return f"linux-{_MACHINES[machine]}" if machine in _MACHINES else None
    if head.startswith(b"\xcf\xfa\xed\xfe"):
        return "darwin-arm64" if struct.unpack_from("<I", head, 4)[0] == 0x0100000C else "darwin-x86_64"
    return None
