# Everything by one word. `make demo` and `make test` do their own set-up on a fresh machine.

# How many tests run at once. Without a bound, all do, and on a small machine each waits for all others.
WIDTH ?= 4

# How many times longer the Swift tests wait than in a run by hand, in which a wait fails after 60 s. Such a wait only ends
# a test that hangs, so a long one costs nothing; on a shared machine a process may not run for many seconds.
GUARD_FACTOR ?= 3

# How often `make kills` kills the host.
KILLS ?= 1000
# How often it restarts an agent.
RESTARTS ?= 200

# How many pairs of faults `make faults` samples, by which seed (0: another one each time).
FAULTS ?= 500
SEED ?= 0

# How many points `make test-faults` samples by SEED, beside the table of regressions.
SAMPLE ?= 100

# How many clients `make storm` simulates.
CLIENTS ?= 1000000

.PHONY: help setup setup-tests setup-dist build demo test test-scripts test-swift test-node coverage links docs lint generate bench dist clean
.PHONY: fresh-reports test-package test-python test-schemas test-backends floor bench-check profile bench-growth bench-parts bench-peers bench-agent bench-testing
.PHONY: storm dist-debian dist-arm64 screenshots faults model test-faults kills soak network fuzz sanitize sanitize-thread sanitize-address bench-processes bench-erasure

help:
	@echo "make demo    the main job, from an empty machine to events received"
	@echo "make test    every test"
	@echo "make test-backends  the same calls through Segment's, RudderStack's and other SDKs and through the host, compared"
	@echo "make test-schemas  the official JSON Schema Test Suite through the collector and the host"
	@echo "make kills   the host killed KILLS times (1000) under load with faults, an agent RESTARTS times (200), and what became of calls"
	@echo "make faults  each call of the system that can fail made to fail, once and for good, and FAULTS pairs (500) by SEED"
	@echo "make model   every state that processes on one lane can reach, by spin"
	@echo "make soak    ten minutes of mixed load with faults: whether the host's memory stays flat"
	@echo "make network  how soon events flow again after the network was lost, between network namespaces (root)"
	@echo "make fuzz    the framing, the JSON scanner and the socket of an agent fuzzed, FUZZ_SECONDS (60) each"
	@echo "make sanitize  every Swift test under ThreadSanitizer and AddressSanitizer"
	@echo "make bench   the product beside its floors: libcurl, SQLite, a pipe; the figures in .build/bench.json"
	@echo "make bench-check  fails if a ratio to a floor is over 30 % worse than in Benchmarks/ratios.json"
	@echo "make bench-growth  a million events queued, two million in and out, an idle host's wake-ups, and a tight loop"
	@echo "make bench-agent  what connections to an agent cost, and many writers against one pipe"
	@echo "make bench-peers  other trackers, from PyPI, on the same work"
	@echo "make profile  instructions of the host for each call, by part (valgrind)"
	@echo "make storm   CLIENTS (1000000) after an outage, on a virtual clock, with the product's own breaker"
	@echo "make bench-parts  how fast JSON and the outbox are by themselves"
	@echo "make bench-testing  how long 100 tests take in node:test and pytest, each with a test tracker of its own"
	@echo "make bench-processes  several hosts on one folder: callers' waits, and hand-over when one is killed"
	@echo "make bench-erasure  how long other calls wait while a denial rewrites the largest database"
	@echo "make build   the release host, at .build/release/BridgeHost"
	@echo "make dist    the packages with the stripped host, in dist/"
	@echo "make docs    the reference of the public API, in .build/docs; fails if a declaration has no comment"
	@echo "make links   every link and path in the pages"
	@echo "make dist-debian  the packages in Debian 11, 12 and 13: whether they deliver (root)"
	@echo "make dist-arm64  the packages for Linux on arm64, in dist/aarch64, and a test of them under emulation (root)"
	@echo "make lint    the formatting and the house rules"
	@echo "make generate  what is made from the bridge's method table"
	@echo "make screenshots  the pictures of the collector's page in Docs/images"

setup:
	@.ci/setup

setup-tests:
	@.ci/setup tests

setup-dist:
	@.ci/setup dist

build: setup
	@.ci/build-host

demo: build
	@node BridgeHost/Node/demo/demo.js

# The packages for this platform, in dist/, with the host in them; and a test of them where no toolchain is in reach.
dist: setup-dist build
	@.ci/build-host portable
	@.ci/dist
	DIST=$(CURDIR)/dist python3 Tests/Scripts/run_tests.py node --report node-dist test/dist.test.js
	DIST=$(CURDIR)/dist python3 Tests/Scripts/run_tests.py python --report python-dist tests.test_package.WheelTests

# The packages for Linux on arm64, in dist/aarch64, built under emulation by Debian's Swift; and events and kills there, with
# the libraries of Debian 11 and 13.
dist-arm64: setup-dist
	@.ci/setup arm64
	@.ci/build-host-arm64
	@PROCESSOR=aarch64 .ci/dist
	Tests/Debian/arm64.sh

# What `make dist` has made, in a root of each of some Debian releases.
dist-debian: dist
	@.ci/setup debian
	Tests/Debian/run.sh

# The host as it ships is built last: without Foundation and regular expressions, which the tests have. The packages then
# show that it is small enough. At the end each test that Docs/Coverage.md names must have passed in this run.
test: fresh-reports coverage test-scripts test-swift test-package test-node test-python test-backends test-faults links docs dist
	python3 Tests/Scripts/run_tests.py node --report node-package test/client-pack.test.js
	@python3 Tests/Scripts/coverage.py --reports .build/reports

# The reports of an earlier run do not count.
fresh-reports:
	@rm -rf .build/reports

# The scripts that run the tests and read what they came to.
test-scripts: setup-tests
	python3 Tests/Scripts/run_tests.py scripts

test-swift: setup-tests
	swift build --build-tests -Xswiftc -warnings-as-errors
	GUARD_FACTOR=$(GUARD_FACTOR) SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(WIDTH) \
		python3 Tests/Scripts/run_tests.py swift

# The package as another one depends on it, by the tag of its version.
test-package: setup
	Tests/Package/run.sh

test-node: setup-tests
	swift build -Xswiftc -warnings-as-errors
	python3 Tests/Scripts/run_tests.py node

test-python: setup-tests
	swift build --product BridgeHost -Xswiftc -warnings-as-errors
	python3 Tests/Scripts/run_tests.py python

# The official JSON Schema Test Suite through the collector and the host; a part of test-node.
test-schemas: setup-tests
	swift build --product BridgeHost -Xswiftc -warnings-as-errors
	python3 Tests/Scripts/run_tests.py node --report node-schemas test/plan-suite.test.js

# Installs the vendors' SDKs from PyPI into .build/backends; what each side sends is left in .build/recorded.
test-backends: setup-tests
	swift build --product BridgeHost -Xswiftc -warnings-as-errors
	python3 Tests/Scripts/run_tests.py backends

kills: setup-tests
	swift build --build-tests -Xswiftc -warnings-as-errors
	KILLS=$(KILLS) swift test --skip-build --filter "CrashTests|ManyHostsTests.generated|ManyHostsTests.stoppedThenKilled"
	AGENT_RESTARTS=$(RESTARTS) python3 Tests/Scripts/run_tests.py python --report restarts \
		tests.test_agent_client.AgentClientTests.test_many_restarts_under_load_lose_double_and_reorder_nothing
	AGENT_RESTARTS=$(RESTARTS) python3 Tests/Scripts/run_tests.py node --report restarts-node \
		--test-name-pattern 'over many restarts under load' test/client-agent.test.js

# Exhaustive for single faults: some 133,000 runs, 75 minutes on two processors, of the release host, which starts sooner.
# With FAULTS_ARGUMENTS="denial reset-all" only those scenarios.
faults: setup-tests build
	swift build -Xswiftc -warnings-as-errors
	FAULTS=$(FAULTS) SEED=$(SEED) python3 Tests/Faults/explorer.py --host .build/release/BridgeHost $(FAULTS_ARGUMENTS)

# The faults that were found so far, and SAMPLE others by SEED.
test-faults: setup-tests
	swift build -Xswiftc -warnings-as-errors
	SEED=$(SEED) python3 Tests/Faults/explorer.py --short --sample $(SAMPLE)

# Some minutes; Tests/Model/run.py --list names its rows, and runs those that are named.
model:
	@.ci/setup model
	Tests/Model/run.py

soak: build
	node Benchmarks/Soak/soak.mjs

network: build
	@.ci/setup network
	node Tests/Network/network.mjs

# Takes some minutes; CLIENTS=20000 shows the same within seconds.
storm: setup
	swift build -c release --product StormSimulation
	.build/release/StormSimulation --clients $(CLIENTS) --svg .build/storm.svg

# Each sanitizer has a build of its own, in which everything takes its time. Reports go to files: those of hosts and
# other processes that tests start count too, and a host that is killed says nothing by its exit code.
sanitize: sanitize-thread sanitize-address

# Where descriptors are few ThreadSanitizer cannot name functions, and then knows none of those it is to leave out.
# How much memory a host takes that is instrumented so says nothing: TrafficTests are left out.
sanitize-thread: setup-tests
	swift build --build-tests --sanitize=thread --scratch-path .build/thread
	rm -f .build/thread/report.*
	TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/ThreadSanitizer.supp:log_path=$(CURDIR)/.build/thread/report \
		GUARD_FACTOR=5 SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(WIDTH) \
		swift test --skip-build --sanitize=thread --scratch-path .build/thread \
		--skip DescriptorTests --skip TrafficTests
	@! cat .build/thread/report.* 2>/dev/null

sanitize-address: setup-tests
	swift build --build-tests --sanitize=address --scratch-path .build/address
	rm -f .build/address/report.*
	ASAN_OPTIONS=log_path=$(CURDIR)/.build/address/report \
		LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/LeakSanitizer.supp:print_suppressions=0 \
		GUARD_FACTOR=5 SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(WIDTH) \
		swift test --skip-build --sanitize=address --scratch-path .build/address --skip TrafficTests
	@! cat .build/address/report.* 2>/dev/null

fuzz: setup-tests
	swift build --product BridgeHost -Xswiftc -warnings-as-errors
	Tests/Fuzz/run.sh

# The small C programs that the product is measured beside.
floor: $(patsubst Benchmarks/Floor/%.c,.build/floor/%,$(wildcard Benchmarks/Floor/*.c))

.build/floor/%: Benchmarks/Floor/%.c
	@mkdir -p .build/floor
	cc -std=gnu11 -O2 -D_GNU_SOURCE -Wall -Wextra -Werror -o $@ $< -lcurl -lsqlite3 -lz

# Figures for one machine: what is around them moves them, their ratios to the floors hold better.
bench: setup-tests build floor
	swift build -c release --product NativeBenchmark
	python3 Benchmarks/bench.py --json .build/bench.json

# Fails if a ratio to a floor is over 30 % worse than the one kept in the repository.
bench-check: setup-tests build floor
	swift build -c release --product NativeBenchmark
	python3 Benchmarks/bench.py --json .build/bench.json --check Benchmarks/ratios.json

# Fails if a long queue makes an event dearer, memory grows with what passes through, an idle host is woken, or a tight loop
# loses calls otherwise than at its bounds, or uncounted.
bench-growth: setup-tests build floor
	swift build -c release --product NativeBenchmark
	python3 Benchmarks/growth.py --json .build/bench-growth.json

# Installs packages from PyPI into .build/peers.
bench-peers: setup-tests build floor
	python3 Benchmarks/peers.py --json .build/bench-peers.json

bench-agent: setup-tests build
	python3 Benchmarks/agent.py --json .build/bench-agent.json
	.build/python/bin/python Benchmarks/prefork.py

# Says what to install where valgrind is missing.
profile: setup-tests build floor
	python3 Benchmarks/profile.py

# What the parts of the product do by themselves.
bench-testing: setup-tests build
	python3 Benchmarks/testing.py

bench-parts: setup .build/floor/gzip
	swift build -c release --product JSONBenchmark
	swift build -c release --product StorageBenchmark
	.build/release/JSONBenchmark
	@echo "the outbox, in memory"
	.build/release/StorageBenchmark
	@echo "the outbox, on disk"
	@folder=$$(mktemp -d) && trap 'rm -r "$$folder"' EXIT && .build/release/StorageBenchmark "$$folder"
	@echo "an event of a batch, compressed as one body and piece by piece, in microseconds"
	@.build/floor/gzip 2000

bench-processes: build
	swift build -c release --product HostBenchmark
	.build/release/HostBenchmark

bench-erasure: build
	MOBILE_TRACKER_HOST=$(CURDIR)/.build/release/BridgeHost node Benchmarks/Node/erasure.mjs

coverage:
	@python3 Tests/Scripts/coverage.py

links:
	@python3 Tests/Scripts/links.py

# To read it: python3 -m http.server -d .build/docs/MobileTracker.doccarchive, then /documentation/mobiletracker
docs: setup
	swift build --target TrackerTesting -Xswiftc -warnings-as-errors
	@python3 Tests/Scripts/docs.py .build/debug/Modules .build/docs

lint:
	swift format lint --strict -r Modules BridgeHost Benchmarks Docs Tests Package.swift

generate: setup
	swift run BridgeGenerator

# Wants the fonts that the pictures are set in: apt-get install fonts-inter fonts-jetbrains-mono
screenshots: setup-tests
	node BridgeHost/Node/tools/screenshots.js

clean:
	rm -rf .build dist
