# Every target sets up what it needs (scripts/setup.sh) and builds; a second run does neither again.
PRESET ?= release
PYTHON := .venv/bin/python

.PHONY: help setup build demo test lint bench test-matrix clean

help:
	@echo "make demo         PyTorch models through Litz on this machine, with the generated code to read"
	@echo "make test         everything that CI runs: lint, C++ tests, Python tests"
	@echo "make lint         layers, size budget, formats, clang-tidy on changed files, ruff, mypy"
	@echo "make bench        the table of peers (docs/performance.md)"
	@echo "make test-matrix  the Python tests on the other versions of Python and torch"
	@echo "make build        build/$(PRESET); PRESET=debug, asan, tsan, no-llvm for the others"
	@echo "make clean        removes build/ (and not .venv)"

setup:
	@scripts/setup.sh test

build:
	@scripts/setup.sh build
	@scripts/build.sh $(PRESET)

demo:
	@scripts/setup.sh build
	@scripts/build.sh $(PRESET) _litz litz-cli
	@$(PYTHON) examples/demo.py

test:
	@scripts/setup.sh test
	@scripts/test.sh

lint:
	@scripts/setup.sh test
	@scripts/build.sh $(PRESET) --configure-only
	@scripts/lint.sh

bench:
	@scripts/setup.sh bench
	@scripts/build.sh $(PRESET)
	@$(PYTHON) benchmarks/peers.py

test-matrix:
	@scripts/setup.sh test
	@scripts/test_matrix.sh

clean:
	rm -rf build
