#!/usr/bin/env bash
# Runs the packages of dist/aarch64 under emulation: whether they deliver, also after the host was killed, and tests of Node
# and Python on their host. In Debian 13 for arm64 all is emulated: Node, Python and the host. In Debian 11 for arm64, whose
# Node is too old, this machine's Node and Python drive the emulated host, with that release's glibc 2.31 and libcurl 7.74.
# Needs root.
set -euo pipefail
cd "$(dirname "$0")/../.."

[ "$(id -u)" -eq 0 ] || { echo 'arm64: run it as root: it makes roots and enters them' >&2; exit 1; }
package=$(ls "$PWD"/dist/aarch64/mobiletracker-bridge-*.tgz) || {
    echo 'arm64: dist/aarch64 is empty; "make dist-arm64" fills it' >&2
    exit 1
}
emulator=$(command -v qemu-aarch64-static)
# As .ci/emulate says.
export QEMU_CPU=cortex-a72

# A root of a release, in which nothing has been set up: programs find their libraries all the same.
make_root() { # make_root RELEASE PACKAGES
    local root=.build/debian/$1-arm64
    [ -e "$root.made" ] && return
    rm -rf "$root"
    mkdir -p .build/debian
    mmdebstrap --quiet --architectures=arm64 --variant=extract --include="$2" "$1" "$root" \
        "deb ${DEBIAN_MIRROR:-http://deb.debian.org/debian} $1 main"
    # What a system's set-up would have made.
    [ -e "$root/lib" ] || ln -s usr/lib "$root/lib"
    touch "$root.made"
}

install_packages() { # install_packages ROOT
    rm -rf "$1/app"
    mkdir "$1/app"
    npm install --offline --silent --no-audit --no-fund --prefix "$1/app" "$package"
    .build/python/bin/python -m zipfile --extract dist/aarch64/*.whl "$1/app/python"
    chmod +x "$1/app/python/mobiletracker/host/BridgeHost"
    cp Tests/Debian/track.mjs Tests/Debian/track.py "$1/app/"
}

make_root trixie libcurl4t64,nodejs,python3
root=$PWD/.build/debian/trixie-arm64
install_packages "$root"
.ci/emulate "$root" /usr/bin/node /app/track.mjs

make_root bullseye libcurl4,libstdc++6,libatomic1
root=$PWD/.build/debian/bullseye-arm64
install_packages "$root"
libraries=$root/lib/aarch64-linux-gnu:$root/usr/lib/aarch64-linux-gnu
cat >"$root/app/BridgeHost" <<HOST
#!/bin/sh
exec $emulator -L $root -E LD_LIBRARY_PATH=$libraries $root/app/node_modules/@mobiletracker/bridge/host/linux-arm64/BridgeHost "\$@"
HOST
chmod +x "$root/app/BridgeHost"
XDG_STATE_HOME=$(mktemp -d)
export XDG_STATE_HOME
trap 'rm -r "$XDG_STATE_HOME"' EXIT
node "$root/app/track.mjs" "$root/app/BridgeHost"

# The tests that drive the host as a whole: the official JSON Schema Test Suite, whether host and client agree, every call over
# JSON-RPC, the three clients, an agent, and the tables of kills. They take ten minutes.
export MOBILE_TRACKER_HOST=$root/app/BridgeHost EMULATED=1
python3 Tests/Scripts/run_tests.py node --report node-arm64 \
    test/plan-suite.test.js test/client-parity.test.js \
    test/client-scenarios.test.js test/client-clients.test.js test/client-recovery.test.js
python3 Tests/Scripts/run_tests.py python --report python-arm64 tests.test_calls tests.test_recovery tests.test_agent
