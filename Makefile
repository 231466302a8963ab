# Each target does its own set-up: python3, pip and make are all a machine needs.
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PEERS := .venv-peers
LOWEST := .venv-lowest
PEERS_READY := $(PEERS)/.ready
PAPERS_READY := $(VENV)/.papers-ready
DOCS_READY := $(VENV)/.docs-ready
UV_VERSION := 0.13.7

.PHONY: setup demo test coverage wheel lowest lint bench compare papers docs lock clean

setup: $(READY)

$(READY): requirements.lock pyproject.toml
	test -x $(BIN)/python || python3 -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --compile-bytecode -r requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	touch $(READY)

demo: $(READY)
	$(BIN)/likewise demo --out demo

# One process per core; more threads than cores only wait for each other.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --durations 20

test: $(READY)
	$(PYTEST)

# The same tests, and a floor under the branches they reach.
coverage: $(READY)
	$(PYTEST) --cov --cov-report term --cov-fail-under 97

# What users install: the wheel, in an environment that holds nothing else, outside of the checkout.
wheel: $(READY)
	rm -rf dist
	$(BIN)/uv build --quiet --wheel --no-build-isolation --python $(BIN)/python --out-dir dist
	.ci/try-wheel dist/*.whl $(BIN)/uv

# The lowest versions that pyproject.toml allows. The pyparsing of today warns about the matplotlib of then.
lowest: $(READY)
	test -x $(LOWEST)/bin/python || python3 -m venv $(LOWEST)
	$(BIN)/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct --group dev -e ".[io,text]" "pyparsing>=3.2,<3.3"
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(LOWEST)/bin/python -m pytest -n auto

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The table first, then the curves, about an hour; points that are there are not measured again.
bench: $(READY) $(PEERS_READY)
	$(BIN)/likewise-bench
	$(BIN)/likewise-bench scaling

# Hours of work on two cores, kept value by value: what is there is not run again.
compare: $(PEERS_READY) $(PAPERS_READY)
	$(BIN)/likewise-bench accuracy

papers: $(PAPERS_READY)
	$(BIN)/likewise papers

# Every example runs: those of docstrings first, then those of the pages and of the gallery, as the pages are written.
docs: $(DOCS_READY)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto src
	rm -rf docs/_build docs/api docs/figures docs/gallery docs/methods
	$(BIN)/python -m sphinx -W --keep-going -n -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

$(DOCS_READY): docs/requirements.lock $(READY)
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --compile-bytecode -r $<
	touch $@

# UMAP and what it needs: a rival in the papers' tables, of no use to anything else here.
$(PAPERS_READY): papers/requirements.lock $(READY)
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --compile-bytecode -r $<
	touch $@

# The packages we are measured against live in a virtual environment of their own.
$(PEERS_READY): benchmarks/peers/requirements.lock $(READY)
	test -x $(PEERS)/bin/python || python3 -m venv $(PEERS)
	$(BIN)/uv pip install --quiet --python $(PEERS)/bin/python --require-hashes --compile-bytecode -r $<
	touch $@

# Pins and hashes only; run it after a change of the dependencies in pyproject.toml.
lock:
	test -x $(BIN)/python || python3 -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-emit-index-url \
		--extra io --extra text --group dev --custom-compile-command "make lock" pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-emit-index-url \
		--extra papers --constraint requirements.lock --custom-compile-command "make lock" pyproject.toml \
		-o papers/requirements.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-emit-index-url \
		--group docs --constraint requirements.lock --custom-compile-command "make lock" pyproject.toml \
		-o docs/requirements.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-emit-index-url \
		--custom-compile-command "make lock" benchmarks/peers/requirements.in -o benchmarks/peers/requirements.lock

clean:
	rm -rf $(VENV) $(PEERS) $(LOWEST) demo dist docs/_build docs/gallery docs/api docs/figures .pytest_cache .mypy_cache .ruff_cache .hypothesis
