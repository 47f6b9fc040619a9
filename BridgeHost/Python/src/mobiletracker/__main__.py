"""`python -m mobiletracker`: which package this is, and which host it finds."""

from __future__ import annotations

import argparse
import sys

from . import __version__
from ._find import find_host
from .errors import MobileTrackerError


def main() -> int:
    """Prints what was asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m mobiletracker", description="Says which host the package would start."
    )
    parser.add_argument("--version", action="version", version=f"mobile-tracker {__version__}")
    parser.parse_args()
    try:
        print(find_host())
    except MobileTrackerError as error:
        print(error.message, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
