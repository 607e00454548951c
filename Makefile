# Everything that is built, tested or run here. `make help` lists the targets.
# ROS 2 is the sourced one, else .ros/<distro>, which setup makes: Jazzy, or ROS_DISTRO=kilted.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup build demo demo-peers run test test-ros test-bare generate check-generated fmt vet lint mutate mutants nightly lockstep fuzz-http fuzz-bytes sbom dist install uninstall simulate explore bench page rehearsal screenshots clean

GO ?= go
# Without go vet, which lint and test-bare run once for all.
ROSLESS := $(GO) test -json -vet=off -timeout 8m
RCLGO := github.com/tiiuae/rclgo

# Nothing that is started here speaks to another machine.
export ROS_AUTOMATIC_DISCOVERY_RANGE := LOCALHOST

# In front of a command that needs ROS: makes it ready where it is not, and takes on its environment.
ROS := $(GO) run ./setup -q && env="$$($(GO) run ./setup env)" && eval "$$env" &&

# Asked for only where it is used.
VERSION = $(shell $(GO) run ./tools/dist version)
LDFLAGS = -X main.given=$(VERSION)

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-16s %s\n", $$1, $$2}' Makefile

setup: ## Install ROS 2 into .ros/ if none is sourced, and build the interfaces
	@$(GO) run ./setup

# What needs no ROS 2 is compiled while it is installed: pip uses one processor. $(call program,WORK) has WORK done meanwhile.
define program
$(if $(1),$(1) & work=$$!;) $(GO) list -export -f '' ./cmd/rstate >/dev/null & parts=$$!; trap wait EXIT; \
	$(GO) run ./setup -q && wait $$parts $(if $(1),&& wait $$work) && \
	$(ROS) $(GO) build -tags ros -ldflags '$(LDFLAGS)' -o bin/rstate ./cmd/rstate
endef

build: ## Build bin/rstate
	@$(call program,$(MAKE) --no-print-directory rehearsal)

# It shows no page, so it does without the rehearsal of the page.
demo: ## Show the life of a small network in half a minute; DEMO=nrp, rock, factory, cle, roscle or cloe: of another system
	@$(call program) && exec bin/rstate demo $(DEMO)

demo-peers: build ## Show two hosts that lose their connection, in half a minute; needs root
	@$(ROS) $(GO) build -o bin/demopeers ./tools/demopeers && exec bin/demopeers bin/rstate

HTTP ?= 8080
run: build ## Run the daemon with four demo nodes and its page on port HTTP=8080; domain 0 unless ROS_DOMAIN_ID is set; Ctrl-C disarms and ends them
	@$(ROS) export ROS_DOMAIN_ID=$${ROS_DOMAIN_ID:-0} && exec bin/rstate up config/demo.yaml --http $(HTTP)

# Two stages of tests on ROS run at a time where each package can have a network and a /dev/shm of its own
# (test/bed/private.go). Elsewhere they would meet each other, so one runs at a time. With three, two processors have no time
# left, and a node of a test is seconds late.
ROOMS := $(shell if unshare -mn true 2>/dev/null || unshare -rmn true 2>/dev/null; then echo 2; else echo 1; fi)
ROSFUL := $(GO) test -json -vet=off -timeout 25m -count=1 -p 1 -tags ros

# What the tests of the page need. The binary has the rehearsal in it, so this comes before it is built.
PAGE_STAGES = "a browser for the tests of the page" 8m . $(GO) run ./setup chromium -- \
	"the rehearsal of the page" 8m . $(MAKE) --no-print-directory rehearsal --

# What does not depend on the distribution. Only packages whose tests start goroutines run with the race detector, since
# in others it has nothing to find, and makes them several times slower: so much that the two whose goroutines share a list
# of work only have it in nightly. The tests of the page wait most of the time, so they begin first. Stages that only
# compute get the time that all others leave, those on ROS too.
WORKERS := rstate/internal/explore rstate/internal/rehearse
PURE_STAGES = format 1m . $(MAKE) --no-print-directory fmt -- \
	$(PAGE_STAGES) \
	"a Prometheus for the tests of metrics" 8m . $(GO) run ./setup prometheus -- \
	"packages without ROS, with goroutines" 20m . $(ROSLESS) -timeout 18m -race $$many ~~ \
	"orders of events" 60m . $(GO) run ./tools/explore -depth 1 -single 2 ~~ \
	"packages without ROS, without goroutines" 60m . $(ROSLESS) -timeout 58m $$alone $(WORKERS) ~~ \
	lint 60m . $(MAKE) --no-print-directory lint
# Simulated lives need no ROS. The tests on the second distribution leave more time of the processors than those on the
# first, so .ci/run has the lives beside them: LIVES=later in its first run, LIVES=now in its second.
LIVES ?=
LIVES_STAGES = "schedules of peers" 60m . $(GO) run ./tools/simulate -peers drawn -seeds 10000 ~~ \
	"drawn machines" 60m . $(GO) run ./tools/simulate -machines -seeds 16000 ~~ \
	"peers with drawn machines" 60m . $(GO) run ./tools/simulate -machines -peers drawn -seeds 4000 ~~ \
	schedules 60m . $(GO) run ./tools/simulate -seeds 10000
LIVES_NOT := -left-out "simulated lives: the run with LIVES=now has them"

# What needs ROS. Everything is compiled first: go build would link each program too. The longest begin first. The tests of test/ros are split by name, since they take as long as all others.
# All packages use one binary of rstate.
FIRST_STAGES = build 8m . $(GO) list -export -f '' -tags ros ./... -- \
	"build of rstate" 8m . $(GO) build -tags ros -o "$$RSTATE_BINARY" ./cmd/rstate -- \
	"interfaces of simulators" 8m . $(GO) run ./setup simulation_interfaces --
ALL_STAGES = $(CHECK_GENERATED) $(FIRST_STAGES) \
	"interfaces of nav2" 8m . $(GO) run ./setup nav2_interfaces -- \
	"data in lockstep beside busy processes" 8m . env RSTATE_STEPS=$(LOCKSTEPS) $(ROSFUL) -run $(LOCKSTEP) ./test/ros -- \
	"test/ros, second half" 30m . $(ROSFUL) -skip '$(ROS_HALF)|$(LOCKSTEP)' ./test/ros ++ \
	"test/ros, first half" 30m . $(ROSFUL) -run '$(ROS_HALF)' ./test/ros ++ \
	cmd/rstate 30m . $(ROSFUL) ./cmd/rstate ++ \
	"middlewares that can do less" 20m . $(ROSFUL) ./test/shim ++ \
	"the page of real networks" 20m . $(ROSFUL) -run '^TestReal' ./test/page ++ \
	"other packages with ROS" 30m . $(ROSFUL) $$packages ++ \
	rclgo 20m rclgo $(GO) test -json -vet=off -timeout 19m -count=1 -race -p 1 ./... ++ \
	"test/peers and test/faults" 30m . $(ROSFUL) ./test/peers ./test/faults ++ \
	"rclgo with the headers of Lyrical" 8m rclgo $(MAKE) --no-print-directory lyrical -- \
	fuzz-bytes 5m . $(GO) run ./tools/fuzzbytes -unguided -for 30s
ROS_HALF := ^Test[A-K]
LOCKSTEP := ^TestL11TwoRuns
LOCKSTEPS ?= 1000

# The tests of test/ros whose outcome comes from what a distribution brings: nodes of rclpy that fail and end; actions,
# services and parameters; the ages of messages, and clocks; participants and recordings of a loop; plain peers and clients
# of the five systems. The others look at rstate's own decisions, which are the same program (decision tests-6).
DISTRO_NODES := NodeFaults|RockReports|S4|F2|HostLease
DISTRO_CALLS := C1|C2|F4|CancelIsRefused|A1ArmingAndItsChecks|A3ALateYes|DrivenByIDAlone|Parameters|TheNetworkIs
DISTRO_ARMED := A1AnArmThatWaits|A2AnOptional|A3ASuccessor|A12|A13|S2ARestart
DISTRO_TIMES := A8|E8|L1A|SimulatedTime
DISTRO_LOOPS := L11|L13TwoRuns|L14ASimulatorWithoutCode|L15AClient|CLEFaults|Examples
DISTRO_PEERS := P1Walks|P9|NRPOver|RockOver
DISTRO_TESTS := ^Test($(DISTRO_NODES)|$(DISTRO_CALLS)|$(DISTRO_ARMED)|$(DISTRO_TIMES)|$(DISTRO_LOOPS)|$(DISTRO_PEERS))
# Of test/peers: lives over a wire that loses and reorders, a cut, orders to disarm, a stop, a plain peer, and the demo of two
# hosts.
DISTRO_WIRES := ^Test(P1|P2CutWhileRaising|P7NoArm|P9|C4|A12|Demo)
# Of test/shim not: rstate under one fault at a time. What rcl and the middleware answer under each fault, the tests of
# rclgo and the witness show; rstate itself runs under all faults at once.
SHIM_NOT := ^TestUnderFaults$$/(_in_(rstate|peers),|(events|gids|requests|401)_in_ros,)
DISTRO_STAGES = $(FIRST_STAGES) \
	"test/ros, what depends on the distribution" 30m . $(ROSFUL) -run '$(DISTRO_TESTS)' ./test/ros ++ \
	rclgo 20m rclgo $(GO) test -json -vet=off -timeout 19m -count=1 -p 1 ./pkg/... ./internal/... ++ \
	"middlewares that can do less" 20m . $(ROSFUL) -skip '$(SHIM_NOT)' ./test/shim ++ \
	"the real world, facts and bindings" 20m . $(ROSFUL) ./internal/rosnet ./internal/gather ./msgs/gen ++ \
	"the page of real networks" 20m . $(ROSFUL) -run '^TestReal' ./test/page ++ \
	"test/peers, what depends on the distribution" 20m . $(ROSFUL) -run '$(DISTRO_WIRES)' ./test/peers ++ \
	demos 20m . $(ROSFUL) -run '^TestDemosGo|^TestUp' ./cmd/rstate
DISTRO_NOT := -left-out "check-generated: the bindings are made from Jazzy's interfaces" \
	-left-out "fuzz-bytes and test/hostile: CI runs them on Jazzy, and make nightly on Kilted too" \
	-left-out "data in lockstep beside busy processes: here two runs have 200 steps, and make nightly has the rest" \
	-left-out "what does not depend on the distribution: test/faults, test/observe and test/trials, most of cmd/rstate, the programs in internal, the examples, the generator and the headers of Lyrical of rclgo, the tests of test/ros and test/peers that DISTRO_TESTS and DISTRO_WIRES in the Makefile do not name, rstate under one fault of the middleware at a time (ALL=1 make test-ros runs them)"

# The bindings can be compared with the interfaces of these two only.
ifeq ($(filter-out jazzy kilted,$(ROS_DISTRO)),)
CHECK_GENERATED := check-generated 5m . $(MAKE) --no-print-directory check-generated --
else
OTHER_NOT := -left-out "check-generated: the bindings are made from the interfaces of Jazzy and Kilted, not of $(ROS_DISTRO)"
endif

TESTSUM = packages="$$($(GO) run ./tools/pure -ros -without "$(addprefix rstate/,test/ros cmd/rstate test/peers test/faults test/shim test/page)")" && \
	many="rstate/test/page $$($(GO) run ./tools/pure -race -without "$(WORKERS) rstate/test/page")" && alone="$$($(GO) run ./tools/pure -alone)" && \
	export RSTATE_BINARY="$(CURDIR)/bin/$$ROS_DISTRO/rstate" && \
	exec $(GO) run ./tools/testsum -at-once $(ROOMS) $(OTHER_NOT)

test: ## Run every test on one distribution; the last line counts them
	@$(ROS) $(TESTSUM) $(if $(filter later,$(LIVES)),$(LIVES_NOT)) $(PURE_STAGES) \
		$(if $(filter later,$(LIVES)),,~~ $(LIVES_STAGES)) -- $(ALL_STAGES)

test-ros: ## Run the tests on real ROS 2; on Kilted those that depend on the distribution, unless ALL=1
	@$(ROS) if [ "$$ROS_DISTRO" = kilted ] && [ -z "$(ALL)" ]; \
	then $(TESTSUM) $(DISTRO_NOT) $(PAGE_STAGES) $(DISTRO_STAGES) $(if $(filter now,$(LIVES)),~~ $(LIVES_STAGES)); else $(TESTSUM) $(PAGE_STAGES) $(ALL_STAGES); fi

test-bare: ## Run the tests that need no ROS 2
	@here="$$($(GO) run ./tools/pure)" && there="$$($(GO) run ./tools/pure -C rclgo)" && \
	$(GO) vet $$here && $(GO) -C rclgo vet $$there && \
	$(GO) run ./tools/testsum -left-out "everything on real ROS 2: the packages with the build tag ros, and what calls C in rclgo (make test runs them)" \
		"packages without ROS" 15m . $(ROSLESS) $$here -- \
		"rclgo without ROS" 5m rclgo $(ROSLESS) $$there

# The bindings are made from Jazzy's interfaces. Kilted's give the same ones. With --lenient they also bear those of a
# distribution that differs in a few fields.
BINDINGS := $(GO) run $(RCLGO)/cmd/rclgo-gen generate -d msgs/gen --no-importer --cgo-flags-path= --build-tag ros --lenient \
	--include-type '(rstate_msgs|lifecycle_msgs)/.*' \
	--include-type 'std_msgs/msg/(Header|Float64|String)' \
	--include-type 'std_srvs/srv/SetBool' \
	--include-type 'rcl_interfaces/(srv/[GS]etParameters|msg/Log)' \
	--include-type 'diagnostic_msgs/msg/DiagnosticArray' \
	--include-type 'rosgraph_msgs/msg/Clock'

generate: ## Write the Go bindings of the interfaces, msgs/gen
	@$(ROS) $(BINDINGS)

check-generated: ## Check that msgs/gen is what make generate writes
	@$(ROS) $(BINDINGS) --check

fmt: ## Check that every Go file is formatted
	@files="$$(git ls-files --cached --others --exclude-standard '*.go' | xargs -r ls -d 2>/dev/null | xargs -r gofmt -l)"; \
	if [ -n "$$files" ]; then echo "not formatted; run gofmt -w on:"; echo "$$files"; exit 1; fi

vet: ## Run go vet on both modules, with and without ROS 2
	@$(ROS) $(GO) vet ./... && $(GO) vet -tags ros ./... && $(GO) -C rclgo vet ./...

# The linter is a tool of a module of its own, so that what it needs does not become what rstate needs. It runs go vet too,
# but with the build tag ros, so packages with files for a build without it are vetted once more.
lint: ## Run golangci-lint on both modules
	@$(GO) build -C tools/lint -o $(CURDIR)/bin/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@$(ROS) $(GO) vet $$(git grep -l '^//go:build !ros' -- '*.go' | xargs -n1 dirname | sort -u | sed 's|^|./|') && \
	bin/golangci-lint run ./... && cd rclgo && ../bin/golangci-lint run --config ../.golangci.yaml ./...

mutate: ## Break each rule on purpose and check that its test fails; RUN=word selects
	@$(ROS) exec $(GO) run ./tools/mutate $(if $(RUN),-run $(RUN))

mutants: ## Change pure packages at random places and count the changes that tests notice; RUN=word and FILE=name select
	@$(GO) run ./tools/mutants $(if $(RUN),-run "$(RUN)") $(if $(FILE),-file $(FILE))

# Every stage that is too long for each change. What make test leaves out on this machine, it names.
NIGHTLY_SEEDS ?= 1000000
NIGHTLY_PEERS ?= 100000
NIGHTLY_CI ?= .ci/run
nightly: ## Run all tests, mutations, a million simulated lives and all benchmarks; half a day
	@$(ROS) exec $(GO) run ./tools/testsum -show \
		"tests on both distributions" 80m . $(NIGHTLY_CI) -- \
		"all tests on ROS, on Kilted" 60m . env ROS_DISTRO=kilted $(MAKE) --no-print-directory test-ros ALL=1 -- \
		"lists of work, with the race detector" 30m . $(ROSLESS) -timeout 28m -race $(WORKERS) -- \
		"rules broken on purpose" 3h . $(MAKE) --no-print-directory mutate -- \
		"random places broken" 4h . $(MAKE) --no-print-directory mutants -- \
		"schedules" 2h . $(MAKE) --no-print-directory simulate SEEDS=$(NIGHTLY_SEEDS) -- \
		"schedules of peers" 4h . $(MAKE) --no-print-directory simulate PEERS=drawn SEEDS=$(NIGHTLY_PEERS) -- \
		"orders of events" 4h . $(MAKE) --no-print-directory explore DEPTH=2 -- \
		"drawn machines" 2h . $(MAKE) --no-print-directory simulate MACHINES=1 SEEDS=$(NIGHTLY_SEEDS) -- \
		"peers with drawn machines" 2h . $(MAKE) --no-print-directory simulate MACHINES=1 PEERS=drawn SEEDS=$(NIGHTLY_PEERS) -- \
		"generated requests over HTTP" 20m . $(MAKE) --no-print-directory fuzz-http -- \
		"packages for all machines" 60m . $(MAKE) --no-print-directory dist -- \
		"bytes that are no messages" 20m . $(MAKE) --no-print-directory fuzz-bytes -- \
		"data in lockstep" 20m . $(MAKE) --no-print-directory lockstep LOCKSTEPS=10000 -- \
		"measurements" 90m . $(MAKE) --no-print-directory bench

lockstep: ## Compare the data of two stepped runs beside four busy processes; LOCKSTEPS=n
	@$(ROS) exec $(GO) run ./tools/testsum "data in lockstep" 20m . env RSTATE_STEPS=$(LOCKSTEPS) $(ROSFUL) -run $(LOCKSTEP) ./test/ros

TIME ?= 10m
fuzz-http: build ## Send generated requests to the HTTP API of a factory; TIME=10m
	@$(ROS) exec $(GO) run ./tools/indomain $(GO) run ./tools/fuzzhttp -for $(TIME) bin/rstate

fuzz-bytes: ## Send bytes that are no messages through the decoder of every subscribed type; TIME=10m
	@$(ROS) exec $(GO) run ./tools/fuzzbytes -for $(TIME)

sbom: ## Write the bill of materials, CycloneDX, into bin/rstate.cdx.json
	@mkdir -p bin && $(GO) run ./tools/sbom '$(VERSION)' >bin/rstate.cdx.json.new && mv bin/rstate.cdx.json.new bin/rstate.cdx.json

# The program without ROS, which starts the one for the distribution that is sourced. It needs no library.
TARGET := $(shell $(GO) env GOOS)/$(shell $(GO) env GOARCH)
STATIC := bin/static/$(subst /,-,$(TARGET))
.PHONY: static
static:
	@CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w $(LDFLAGS)' -o $(STATIC)/rstate ./cmd/rstate

dist: setup rehearsal ## Build packages for Debian and pip of all distributions that are set up, into bin/dist
	@$(GO) run ./tools/dist make

PREFIX ?= /usr/local
DESTDIR ?=
install: static rehearsal ## Install rstate for the ROS 2 in use below PREFIX=/usr/local, in DESTDIR
	@$(ROS) $(GO) build -trimpath -ldflags '-s -w $(LDFLAGS)' -tags ros -o bin/dist-$$ROS_DISTRO/rstate ./cmd/rstate && \
	$(GO) run ./tools/dist install -prefix '$(PREFIX)' -destdir '$(DESTDIR)' -program $(TARGET)=$(STATIC)/rstate \
		-ros "$$ROS_DISTRO=bin/dist-$$ROS_DISTRO/rstate,$${AMENT_PREFIX_PATH%%:*}"

uninstall: ## Remove what make install wrote below PREFIX, in DESTDIR
	@$(GO) run ./tools/dist uninstall -prefix '$(PREFIX)' -destdir '$(DESTDIR)'

SEEDS ?= 100000
simulate: ## Simulate random lives of networks; SEEDS=n; PEERS=n or PEERS=drawn: several instances; MACHINES=1: drawn machines
	@$(GO) run ./tools/simulate -seeds $(SEEDS) $(if $(PEERS),-peers $(PEERS)) $(if $(MACHINES),-machines)

DEPTH ?= 1
explore: ## Run all orders of events in small networks with one deviation from a normal day; DEPTH=n; RUN=name selects
	@$(GO) run ./tools/explore -depth $(DEPTH) $(if $(RUN),-run $(RUN))

# A failing benchmark must fail the target though its output is read by another program: pipefail.
bench: ## Run the benchmarks and count the bounds that are met; SHORT=1: up to 10 nodes; RUN=word selects
	@$(ROS) $(GO) build -o bin/benchsum ./tools/benchsum && { \
	$(GO) run ./tools/indomain $(GO) test $(if $(SHORT),-short) -tags ros -p 1 -run '^$$' -bench '$(or $(RUN),.)' -timeout 40m ./... && \
	$(GO) run ./tools/indomain $(GO) -C rclgo test -p 1 -run '^$$' -bench '$(or $(RUN),.)' -timeout 20m ./...; } | bin/benchsum

# The rehearsal that the page plays in the browser, compressed as it is served.
BUILT := internal/page/built
rehearsal: ## Build the rehearsal of the page, as WebAssembly, into internal/page/built
	@mkdir -p bin && GOOS=js GOARCH=wasm $(GO) build -trimpath -ldflags '-s -w' -o bin/rehearse.wasm ./internal/whatif
	@cp "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" bin/
	@for f in rehearse.wasm wasm_exec.js; do if [ bin/$$f -nt $(BUILT)/$$f.gz ]; then \
	gzip -9nc bin/$$f >$(BUILT)/$$f.gz.new && mv $(BUILT)/$$f.gz.new $(BUILT)/$$f.gz; fi; done

# Below a folder with a dot, where the go command looks at nothing: npm packages may have Go files.
NPM := $(CURDIR)/.npm
page: rehearsal ## Check types, rules and accessibility of the page, and copy what it vendors; needs npm
	@mkdir -p $(NPM) && cp internal/page/package.json internal/page/package-lock.json $(NPM) && \
	npm ci --prefix $(NPM) --no-audit --no-fund --loglevel=error && cd internal/page && \
	$(NPM)/node_modules/.bin/tsc --noEmit -p . && $(NPM)/node_modules/.bin/eslint web/app && node vendor.js $(NPM) && cd ../.. && \
	$(GO) run ./setup chromium && $(GO) test -count=1 -run TestMoments ./test/page

SHOTS ?= bin/screenshots
screenshots: rehearsal ## Take screenshots of the page into bin/screenshots
	@$(GO) run ./setup chromium && $(GO) test -count=1 -run TestMoments ./test/page -shots $(abspath $(SHOTS))

clean: ## Remove what was built; ROS 2 in .ros/ stays
	rm -rf bin .ros/build-* .ros/stage-*
