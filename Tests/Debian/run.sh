#!/usr/bin/env bash
# Runs the packages of dist/ in a root of each of these Debian releases, with libcurl, Node and Python and nothing else
# installed: whether they deliver, also after the host was killed. Needs root.
#
#   Tests/Debian/run.sh [RELEASE…]   bullseye, bookworm, trixie by default
set -euo pipefail
cd "$(dirname "$0")/../.."

[ "$(id -u)" -eq 0 ] || { echo 'debian: run it as root: it makes roots and enters them' >&2; exit 1; }
package=$(ls "$PWD"/dist/mobiletracker-bridge-*.tgz) || { echo 'debian: dist/ is empty; "make dist" fills it' >&2; exit 1; }

roots=.build/debian
mkdir -p "$roots"
[ $# -gt 0 ] || set -- bullseye bookworm trixie
for release in "$@"; do
    root=$roots/$release
    if [ ! -e "$root.made" ]; then
        rm -rf "$root"
        curl=libcurl4
        [ "$release" = trixie ] && curl=libcurl4t64
        mmdebstrap --quiet --variant=minbase --include="$curl,libstdc++6,libatomic1,python3" "$release" "$root"
        touch "$root.made"
    fi
    rm -rf "$root/app"
    mkdir "$root/app"
    npm install --offline --silent --no-audit --no-fund --prefix "$root/app" "$package"
    cp "$(command -v node)" "$root/app/node"
    .build/python/bin/pip install --quiet --disable-pip-version-check --no-index --target "$root/app/python" dist/*.whl
    cp Tests/Debian/track.mjs Tests/Debian/track.py "$root/app/"
    # A process space of its own: nothing that is started there stays.
    unshare --mount --pid --fork --kill-child --mount-proc="$root/proc" \
        chroot "$root" /usr/bin/env -i HOME=/tmp /app/node /app/track.mjs
done
