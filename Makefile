# Everything a contributor runs. The only thing a machine must have is Go.
GO ?= go
PKGS ?= ./...
FUZZTIME ?= 30s
KILLS ?= 20
CONVERSATIONS ?= 10000
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

help: ## what there is to run
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 13

.PHONY: help test lint bench turns beatload cover build fuzz chaos screenshots

test: ## run everything with the race detector
	$(GO) test -race -timeout 9m $(PKGS)

lint: ## formatting, vet, staticcheck
	@unformatted=$$($(GO) tool gofumpt -l $$(git ls-files '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not formatted:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

bench: ## benchmarks, in the form that benchstat reads: make bench > old.txt; …; go tool benchstat old.txt new.txt
	$(GO) test -run '^$$' -bench . -benchmem -timeout 60m $(PKGS)

turns: ## full areyouai turns at 1, 100 and 1,000 rooms at once, and what reading the context costs
	$(GO) test -run '^$$' -bench . -benchmem -benchtime 5000x -timeout 20m ./tests/bench/areyouai

beatload: ## 5,000 connections that beat for a minute, which must cost less than half a core
	STELE_BEATLOAD=1 $(GO) test -count=1 -timeout 5m -v -run TestBeatLoad ./tests/bench

cover: ## coverage over all packages
	$(GO) test -coverpkg=./... -coverprofile=coverage.out $(PKGS)
	$(GO) tool cover -func=coverage.out | tail -n 1

build: ## the binary, in bin/
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/stele ./cmd/stele

# The fuzzer may report its own deadline as a failure when the time is up; what it finds is always a failing input.
fuzz: ## every fuzz target for FUZZTIME
	@set -e; out=$$(mktemp); trap 'rm -f "$$out"' EXIT; \
	for pkg in $$($(GO) list $(PKGS)); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "fuzz $$pkg $$target"; \
			if ! $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$pkg > "$$out" 2>&1; then \
				cat "$$out"; \
				if grep -q 'Failing input' "$$out" || ! grep -qx ' *context deadline exceeded' "$$out"; then exit 1; fi; \
			fi; \
		done; \
	done

chaos: ## kill the gateway KILLS times under load, then hold CONVERSATIONS over all protocols, and check every promise
	STELE_CHAOS_KILLS=$(KILLS) $(GO) test -race -count=1 -timeout 0 -v -run TestKill ./tests/chaos
	STELE_CONVERSATIONS=$(CONVERSATIONS) $(GO) test -race -count=1 -timeout 0 -v -run TestConversations ./tests/translation

screenshots: ## the console's pictures in docs/images, made with Chromium
	STELE_SCREENSHOTS=$(CURDIR)/docs/images $(GO) test -count=1 -timeout 5m -run TestScreenshots ./tests/console
