#!/usr/bin/env bash
# Fuzzes the framing decoder and the JSON scanner under AddressSanitizer, then the socket of an agent, each for FUZZ_SECONDS
# (60). What it finds on the way is kept in .build/fuzz; an input that fails is written there and named.
#
#   Tests/Fuzz/run.sh          fuzz
#   Tests/Fuzz/run.sh keep     put what was found on the way into Tests/Fuzz/Corpus, where it covers more
set -euo pipefail
cd "$(dirname "$0")/../.."

build=.build/fuzz
corpus=Tests/Fuzz/Corpus
seconds=${FUZZ_SECONDS:-60}
export SWIFT_BACKTRACE=enable=no
mkdir -p "$build"

options=(
    -O -assert-config Debug -parse-as-library -swift-version 6 -package-name fuzz -enable-testing
    -sanitize=fuzzer,address -enable-upcoming-feature InternalImportsByDefault -I "$build"
)

module() { # module NAME FOLDER: a module of the package, built so that the fuzzer sees which way it goes
    local sources
    mapfile -t sources < <(find "$2" -name '*.swift' | sort)
    swiftc "${options[@]}" -wmo -module-name "$1" -emit-module -emit-module-path "$build/$1.swiftmodule" \
        -c -o "$build/$1.o" "${sources[@]}"
}

target() { # target NAME SOURCE OBJECT...
    # The linker warns of symbols of the sanitizer that it leaves out.
    swiftc "${options[@]}" -module-name "$1" -o "$build/$1" "$2" "${@:3}" 2> >(grep -v 'warning: Cannot export' >&2)
}

fuzz() { # fuzz NAME
    mkdir -p "$build/corpus/$1" "$build/failures"
    if [ "${2:-}" = keep ]; then
        "$build/$1" -merge=1 -use_counters=0 -max_len=256 "$corpus/$1" "$build/corpus/$1" 2>&1 | tail -n 1
        return
    fi
    echo "fuzz: $1 for $seconds s"
    "$build/$1" -max_total_time="$seconds" -max_len=256 -timeout=5 -rss_limit_mb=1024 -print_final_stats=1 -verbosity=1 \
        -dict="Tests/Fuzz/$1.dict" -artifact_prefix="$build/failures/$1-" "$build/corpus/$1" "$corpus/$1" \
        > "$build/$1.log" 2>&1 || { tail -n 40 "$build/$1.log"; echo "fuzz: $1 failed" >&2; exit 1; }
    grep -E '^(Done|stat::(number_of_executed_units|peak_rss_mb))' "$build/$1.log"
    grep -oE 'cov: [0-9]+' "$build/$1.log" | tail -n 1
}

echo "fuzz: building"
module TrackerPlatform Modules/TrackerPlatform
module TrackerJSON Modules/TrackerJSON
module JSONRPC BridgeHost/JSONRPC
target json Tests/Fuzz/FuzzJSON.swift "$build/TrackerJSON.o"
target framing Tests/Fuzz/FuzzFraming.swift "$build/JSONRPC.o" "$build/TrackerJSON.o" "$build/TrackerPlatform.o"
fuzz json "${1:-}"
fuzz framing "${1:-}"
if [ "${1:-}" != keep ]; then
    echo "fuzz: the socket of an agent for $seconds s"
    cd BridgeHost/Python
    FUZZ_SECONDS="$seconds" ../../.build/python/bin/python -m unittest tests.test_agent.LimitTests.test_any_bytes_leave_the_others_alone
fi
