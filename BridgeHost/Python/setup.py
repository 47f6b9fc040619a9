"""Puts the host for this platform into the wheel, and names the platform.

The host is taken from `MOBILE_TRACKER_HOST`, else from the repository's release build. It stays nowhere but in the
wheel: one beside the sources would be found before those that are built later.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent

MACHINES = {0x3E: "x86_64", 0xB7: "aarch64"}
"""The processors that wheels are made for, by their numbers in the header of a program."""

OLDEST_GLIBC = (2, 31)
"""The oldest C library that `make dist` builds for."""


def host_path() -> Path:
    """The host that goes into the wheel."""
    host = Path(os.environ.get("MOBILE_TRACKER_HOST") or ROOT.parents[1] / ".build/release/BridgeHost")
    if not host.is_file():
        raise SystemExit(f'There is no host at {host}. Build it with "make build", or set MOBILE_TRACKER_HOST.')
    return host


def needed_glibc(host: Path) -> tuple[int, ...]:
    """The oldest glibc that a program runs with; empty if it names none."""
    listed = subprocess.run(["readelf", "--version-info", "--wide", host], capture_output=True, text=True, check=True)
    versions = re.findall(r"Name: GLIBC_([\d.]+)", listed.stdout)
    return max((tuple(map(int, version.split("."))) for version in versions), default=())


def machine(host: Path) -> str:
    """The processor that a program was built for, as a wheel names it."""
    with host.open("rb") as file:
        head = file.read(20)
    number = int.from_bytes(head[18:], "little") if head.startswith(b"\x7fELF") else None
    if number not in MACHINES:
        raise SystemExit(f"The host at {host} is not a program for Linux on {' or '.join(MACHINES.values())}.")
    return MACHINES[number]


class BuildWithHost(build_py):
    """The modules, and the stripped host beside them."""

    def run(self) -> None:
        super().run()
        target = Path(self.build_lib) / "mobiletracker/host/BridgeHost"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(host_path(), target)
        target.chmod(0o755)
        subprocess.run([os.environ.get("STRIP") or "strip", target], check=True)


class PlatformWheel(bdist_wheel):
    """A wheel for any Python of this platform.

    A registry takes a wheel for Linux if it says with which glibc it runs (PEP 600). libcurl is loaded by the running host,
    so the wheel needs no library that `manylinux` does not allow. A host that a newer glibc was linked to is for this
    machine. `STRIP` names the tool for another processor, and the host says which one that is.
    """

    def get_tag(self) -> tuple[str, str, str]:
        platform = super().get_tag()[2]
        if platform.startswith("linux_"):
            host = host_path()
            processor = machine(host)
            system = "manylinux_{}_{}".format(*OLDEST_GLIBC) if needed_glibc(host) <= OLDEST_GLIBC else "linux"
            platform = f"{system}_{processor}"
        return "py3", "none", platform


class PlatformDistribution(Distribution):
    """What is built belongs to this platform, though no module is compiled."""

    def has_ext_modules(self) -> bool:
        return True


setup(distclass=PlatformDistribution, cmdclass={"build_py": BuildWithHost, "bdist_wheel": PlatformWheel})
