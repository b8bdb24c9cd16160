# One command each: make setup | demo | test | test-all | test-spark | test-sources | test-live | live | check | sanitize | format | stub | bench | memory | fuzz | docs | wheels | test-wheel | test-sdist | test-extras | test-arm | clean. Only make,
# python3 (3.11+) with venv, and a C++20 compiler must be there; everything else is installed into .venv.
PYTHON ?= python3
BIN := .venv/bin
NATIVE := $(shell find cpp bindings -name '*.[ch]pp' -o -name '*.inl') CMakeLists.txt pyproject.toml
TESTS_BUILD := build/tests
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# ASan and UBSan. What is built for sanitizers is hardly optimised: compiling would take two to three times as long.
SANITIZE := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all

.PHONY: help setup demo test test-all test-spark test-sources test-live live check sanitize asan tsan stub format lock bench memory fuzz docs wheels test-wheel test-sdist test-extras test-arm clean

help:
	@sed -n '1,3s/^# //p' Makefile

setup: .venv/dev

# What the package requires is installed first, each in the way it asks for: some have no wheel and need a build environment of
# their own. The package itself is built with the tools in .venv, because in a new environment for each build their paths
# change, and everything is compiled again. Modules are compiled here, because Python may not be allowed to write later.
.venv/ready: $(NATIVE)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "wmsketch needs Python 3.11 or newer; try: make setup PYTHON=python3.12" >&2; exit 1; }
	@command -v c++ >/dev/null || command -v $${CXX:-g++} >/dev/null || \
	  { echo "wmsketch needs a C++20 compiler (GCC 12, Clang 16 or newer); on Debian: apt-get install g++" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
	  { echo "wmsketch needs Python's venv module; on Debian: apt-get install python3-venv" >&2; exit 1; }
	@$(PYTHON) -c 'import os, sysconfig as s, sys; sys.exit(not os.path.exists(s.get_path("include") + "/Python.h"))' || \
	  { echo "wmsketch needs Python's headers; on Debian: apt-get install python3-dev" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(call install,demo)
	$(PIP) --no-build-isolation --no-deps -e .
	@$(BIN)/python -m compileall -q src/wmsketch
	@touch $@

# What tests and checks need besides: several times as much to download as the demo needs.
.venv/dev: pyproject.toml | .venv/ready
	$(call install,dev)
	@touch $@

# What an extra requires, into .venv.
define install
	@mkdir -p build && $(BIN)/python tools/requirements.py $(1) > build/requirements-$(1).txt
	$(PIP) -r build/requirements-$(1).txt
endef

demo: .venv/ready
	$(BIN)/python examples/late_flights.py

test: setup
	$(BIN)/python -m pytest -q -n 2 -m "not slow"

test-all: setup
	$(BIN)/python -m pytest -q -n 2

# On Apache Spark, which needs Java 17 or newer: a session in the test's process, then two executors.
test-spark: setup
	$(call install,spark-connect)
	$(BIN)/python -m pytest -q -m "not slow" tests/spark

# Rows by address: installs the drivers, and asks the servers that are there (redis-server, PostgreSQL).
test-sources: setup
	$(call install,sources)
	$(BIN)/python -m pytest -q -n 2 -m "not slow" -rs tests/sources

# The live service in a real browser (Debian: apt-get install chromium), and with fuzzed requests for FUZZ_SECONDS.
test-live: setup
	$(call install,live)
	$(BIN)/python -m pytest -q -rs tests/live

# The live service on loopback, with a generator of requests: a release breaks one device in one region.
live: setup
	$(BIN)/python examples/live.py

# Format, lint, types, import layers, clang-tidy over the core (.clang-tidy has the list of checks), and the C++ tests
# under the address and undefined-behaviour sanitizers.
check: setup
	$(BIN)/ruff format --check . && $(BIN)/ruff check .
	$(BIN)/clang-format --dry-run --Werror $(filter %.hpp %.cpp,$(NATIVE))
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(call configure,$(TESTS_BUILD),$(SANITIZE),-DWMSKETCH_TESTS=ON -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
	find cpp/src -name '*.cpp' | xargs -P 2 -n 1 $(BIN)/clang-tidy -p $(TESTS_BUILD) --quiet
	$(BIN)/cmake --build $(TESTS_BUILD) --target cpp_tests
	$(BIN)/ctest --test-dir $(TESTS_BUILD) --output-on-failure -j 2

# The extension itself under the sanitizers: binding tests with ASan and UBSan, threads with TSan. The sanitizers'
# libraries must be there before Python; leaks of the interpreter are not ours. Ninja would take the jobs of make for
# its own: MAKEFLAGS hides them.
SANITIZED_TESTS := tests/learners/test_threads.py tests/learners/test_resealed_files.py tests/learners/test_bad_input.py \
  tests/learners/test_counters.py tests/learners/test_model_file_writing.py tests/readers/test_damaged_tables.py \
  tests/readers/test_arrow_types.py tests/readers/test_text_formats.py tests/learners/test_hostile_rows.py \
  tests/fuzz/test_python_inputs.py tests/apps
sanitize: setup
	$(MAKE) --jobs=2 --output-sync=target asan tsan

asan: setup
	$(call configure,$(TESTS_BUILD),$(SANITIZE),-DWMSKETCH_TESTS=ON)
	MAKEFLAGS= $(BIN)/cmake --build $(TESTS_BUILD) --target _core
	LD_PRELOAD="$$(c++ -print-file-name=libasan.so) $$(c++ -print-file-name=libstdc++.so)" ASAN_OPTIONS=detect_leaks=0 \
	  $(BIN)/python -m tests.sanitized $(TESTS_BUILD) -x -m "not slow" $(SANITIZED_TESTS)

tsan: setup
	$(call configure,build/tsan,-O1 -fno-omit-frame-pointer -fsanitize=thread)
	MAKEFLAGS= $(BIN)/cmake --build build/tsan --target _core
	LD_PRELOAD="$$(c++ -print-file-name=libtsan.so)" TSAN_OPTIONS="halt_on_error=1 suppressions=tests/tsan.supp" \
	  $(BIN)/python -m tests.sanitized build/tsan -x -k "threads" tests/learners/test_threads.py

# A folder, compiler flags, options.
define configure
	$(BIN)/cmake -S . -B $(1) -G Ninja -DCMAKE_MAKE_PROGRAM="$(CURDIR)/$(BIN)/ninja" \
	  -DPython_EXECUTABLE="$(CURDIR)/$(BIN)/python" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS="$(2)" \
	  -DWMSKETCH_WERROR=ON $(3)
endef

# The types of the extension; a test compares the file with the module.
stub: setup
	$(BIN)/python -m nanobind.stubgen -q -m wmsketch._core -o src/wmsketch/_core.pyi

# The versions and hashes of everything in the development environment, for every platform; needs uv.
lock:
	@mkdir -p build && $(PYTHON) tools/requirements.py dev > build/requirements-dev.txt
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  build/requirements-dev.txt -o requirements-dev.lock

format: setup
	$(BIN)/ruff format . && $(BIN)/ruff check --fix .
	$(BIN)/clang-format -i $(filter %.hpp %.cpp,$(NATIVE))

bench: setup
	$(call install,bench)
	$(BIN)/python -m benchmarks.bench

memory: setup
	$(BIN)/python -m benchmarks.memory

# The site, into docs/_build/html; a warning is an error. Its search needs no server.
docs: setup
	$(call install,docs)
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

# Wheels of this machine's processor and the source distribution, into dist/. Needs Python 3.11 and 3.12.
wheels: setup
	$(BIN)/python tools/wheels.py dist

# The wheels, each installed into a new environment without a compiler on the path, and the quick tests against them.
WHEEL_PYTHONS ?= 3.11 3.12 3.13
test-wheel: setup
	for version in $(WHEEL_PYTHONS); do $(BIN)/python tools/test_wheel.py dist $$version || exit 1; done

# The source distribution, built with isolation in an empty environment: it needs a C++20 compiler, and no cache.
test-sdist: setup
	rm -rf build/test-sdist && $(PYTHON) -m venv build/test-sdist
	env -u CMAKE_ARGS -u CMAKE_CXX_COMPILER_LAUNCHER build/test-sdist/bin/python -m pip install --quiet dist/wmsketch-*.tar.gz
	cd build/test-sdist && bin/python $(CURDIR)/examples/visits.py && bin/wmsketch explain visits.csv --label bought --top 3

# The wheel with one extra at a time, each in a new environment, asked a question that needs the extra.
test-extras: setup
	$(BIN)/python tools/test_extras.py dist

# The core and exported models on 64-bit ARM: compiled for it here, and run under qemu.
ARM_GTEST ?= /usr/src/googletest
test-arm: setup
	@command -v aarch64-linux-gnu-g++ >/dev/null || \
	  { echo "no compiler for ARM; on Debian: apt-get install g++-aarch64-linux-gnu" >&2; exit 1; }
	@command -v qemu-aarch64 >/dev/null || { echo "no qemu-aarch64; on Debian: apt-get install qemu-user" >&2; exit 1; }
	@test -f $(ARM_GTEST)/CMakeLists.txt || \
	  { echo "no sources of GoogleTest in $(ARM_GTEST) (ARM_GTEST=FOLDER); on Debian: apt-get install googletest" >&2; exit 1; }
	$(call configure,build/arm,-O1,-DCMAKE_TOOLCHAIN_FILE=tools/aarch64.cmake -DWMSKETCH_MODULE=OFF -DWMSKETCH_TESTS=ON \
	  -DWMSKETCH_GTEST_SOURCES=$(ARM_GTEST))
	$(BIN)/cmake --build build/arm --target cpp_tests
	$(BIN)/ctest --test-dir build/arm --output-on-failure -j 2
	$(BIN)/python -m pytest -q -rs -k arm tests/results/test_export.py

# Coverage-guided fuzzing of the native parsers, of loading models and of what Python gives, FUZZ_SECONDS of the processor
# each; needs clang. The inputs of a target stay in build/fuzz/corpus, and a later run begins with them.
FUZZ_SECONDS ?= 60
FUZZ_CXX ?= $(firstword $(shell which clang++-19 clang++-18 clang++-17 clang++-16 2>/dev/null) clang++)
fuzz: setup
	$(BIN)/cmake -S . -B build/fuzz -G Ninja -DWMSKETCH_MODULE=OFF -DWMSKETCH_FUZZ=ON -DCMAKE_CXX_COMPILER=$(FUZZ_CXX) \
	  -DCMAKE_MAKE_PROGRAM="$(CURDIR)/$(BIN)/ninja" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
	  -DCMAKE_CXX_FLAGS="-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all"
	$(BIN)/cmake --build build/fuzz
	$(PIP) atheris || echo "no atheris for this Python: going on without coverage"
	$(BIN)/python tools/fuzz.py $(FUZZ_SECONDS) $(patsubst cpp/fuzz/fuzz_%.cpp,%,$(wildcard cpp/fuzz/fuzz_*.cpp)) \
	  model_files python_inputs:conditions python_inputs:mappings python_inputs:hostile

clean:
	rm -rf build dist .venv
