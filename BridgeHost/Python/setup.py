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


class BuildWithHost(build_py):
    """The modules, and the stripped host beside them."""

    def run(self) -> None:
        super().run()
        target = Path(self.build_lib) / "mobiletracker/host/BridgeHost"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(host_path(), target)
        target.chmod(0o755)
        subprocess.run(["strip", target], check=True)


class PlatformWheel(bdist_wheel):
    """A wheel for any Python of this platform.

    A registry takes a wheel for Linux if it says with which glibc it runs (PEP 600). libcurl is loaded by the running host,
    so the wheel needs no library that `manylinux` does not allow. A host that a newer glibc was linked to is for this
    machine.
    """

    def get_tag(self) -> tuple[str, str, str]:
        platform = super().get_tag()[2]
        if platform.startswith("linux_") and needed_glibc(host_path()) <= OLDEST_GLIBC:
            platform = platform.replace("linux", "manylinux_{}_{}".format(*OLDEST_GLIBC), 1)
        return "py3", "none", platform


class PlatformDistribution(Distribution):
    """What is built belongs to this platform, though no module is compiled."""

    def has_ext_modules(self) -> bool:
        return True


setup(distclass=PlatformDistribution, cmdclass={"build_py": BuildWithHost, "bdist_wheel": PlatformWheel})
