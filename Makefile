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
# Where `make run` keeps its log, its database and dev.env.
DATA ?= .data

.PHONY: help
help: ## list the tasks
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: run
run: prerequisites-run build ## start Parley with its own Kafka and Postgres, in development mode (ARGS="..." for more flags)
	@exec bin/parley serve --dev --data $(DATA) $(ARGS)

.PHONY: build
build: prerequisites-go ## build bin/parley
	@echo "==> go build (the first one takes a minute or two)"
	@go build -trimpath -o bin/parley ./cmd/parley

.PHONY: test
test: prerequisites-test lint ## all tests: format, vet, staticcheck, then unit, property and integration tests with the race detector
	@echo "==> go test -race ./... (packages report as they finish)"
	@go test -race -timeout 20m $(TESTFLAGS) ./...

.PHONY: check
check: prerequisites-go lint ## the fast part of test: no integration tests, no race detector
	@echo "==> go test -short ./..."
	@go test -short -timeout 5m $(TESTFLAGS) ./...

.PHONY: lint
lint: prerequisites-go
	@echo "==> gofmt"
	@unformatted="$$(git ls-files -z --cached --others --exclude-standard '*.go' | xargs -0 sh -c 'for f; do [ ! -e "$$f" ] || printf "%s\0" "$$f"; done' sh | xargs -0 gofmt -l)"; \
	if [ -n "$$unformatted" ]; then echo "not formatted, run gofmt -w on:"; echo "$$unformatted"; exit 1; fi
	@echo "==> go vet"
	@go vet ./...
	@echo "==> staticcheck"
	@go tool staticcheck ./...

.PHONY: bench
bench: prerequisites-run build ## commands per second to visible reply, beside raw produce in the same run (ARGS="--for 10s")
	@bin/parley bench $(ARGS)

.PHONY: verify
verify: prerequisites-verify ## committed generated files, docker-compose.yml and the scripts are right
	@echo "==> generated files equal what the code generates"
	@go run ./cmd/parley generate --check
	@echo "==> docker-compose.yml"
	@scripts/compose.sh config --quiet
	@echo "==> shell scripts"
	@bash -n scripts/*.sh .ci/run
	@if command -v shellcheck >/dev/null; then shellcheck scripts/*.sh .ci/run; fi

.PHONY: prerequisites-go prerequisites-run prerequisites-test prerequisites-verify
prerequisites-go:
	@scripts/prerequisites.sh go
prerequisites-run:
	@scripts/prerequisites.sh go postgres curl
prerequisites-test:
	@scripts/prerequisites.sh go git cc postgres
prerequisites-verify:
	@scripts/prerequisites.sh go compose
