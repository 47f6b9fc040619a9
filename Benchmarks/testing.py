"""How long 100 tests take, each with a test tracker of its own: with node:test and with pytest.

    python3 Benchmarks/testing.py [the host]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COUNT = 100

NODE = f"""
import {{ test }} from 'node:test'
import {{ createTestTracker }} from '{ROOT}/BridgeHost/Node/src/testing/index.js'

for (let i = 0; i < {COUNT}; i++) {{
    test(`an order is tracked ${{i}}`, async () => {{
        const tracker = createTestTracker()
        tracker.analytics.track('Order Completed', {{ total: i }}, {{ userId: 'user-1' }})
        await tracker.expect('Order Completed', {{ total: i }}, {{ userId: 'user-1', count: 1 }})
        await tracker.shutdown()
    }})
}}
"""

PYTHON = f"""
import pytest

@pytest.mark.parametrize("total", range({COUNT}))
def test_order(mobile_tracker, total):
    mobile_tracker.analytics.track("Order Completed", {{"total": total}}, user_id="user-1")
    mobile_tracker.expect("Order Completed", {{"total": total}}, user_id="user-1", count=1)
"""


def measure(name: str, command: list[str], folder: str, host: Path) -> None:
    """Runs the tests, and prints how long they take: all of it, with the runner's own start."""
    environment = {
        **os.environ, "MOBILE_TRACKER_HOST": str(host), "PYTHONPATH": str(ROOT / "BridgeHost/Python/src"),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # A build of the package leaves its entry point beside the source.
    }
    start = time.monotonic()
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    seconds = time.monotonic() - start
    if ended.returncode != 0:
        sys.exit(f"{name}: {ended.stdout}{ended.stderr}")
    print(f"{name:10} {COUNT} tests, each with a tracker of its own: {seconds:.2f} s")


def main() -> None:
    host = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build/release/BridgeHost").resolve()
    python = ROOT / ".build/python/bin/python"
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "shop.test.mjs").write_text(NODE)
        Path(folder, "test_shop.py").write_text(PYTHON)
        measure("node:test", ["node", "--test", "shop.test.mjs"], folder, host)
        pytest = ["-m", "pytest", "-q", "-p", "mobiletracker._pytest", "-p", "no:cacheprovider"]
        measure("pytest", [str(python if python.exists() else sys.executable), *pytest], folder, host)


if __name__ == "__main__":
    main()
