# SPDX-License-Identifier: Apache-2.0
# The two commands of a newcomer are `make run` and `make test`. Both install what is missing first.

PRESET ?= release
JOBS   ?= $(shell nproc)
BUILD  := build/$(PRESET)

.PHONY: run test build setup dist lint format asan fuzz clean

run: build
	@$(BUILD)/plumb run

test: build
	@ctest --preset $(PRESET) -j $(JOBS)
	@scripts/format.sh --check

setup:
	@scripts/setup.sh

$(BUILD)/build.ninja: | setup
	@cmake --preset $(PRESET)

build: setup $(BUILD)/build.ninja
	@cmake --build --preset $(PRESET) -j $(JOBS)

# A folder that runs on another machine with nothing but the driver.
dist: build
	@rm -rf dist
	@cmake --install $(BUILD) --component dist --prefix $(CURDIR)/dist --strip >/dev/null
	@du -sh dist | sed 's/\t.*/ in dist/'

asan:
	@$(MAKE) --no-print-directory test PRESET=asan

# Each reader of files for FUZZ_SECONDS; what breaks one is left in build/fuzz as crash-*.
FUZZ_SECONDS ?= 60
fuzz: setup
	@cmake --preset fuzz
	@cmake --build --preset fuzz -j $(JOBS)
	@scripts/fuzz.sh build/fuzz $(FUZZ_SECONDS)

lint: build
	@scripts/format.sh --check
	@scripts/tidy.sh $(BUILD) $(JOBS)

format:
	@scripts/format.sh

clean:
	@rm -rf build dist
