# Two commands for a newcomer: `make demo` and `make test`. Each makes .venv if it is missing.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: demo test check lint bench setup clean

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

bench: $(STAMP)  ## measure against the peers (minutes)
	@for b in $(filter-out %_driver.py,$(wildcard benchmarks/*.py)); do echo "== $$b"; $(BIN)/python $$b || exit 1; done

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
