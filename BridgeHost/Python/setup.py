"""Puts the host for this platform into the wheel, and names the platform.

The host is taken from `MOBILE_TRACKER_HOST`, else from the repository's release build. It stays nowhere but in the
wheel: one beside the sources would be found before those that are built later.
"""

import os
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent


class BuildWithHost(build_py):
    """The modules, and the stripped host beside them."""

    def run(self) -> None:
        super().run()
        host = Path(os.environ.get("MOBILE_TRACKER_HOST") or ROOT.parents[1] / ".build/release/BridgeHost")
        if not host.is_file():
            raise SystemExit(f'There is no host at {host}. Build it with "make build", or set MOBILE_TRACKER_HOST.')
        target = Path(self.build_lib) / "mobiletracker/host/BridgeHost"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(host, target)
        target.chmod(0o755)
        subprocess.run(["strip", target], check=True)


class PlatformWheel(bdist_wheel):
    """A wheel for any Python of this platform.

    It is tagged `linux_x86_64` and not `manylinux`: the host needs the system's libcurl, which is not among the
    libraries that manylinux allows (PEP 600).
    """

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


class PlatformDistribution(Distribution):
    """What is built belongs to this platform, though no module is compiled."""

    def has_ext_modules(self) -> bool:
        return True


setup(distclass=PlatformDistribution, cmdclass={"build_py": BuildWithHost, "bdist_wheel": PlatformWheel})
