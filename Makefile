# Two commands for a newcomer: `make demo` and `make test`. Each makes .venv if it is missing.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: demo test bench docs dist dist-check test-lowest test-all audit setup clean

demo: $(STAMP)  ## run the main job on the bundled example
	@$(BIN)/redink demo

test: $(STAMP)  ## lint, types and every test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -n auto --ignore=tests/browser --ignore=tests/campaign/test_load.py
	$(BIN)/pytest tests/campaign/test_load.py  # these two alone, since they watch the clock,
	$(BIN)/pytest tests/browser  # and apart, since the browser keeps an event loop running

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

dist: $(STAMP)  ## wheel and sdist, in dist/
	rm -rf dist
	$(BIN)/python -m build --quiet

dist-check: dist  ## install both into empty environments, with every Python that is there, and use them
	.ci/check-dist $(BIN) dist

test-lowest: $(STAMP)  ## the tests with the lowest versions that pyproject.toml names
	.ci/test-lowest $(BIN)

test-all: $(STAMP)  ## the tests with every other Python that is installed
	.ci/test-all $(BIN)

audit: $(STAMP)  ## known vulnerabilities of what is installed (asks the package index)
	$(BIN)/uv tool run --quiet pip-audit --strict --skip-editable --progress-spinner off --path $(VENV)/lib/python3*/site-packages

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
