# `make demo` and `make test` do all the set-up themselves: they need Python 3.11 or newer and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
UV_VERSION := 0.13.7
export UV_PYTHON_DOWNLOADS := never
export UV_SYSTEM_CERTS := 1

.PHONY: demo test lint types check faults agents browser pictures bench bench-quick docs release clean setup

demo: $(READY)  ## the whole loop on sample work
	@$(BIN)/metier demo

test: check  ## lint, types and the whole default suite, in under five minutes
	@$(BIN)/pytest -n 2 --dist loadgroup -m "not slow and not agents and not browser"

check: lint types

lint: $(READY)
	@$(BIN)/ruff check src tests benchmarks examples
	@$(BIN)/ruff format --check --quiet src tests benchmarks examples

types: $(READY)
	@PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright --warnings

faults: $(READY)  ## the long fault tests: kill sweeps, full disks, power cuts (some need root and strace)
	@$(BIN)/pytest -n 2 --dist loadgroup -m slow tests

agents: $(READY)  ## real Claude Code and Codex against a scripted model; installs them from npm, outside the repository
	@$(BIN)/python scripts/install_agents.py
	@$(BIN)/pytest -n 2 -m agents tests/agents

browser: $(READY)  ## the dashboard in a real Chromium, which apt installs as root where it is missing; pictures go to pictures/
	@$(BIN)/python scripts/install_browser.py
	@BROWSER_PICTURES=pictures $(BIN)/pytest -n 0 -m browser tests/browser

bench: $(READY)  ## every benchmark, each against a peer or a limit; writes the table in docs/benchmarks.md
	@$(BIN)/python benchmarks/run.py

bench-quick: $(READY)  ## each benchmark in a small form, to see that it runs: under three minutes
	@$(BIN)/python benchmarks/run.py --quick

docs: $(READY)  ## write the generated pages anew, and build the site with search into site/
	@$(BIN)/python scripts/write_reference.py docs
	@$(BIN)/zensical build --strict

pictures: $(READY)  ## take the pictures of the documents anew: the dashboard in Chromium (apt installs it as root where it is missing), two commands in a terminal
	@$(BIN)/python scripts/install_browser.py
	@BROWSER_PICTURES=docs/pictures $(BIN)/pytest -q -n 0 -m browser tests/browser/test_docs_pictures.py
	@$(BIN)/python scripts/record_terminal.py docs/pictures

release: $(READY)  ## wheel and sdist, and the first hour from the wheel alone on every Python that is there
	@$(BIN)/pytest -n 2 -m slow tests/release

setup: $(READY)  ## .venv with everything that the other targets need; each of them does it by itself

$(READY): pyproject.toml uv.lock
	@$(PYTHON) -c 'import sys; sys.exit("Metier needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.11") if sys.version_info < (3, 11) else None'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check "uv==$(UV_VERSION)"
	@$(BIN)/uv sync --locked --all-extras --inexact --quiet
	@touch $(READY)

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .cache dist site
