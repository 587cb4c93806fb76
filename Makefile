# Two commands for newcomers: `make demo` and `make test`. Both create .venv if it is missing.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
STAMP  := $(VENV)/.installed

.PHONY: demo test test-all explore coverage mutants bench docs site dist dist-check test-lowest test-pythons \
  audit setup clean

demo: $(STAMP)  ## run redink's demo on the bundled example
	@$(BIN)/redink demo

test: $(STAMP)  ## check formatting, lint and types, and run the tests (deterministic, about 4 minutes)
	@$(BIN)/python .ci/test.py

test-all: test  ## run the checks and all tests, including the slow ones
	@$(BIN)/python .ci/test.py --slow

explore: $(STAMP)  ## search for failures with random input; prints the seed (repeat a run with SEED=N)
	@seed=$${SEED:-$$($(BIN)/python -c 'import random; print(random.randrange(10**9))')}; \
	echo "redink: testing random input for some minutes; repeat with: make explore SEED=$$seed"; \
	EXPLORE=$$seed $(BIN)/pytest -q -n auto -m hypothesis --hypothesis-seed=$$seed && \
	$(BIN)/python -m fuzzing --seconds 120 --seed $$seed

coverage: $(STAMP)  ## measure line and branch coverage of the quick tests, by package (select with TESTS=tests/formats)
	@$(BIN)/python .ci/covered.py $(TESTS)

mutants: $(STAMP)  ## run mutation tests on a random sample (about an hour)
	$(BIN)/python -m fuzzing.mutants

setup: $(STAMP)  ## only create the environment

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "redink needs Python 3.11 or newer; select it with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing redink and its dependencies into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

bench: $(STAMP)  ## run the benchmarks and write docs/performance.md (under 20 minutes)
	$(BIN)/python benchmarks/performance.py

docs: $(STAMP)  ## regenerate the generated docs pages and the type stub
	$(BIN)/python docs/write_cli.py
	$(BIN)/python docs/write_stub.py
	$(BIN)/python docs/write_error_types.py
	$(BIN)/python -m docs.write_examples
	$(BIN)/python -m docs.write_notebooks

site: $(STAMP)  ## build the documentation site in build/site
	@$(BIN)/python -m docs.write_site
	@echo "redink: open build/site/index.html"

dist: $(STAMP)  ## build the wheels and sdists of redink and redink-compat in dist/
	rm -rf dist
	$(BIN)/python -m build --quiet
	$(BIN)/python -m build --quiet --outdir dist packaging/redink-compat

dist-check: dist  ## install both into empty environments of all available Pythons, and use them
	.ci/check-dist $(BIN) dist

test-lowest: $(STAMP)  ## run the tests with the lowest supported versions of the dependencies
	.ci/test-lowest $(BIN)

test-pythons: $(STAMP)  ## run the tests with all other installed Python versions
	.ci/test-pythons $(BIN)

audit: $(STAMP)  ## check installed packages for known vulnerabilities (queries the package index)
	$(BIN)/uv tool run --quiet pip-audit --strict --skip-editable --progress-spinner off --path $(VENV)/lib/python3*/site-packages

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
