# Two commands for a newcomer: `make demo` and `make test`. Each makes .venv if it is missing.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
STAMP  := $(VENV)/.installed

.PHONY: demo test test-all explore coverage mutants bench docs site dist dist-check test-lowest test-pythons \
  audit setup clean

demo: $(STAMP)  ## run the main job on the bundled example
	@$(BIN)/redink demo

test: $(STAMP)  ## format, lint, types and tests: the same answer every time (about 4 minutes)
	@$(BIN)/python .ci/test.py

test-all: test  ## and the tests that take long
	@$(BIN)/python .ci/test.py --slow

explore: $(STAMP)  ## look for new failures at random; prints the seed (SEED=N repeats one) and the input
	@seed=$${SEED:-$$($(BIN)/python -c 'import random; print(random.randrange(10**9))')}; \
	echo "redink: exploring at random for some minutes; again with: make explore SEED=$$seed"; \
	EXPLORE=$$seed $(BIN)/pytest -q -n auto -m hypothesis --hypothesis-seed=$$seed && \
	$(BIN)/python -m fuzzing --seconds 120 --seed $$seed

coverage: $(STAMP)  ## lines and branches that the quick tests reach, by package; TESTS=tests/formats for some
	@$(BIN)/python .ci/covered.py $(TESTS)

mutants: $(STAMP)  ## how many small faults the tests notice, on a sample (about an hour)
	$(BIN)/python -m fuzzing.mutants

setup: $(STAMP)  ## only make the environment

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "redink needs Python 3.11 or newer; say which with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing redink and what it needs into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

bench: $(STAMP)  ## measure against the peers and write docs/performance.md (under 20 minutes)
	$(BIN)/python benchmarks/performance.py

docs: $(STAMP)  ## write what the docs and the stub take from the program
	$(BIN)/python docs/write_cli.py
	$(BIN)/python docs/write_stub.py
	$(BIN)/python docs/write_error_types.py
	$(BIN)/python -m docs.write_examples
	$(BIN)/python -m docs.write_notebooks

site: $(STAMP)  ## the documentation as a site, in build/site
	@$(BIN)/python -m docs.write_site
	@echo "redink: open build/site/index.html"

dist: $(STAMP)  ## wheel and sdist, in dist/
	rm -rf dist
	$(BIN)/python -m build --quiet

dist-check: dist  ## install both into empty environments, with every Python that is there, and use them
	.ci/check-dist $(BIN) dist

test-lowest: $(STAMP)  ## the tests with the lowest versions that pyproject.toml names
	.ci/test-lowest $(BIN)

test-pythons: $(STAMP)  ## the tests with every other Python that is installed
	.ci/test-pythons $(BIN)

audit: $(STAMP)  ## known vulnerabilities of what is installed (asks the package index)
	$(BIN)/uv tool run --quiet pip-audit --strict --skip-editable --progress-spinner off --path $(VENV)/lib/python3*/site-packages

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
