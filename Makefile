# attnviz on Debian 12: every job is one word. `make` alone lists them.
# What a job needs and the machine lacks is installed with apt-get, nothing else is touched.

BUILD_PACKAGES := g++ cmake ninja-build pkg-config libhwy-dev libpango1.0-dev libcairo2-dev libcli11-dev nlohmann-json3-dev \
  libfmt-dev libstb-dev libutf8proc-dev libpcre2-dev libsentencepiece-dev libdeflate-dev libcurl4-openssl-dev libglib2.0-dev \
  python3 python3-pip ca-certificates \
  fonts-dejavu-core fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji
TEST_PACKAGES := libgtest-dev libgmock-dev librapidcheck-dev python3-jsonschema python3-numpy python3-venv clang-format valgrind \
  librsvg2-bin poppler-utils chromium g++-aarch64-linux-gnu
FUZZ_PACKAGES := clang libclang-rt-14-dev
BENCH_PACKAGES := libbenchmark-dev python3-venv

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60
DEMO_TEXT := The animal didn't cross the street because it was too tired.
ATTNVIZ := build/release/bin/attnviz
CCACHE := $(shell command -v ccache)
CONFIGURE := cmake --no-warn-unused-cli $(if $(CCACHE),-DCMAKE_CXX_COMPILER_LAUNCHER=$(CCACHE)) --preset

# $(call install_missing,PACKAGES): asks nothing, says what it installs, does nothing when all are there.
define install_missing
@missing=; for package in $(1); do \
  dpkg-query -W -f='$${db:Status-Status}' $$package 2>/dev/null | grep -qx installed || missing="$$missing $$package"; \
done; \
if [ -n "$$missing" ]; then \
  command -v apt-get >/dev/null || { echo "This machine has no apt-get. Please install the equivalents of:$$missing" >&2; exit 1; }; \
  echo "Installing:$$missing"; \
  [ "$$(id -u)" = 0 ] && sudo= || sudo=sudo; \
  $$sudo apt-get update -qq && \
  $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
fi
endef

help: ## this list
	@awk -F ' *## *' '/^[a-z-]+:.*##/ { sub(/:.*/, "", $$1); printf "  make %-12s %s\n", $$1, $$2 }' Makefile

demo: build model ## build, get the default model, draw out/it-animal.png and show it here
	@mkdir -p out
	@$(ATTNVIZ) "$(DEMO_TEXT)" --layer 3 --head 1 -o out/it-animal.png
	@$(ATTNVIZ) "$(DEMO_TEXT)" --layer 3 --head 1 -f term
	@printf '\n%s\n  %s\n' 'out/it-animal.png was made by:' \
	  '$(ATTNVIZ) "'"$(DEMO_TEXT)"'" --layer 3 --head 1 -o out/it-animal.png'

build: build-packages ## the program, build/release/bin/attnviz
	@[ -f build/release/build.ninja ] || $(CONFIGURE) release -DATTNVIZ_TESTS=OFF >/dev/null
	@cmake --build build/release -j $(JOBS) --target attnviz

model: build-packages ## the default model into data/models (23 million numbers, 91 MB)
	@/usr/bin/python3 data/get_model.py minilm-l6

test-models: model ## the models that tests need: the default one and SmolLM2 (98 MB)
	@/usr/bin/python3 data/get_model.py smollm2-135m

test: test-packages browser-packages test-models ## build everything and run every test
	@$(CONFIGURE) release -DATTNVIZ_TESTS=ON -DATTNVIZ_WERROR=ON >/dev/null
	@cmake --build build/release -j $(JOBS)
	@ctest --preset release -j $(JOBS)

sanitize: test-packages test-models ## the tests again under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(CONFIGURE) sanitize >/dev/null
	@cmake --build build/sanitize -j $(JOBS)
	@ctest --preset sanitize -j $(JOBS)

fuzz: test-packages fuzz-packages ## each fuzz target for FUZZ_SECONDS (60)
	@$(CONFIGURE) fuzz >/dev/null
	@cmake --build build/fuzz -j $(JOBS) --target tests/fuzz/all
	@for target in build/fuzz/bin/fuzz_*; do \
	  name=$${target##*/fuzz_}; found=build/fuzz/found/$$name; mkdir -p $$found; echo "== $$name"; \
	  $$target -max_len=4096 -malloc_limit_mb=64 -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=$$found- $$found tests/fuzz/corpus/$$name || exit 1; \
	done

bench: test-packages bench-packages build model test-models ## measure against PyTorch, ONNX Runtime, llama.cpp, matplotlib (BENCH_PYTHON: where they are), write docs/BENCHMARKS.md
	@$(CONFIGURE) release -DATTNVIZ_TESTS=ON -DATTNVIZ_BENCH=ON >/dev/null
	@cmake --build build/release -j $(JOBS) --target attnviz
	@/usr/bin/python3 tests/bench/compare.py $(if $(BENCH_PYTHON),--python $(BENCH_PYTHON))

gallery: build model ## draw docs/gallery and write docs/gallery.md
	@/usr/bin/python3 docs/make_gallery.py --program $(ATTNVIZ)

install: build model ## the program and the default model under PREFIX (/usr/local); DESTDIR is respected
	@DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"

format: test-packages ## clang-format over all C++ files
	@find src include tests -name '*.cpp' -o -name '*.h' | xargs clang-format -i

clean: ## remove build/ and out/
	@rm -rf build out

build-packages:
	$(call install_missing,$(BUILD_PACKAGES))

test-packages: build-packages
	$(call install_missing,$(TEST_PACKAGES))

browser-packages: build/browser-python/bin/playwright

# Playwright drives Debian's own chromium; it brings no browser.
build/browser-python/bin/playwright: tests/browser/requirements.txt | test-packages
	@/usr/bin/python3 -m venv build/browser-python
	@build/browser-python/bin/pip install -q --disable-pip-version-check -r $<
	@touch $@

fuzz-packages: build-packages
	$(call install_missing,$(FUZZ_PACKAGES))

bench-packages: test-packages
	$(call install_missing,$(BENCH_PACKAGES))

.PHONY: help demo build model test-models test sanitize fuzz bench gallery install format clean build-packages test-packages fuzz-packages bench-packages
.DEFAULT_GOAL := help
