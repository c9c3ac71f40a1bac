# Parley's tasks. `make` alone lists them. Each task first installs what the machine
# lacks for it (scripts/prerequisites.sh says what, and asks for nothing it has).

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# A Go that the prerequisites fetched comes first; one that was unpacked to the
# usual place, without its PATH, is found too.
export PATH := $(CURDIR)/.tools/go/bin:$(PATH):/usr/local/go/bin

# More flags for `parley serve`, such as ARGS="--listen 127.0.0.1:9000".
ARGS ?=
# More flags for `go test`, such as TESTFLAGS="-run TestDialout -v".
TESTFLAGS ?=
# Whose tests `make race` and `make test-kafka` run, such as PACKAGES=./domain/...; empty: all that there are.
PACKAGES ?=
# Where `make run` keeps its log, its database and dev.env.
DATA ?= .data
# Compilers, linters and tests live shortly and machines that build have memory: with more room for garbage they need a sixth
# less of the processor, staticcheck a quarter.
GOGC ?= 400
lint check test race test-kafka: export GOGC := $(GOGC)
# What is compiled knows no path of this machine. So tests, programs that tests start and the binary that is shipped are
# compiled once for all of them, and another checkout finds what this one has compiled.
export GOFLAGS := $(strip $(GOFLAGS) -trimpath)

.PHONY: help
help: ## list the tasks
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: run
run: prerequisites-run build ## start Parley with its own Kafka and Postgres, in development mode (ARGS="..." for more flags)
	@exec bin/parley serve --dev --data $(DATA) $(ARGS)

.PHONY: build
build: prerequisites-go ## build bin/parley
	@echo "==> go build (the first one takes a minute or two)"
	@go build -buildvcs=auto -o bin/parley ./cmd/parley

# What takes longest begins first, so that the last package does not run alone; lint has
# run vet already.
SLOW_PACKAGES := ./cmd/parley/node ./cmd/parley ./adapters/watermill ./projections/engine ./projections/rebuild

# The race detector makes tests of whole nodes seven times as dear, and on Apache Kafka they run once
# more. So either sees an eighth of them at a time, and every other package always. Which eighth, the commit
# says: the next one likely has another, and the same one has the same again. SHARE=. is all of them, as in
# `make race`.
SHARES := [etn]s$$ [^etn]s$$|[a-l]ed$$ [m-z]ed$$ [^e]d$$|[ym]$$ e$$ t$$ [nk]$$ [^sdymetnk]$$
# $(call by-commit,N) is a number from 1 to N.
by-commit = $(shell echo $$((0x$$(git rev-parse --short=7 HEAD 2>/dev/null || echo 0) % $(1) + 1)))
SHARE ?= $(word $(call by-commit,8),$(SHARES))

# In these nothing runs beside anything: rules of the domain, and tests that read the repository and its documents, which takes
# ten times as long with the race detector. So make test has them without; and 850 calls that are heard, of which the detector
# sees nothing that the tests of ./adapters/voice and ./adapters/telephony/sip do not show it; and tests that start processes,
# which are built without it, so that it would see who calls them.
ALONE := ./cmd/parley ./domain/... ./house ./cmd/generate ./adapters/voice/corpus

# Tests that run beside each other have nodes of their own, and mostly wait for these to
# start and to notice what was done to them: hence -parallel, whatever the cores are. Two
# packages at once are enough for that: with three, brokers were not answered for seconds. Two
# hundred test binaries are linked a quarter faster without tables for debuggers (-w). The
# tag gives Watermill's own suite more patience: its fifty members of one group must find
# each other beside all that. None waits a second at its end, as the race detector has each
# do for what may still run, and none checks pointers of libraries: the project has no
# unsafe code of its own.
RACED := -race -gcflags=all=-d=checkptr=0 -tags stress
RACE := GORACE=atexit_sleep_ms=0 go test $(RACED) -ldflags=-w -vet=off -p 2 -parallel 4 -timeout 45m

# Tests of whole nodes wait more than they work, a compiler never does: so what the race detector needs is compiled meanwhile,
# by whoever is asked last.
.PHONY: test
test: prerequisites-test lint ## all tests: format, vet, staticcheck, then unit, property and integration tests, with the race detector but for seven eighths of those of whole nodes
	@echo "==> go test ./cmd/parley/node, without the race detector those whose names do not end in '$(SHARE)'"
	@failed=0; \
	nice -n 19 go build $(RACED) $$(go list -f '{{if ne .Name "main"}}{{.ImportPath}}{{end}}' ./...) & compiling=$$!; \
	go test -ldflags=-w -vet=off -parallel 6 -timeout 25m $(TESTFLAGS) -skip '$(SHARE)' ./cmd/parley/node || failed=1; \
	echo "==> go test of what has the detector nowhere"; \
	go test -ldflags=-w -vet=off -parallel 6 -timeout 25m $(TESTFLAGS) $(ALONE) || failed=1; \
	wait $$compiling || failed=1; \
	echo "==> go test -race ./..., of whole nodes the others (packages report as they finish)"; \
	PARLEY_TEST_NODES='$(SHARE)' $(RACE) $(TESTFLAGS) $(filter-out $(ALONE),$(SLOW_PACKAGES)) $$(go list ./... | grep -vxFf <(go list $(ALONE))) || failed=1; \
	exit $$failed

.PHONY: race
race: prerequisites-test ## all tests with the race detector, or those of some packages (PACKAGES=./domain/...)
	@echo "==> go test -race $(or $(PACKAGES),./...) (packages report as they finish)"
	@$(RACE) $(TESTFLAGS) $(or $(PACKAGES),$(SLOW_PACKAGES) ./...)

# What a broker can make a difference to. Not here: read models by group, which are given
# their events by hand, tests of the embedded parts, files of tests that say "!apache", and
# crash tests that kill a node together with its broker (docs/how-to/test-on-apache-kafka.md).
KAFKA_PACKAGES := ./adapters/kafka/... ./adapters/watermill ./projections ./projections/engine ./projections/rebuild ./projections/sink ./handlers/apply ./cmd/parley/node

# How often `make starts` kills the server's process and starts it again.
STARTS ?= 500

.PHONY: starts
starts: prerequisites-test ## kill -9 under load and start again at once, 500 times (STARTS=n); 20 of them are in make test
	@PARLEY_TEST_STARTS=$(STARTS) go test -count=1 -timeout 90m -run '^TestPostgresStartsAfterEachKill9$$' -v $(TESTFLAGS) ./adapters/embedded

.PHONY: test-kafka
test-kafka: prerequisites-kafka ## the integration tests against Apache Kafka, of whole nodes an eighth (SHARE=. for all), three brokers for the fault tests (KAFKA_BROKERS="..." for one that runs)
	@go build -o bin/with-kafka ./adapters/kafka/kafkatest/with
	@echo "==> go test -tags apache, of whole nodes those whose names end in '$(SHARE)' (packages report as they finish)"
	@PARLEY_TEST_NODES='$(SHARE)' bin/with-kafka -clusters 6 -heap 320m -- go test -tags apache,stress -p 2 -vet=off -timeout 25m $(TESTFLAGS) $(or $(PACKAGES),$(KAFKA_PACKAGES))
	@echo "==> two nodes, one killed"
	@bin/with-kafka -- go test -timeout 5m $(TESTFLAGS) -run '^TestOtherNodeGoesOnWhenOneIsKilled$$' ./cmd/parley

# Four packages at a time, whatever the cores are: those that take longest wait for sockets and timers.
.PHONY: check
check: prerequisites-go lint ## the fast part of test: no integration tests, no race detector
	@echo "==> go test -short ./..."
	@go test -short -vet=off -p 4 -timeout 5m $(TESTFLAGS) ./...

.PHONY: lint
lint: prerequisites-go
	@echo "==> gofmt"
	@unformatted="$$(git ls-files -z --cached --others --exclude-standard '*.go' | xargs -0 sh -c 'for f; do [ ! -e "$$f" ] || printf "%s\0" "$$f"; done' sh | xargs -0 gofmt -l)"; \
	if [ -n "$$unformatted" ]; then echo "not formatted, run gofmt -w on:"; echo "$$unformatted"; exit 1; fi
	@echo "==> go vet"
	@go vet ./...
	@go vet -tags apache ./projections/... ./adapters/kafka/... ./cmd/parley/node
	@go vet -tags interop ./interop
	@echo "==> staticcheck"
	@go tool staticcheck ./...
	@echo "==> deadcode"
	@dead="$$(go tool deadcode -test ./...)"; \
	if [ -n "$$dead" ]; then echo "no program and no test reaches these, remove them:"; echo "$$dead"; exit 1; fi

# What `make chaos` is told instead of 20 rounds and all ablations, such as
# CHAOS="--seed 7 --rounds 1"; `bin/chaos run --help` lists it.
CHAOS ?=

.PHONY: chaos
chaos: prerequisites-kafka ## fault tests from seeds: 20 rounds on the embedded parts and on Apache Kafka, a kill between every two steps of turns, then each safety mechanism switched off (CHAOS="--seed 7 --rounds 1")
	@go build -o bin/chaos ./cmd/chaos
	@bin/chaos run $(CHAOS)
	@[ -n "$(CHAOS)" ] || bin/chaos turns
	@[ -n "$(CHAOS)" ] || bin/chaos ablations

.PHONY: chaos-short
chaos-short: prerequisites-kafka ## the part of chaos that CI runs: three rounds, the last with damaged logs, the kinds of turns with a second node, and one ablation, which the commit chooses
	@go build -o bin/chaos ./cmd/chaos
	@bin/chaos run --short --stall 1m --seed 20 --rounds 3 --faults kill-between,kill-broker,damaged-log,stop-postgres,cut-kafka,drop-database
	@bin/chaos turns --modes other --only read,write,callback,fan,model,slack,twilio_sms
	@bin/chaos ablations $(word $(call by-commit,2),parent await)

# What `make mutate` breaks, and what else it is told, such as MUTATE="-sample 200 -seed 7".
PKG ?= ./domain/...
MUTATE ?=

.PHONY: mutate
mutate: prerequisites-test ## break one rule at a time and see that a test notices (PKG=./domain/calls, MUTATE="-file dial_out"); docs/mutations.md has the results
	@go run ./cmd/mutate -table docs/mutations.md $(MUTATE) $(PKG)

.PHONY: heard
heard: prerequisites-test ## let the detection of machines hear calls made from seeds, and write docs/machines-heard.md (HEARD="-more 40" for more seeds)
	@go run ./cmd/heard $(HEARD)

# What `make fuzz` tells the tester, such as FUZZ="--include-operation-id dial-out -n 500".
FUZZ ?=

.PHONY: fuzz
fuzz: prerequisites-fuzz ## made-up input, good and bad, for every operation: no 500, no answer outside its schema, no bad input accepted (FUZZ="...")
	@scripts/fuzz.sh $(FUZZ)

.PHONY: interop
interop: prerequisites-interop ## Parley with programs of others: generators of clients, linters, SDKs, Kafka's tools, a browser (TESTFLAGS="-run TestOpenAPI -v")
	@echo "==> go test -tags interop ./interop"
	@go test -tags interop -vet=off -count=1 -parallel 4 -timeout 40m $(TESTFLAGS) ./interop

.PHONY: peers
peers: prerequisites-interop ## those of make interop that agents and completions are held against: a small model, one that breaks, OpenAI's clients and agents, servers of tools, the libraries of platforms and mail
	@echo "==> go test -tags interop ./interop -run ^TestPeer"
	@go test -tags interop -vet=off -count=1 -timeout 20m -run '^TestPeer' $(TESTFLAGS) ./interop

.PHONY: clients
clients: prerequisites-clients ## write the TypeScript and the Python client from docs/openapi.json into clients/
	@scripts/clients.sh

.PHONY: bench
bench: prerequisites-run prerequisites-test build ## commands per second to visible reply, beside raw produce in the same run (ARGS="--for 10s")
	@go build -buildvcs=auto -o bin/bench ./cmd/bench
	@bin/bench $(ARGS)

.PHONY: verify
verify: prerequisites-verify ## committed generated files, docker-compose.yml and the scripts are right
	@echo "==> generated files equal what the code generates"
	@go run ./cmd/generate --check
	@echo "==> docker-compose.yml"
	@scripts/compose.sh config --quiet
	@echo "==> shell scripts"
	@bash -n scripts/*.sh .ci/run
	@if command -v shellcheck >/dev/null; then shellcheck scripts/*.sh .ci/run; fi

.PHONY: prerequisites-go prerequisites-run prerequisites-test prerequisites-kafka prerequisites-fuzz prerequisites-interop prerequisites-clients prerequisites-verify
prerequisites-go:
	@scripts/prerequisites.sh go
prerequisites-run:
	@scripts/prerequisites.sh go postgres curl
prerequisites-test:
	@scripts/prerequisites.sh go git cc postgres voice
prerequisites-kafka:
	@scripts/prerequisites.sh go postgres
	@docker info >/dev/null 2>&1 || scripts/prerequisites.sh java maven
prerequisites-fuzz:
	@scripts/prerequisites.sh go postgres python
prerequisites-interop:
	@scripts/prerequisites.sh go git curl jq kcat openssl swaks postgres jdk maven python node chromium systemd voice
prerequisites-clients:
	@scripts/prerequisites.sh python node
prerequisites-verify:
	@scripts/prerequisites.sh go compose
