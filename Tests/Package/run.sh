#!/usr/bin/env bash
# Depends on this package as another package does, by the tag of its version, and builds and runs its examples there:
# a package that is depended on may use less (no unsafe flags, nothing that is not public) than one that is built alone.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
version=$(sed -n 's/.*current = "\(.*\)".*/\1/p' Modules/TrackerModels/ProductVersion.swift)
[ -n "$version" ] || { echo 'package: ProductVersion.swift names no version' >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A repository of the tree as it is now, with the tag that a release sets.
mkdir "$work/MobileTracker"
git ls-files -z | xargs -0 sh -c 'for file; do [ ! -e "$file" ] || printf "%s\0" "$file"; done' list \
    | xargs -0 cp --parents -t "$work/MobileTracker"
git -C "$work/MobileTracker" init -q
git -C "$work/MobileTracker" add -A
git -C "$work/MobileTracker" -c user.name=package -c user.email=package@localhost commit -q -m "$version"
git -C "$work/MobileTracker" tag "$version"

# A program for each product, which depends on what its first lines say.
targets=
program() { # program NAME PRODUCT…
    mkdir -p "$work/shop/Sources/$1"
    cp "$root/Docs/Examples/$1/main.swift" "$work/shop/Sources/$1/"
    local products=
    for product in "${@:2}"; do products+=".product(name: \"$product\", package: \"MobileTracker\"), "; done
    targets+="        .executableTarget(name: \"$1\", dependencies: [$products]),"$'\n'
}
program Values TrackerModels
program Outbox TrackerStorage TrackerModels
program Exchange TrackerNetworking
program CommandLine TrackerCore
program Server TrackerCore
cat >"$work/shop/Package.swift" <<PACKAGE
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Shop",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "file://$work/MobileTracker", from: "$version")],
    targets: [
$targets    ]
)
PACKAGE

cd "$work/shop"
swift build

expect() { # expect TEXT PROGRAM ARGUMENT…: what it prints has the text
    local text=$1 program=$2 printed
    printed=$("$bin/$program" "${@:3}" </dev/null)
    case "$printed" in
        *"$text"*) echo "package: $program printed '$text'" ;;
        *) echo "package: $program ${*:3} printed no '$text' but: $printed" >&2; exit 1 ;;
    esac
}
bin=$(swift build --show-bin-path)
expect 'order-4711 is a message id' Values
expect 'hello' Outbox "$work/lane" hello
expect 'hello' Outbox "$work/lane"
echo "package: version $version builds and runs as a dependency"
