# Every target sets up what it needs in .venv, with uv where there is one and with pip where not.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

VENV := .venv
BIN := $(VENV)/bin
# Processes that share the tests: one more than the two cores of a small machine, as many tests wait.
JOBS ?= 3
# Each has one thread of OpenMP and BLAS: more would wait for the cores that other tests use.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -q -n $(JOBS) --dist worksteal
SUITES := complete partial crossovers history-length evaluation label-ranking methods designs exactness scale
LOWEST := build/lowest
# The tests of the site need recent versions of its tools.
LOWEST_TESTS ?= tests src --ignore=tests/test_site.py
EXAMPLE := src/concordant/examples/cafes.toi

# The first Python that starts and is new enough. Deferred, so it is looked for only when a
# virtual environment has to be made. Override with `make PYTHON=/path/to/python test`.
PYTHON ?= $(shell for python in python3.13 python3.12 python3.11 python3 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 \
	&& { echo $$python; break; }; done)

# $(call install,ARGUMENTS): the same arguments suit `uv pip` and `pip`. The pip that comes with
# Python 3.11 does not know dependency groups (that takes 25.1), so pip replaces itself first.
define install
	@if command -v uv >/dev/null 2>&1; then \
		uv pip install --quiet --python $(BIN)/python $(1); \
	else \
		$(BIN)/python -m pip install -qq --disable-pip-version-check --upgrade 'pip>=25.1' && \
		$(BIN)/python -m pip install -qq --disable-pip-version-check $(1); \
	fi
endef

.PHONY: help
help: ## Show this list
	@echo "make TARGET, where TARGET is one of"
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | \
		while IFS='|' read -r target text; do printf '%-10s %s\n' "$$target" "$$text"; done

.PHONY: demo
demo: $(VENV)/.core ## Aggregate the bundled example
	@$(BIN)/concordant aggregate $(EXAMPLE)

.PHONY: test
test: lint types ## Lint, check types, run all tests
	@$(BIN)/python tests/compile.py $(JOBS)
	@$(PYTEST)

.PHONY: coverage
coverage: $(VENV)/.dev ## Run all tests and measure which lines they run (slower)
	@$(PYTEST) --cov --cov-report=term

.PHONY: lint
lint: $(VENV)/.dev ## Check style and formatting
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .

.PHONY: types
types: $(VENV)/.dev ## Check types
	@$(BIN)/mypy

.PHONY: bench
bench: $(VENV)/.dev ## Measure the speed of the parts
	@$(BIN)/pytest -q -o addopts= benchmarks

.PHONY: docs
docs: $(VENV)/.dev ## Build the documentation into build/site
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "build/site/index.html"

.PHONY: gallery
gallery: $(VENV)/.dev ## Run the scripts of the gallery and write their pages and pictures
	@$(BIN)/python docs/gallery/make.py

.PHONY: reference
reference: $(VENV)/.dev ## Write the API as one page of Markdown, from the docstrings
	@$(BIN)/python docs/reference/make.py

.PHONY: dist
dist: $(VENV)/bin/python ## Build wheel and sdist into dist, and check them in an empty environment
	@bash .ci/package $(abspath $(BIN)/python)

# uv finds the lowest versions that pyproject.toml allows. Old packages with new dependencies warn of
# what will go away, which says nothing about Concordant.
.PHONY: lowest
lowest: $(VENV)/bin/python ## Run the tests with the lowest versions of all dependencies
	@$(BIN)/python -m venv --clear $(LOWEST)
	@$(LOWEST)/bin/pip install -qq --disable-pip-version-check uv
	@$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct \
		--all-extras --group dev -r pyproject.toml
	@$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --no-deps -e .
	@$(subst $(BIN),$(LOWEST)/bin,$(PYTEST)) -W ignore::DeprecationWarning \
		-W ignore::PendingDeprecationWarning $(LOWEST_TESTS)

.PHONY: smoke
smoke: $(VENV)/.dev ## Run all experiments at their smallest scale, and write build/smoke/report
	@for suite in $(SUITES); do \
		$(BIN)/concordant bench run $$suite --scale smoke --store build/smoke/$$suite || exit 1; \
	done
	@$(BIN)/concordant bench report $(SUITES:%=build/smoke/%) -o build/smoke/report

.PHONY: dev
dev: $(VENV)/.dev ## Install the package with all that its developers use

.PHONY: clean
clean: ## Remove the virtual environment and everything generated
	@rm -rf $(VENV) .coverage .coverage.* .benchmarks .hypothesis .mypy_cache .pytest_cache \
		.ruff_cache build dist
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@if [ -z "$(PYTHON)" ]; then \
		echo "Concordant needs Python 3.11 or newer, and none was found." >&2; \
		echo "Install one, or name it: make PYTHON=/path/to/python ..." >&2; \
		exit 1; \
	fi
	@echo "Setting up $(VENV) with $(PYTHON), once ..." >&2
	@if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --clear --python "$$(command -v $(PYTHON))" $(VENV); \
	else \
		$(PYTHON) -m venv --clear $(VENV); \
	fi

$(VENV)/.core: pyproject.toml | $(VENV)/bin/python
	@echo "Installing concordant ..." >&2
	$(call install,-e .)
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	@echo "Installing concordant and its development tools ..." >&2
	$(call install,-e '.[all]' --group dev)
	@touch $(VENV)/.core $@
