# libFuzzer over what core reads of others' bytes, with clang (Debian: clang, libclang-rt-14-dev), sanitized:
# `make fuzz` for FUZZ_SECONDS. What it found last time is in build/fuzz/corpus, and it begins there.
FUZZ_CXX     ?= $(lastword $(sort $(wildcard /usr/bin/clang++ /usr/bin/clang++-[1-9]*)))
FUZZ_SECONDS ?= 60
FUZZ_FLAGS    = -std=c++20 -Isrc -Itest -isystem /usr/include/eigen3 -O1 -g1 -ffp-contract=off -MMD -MP \
  -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=alignment,object-size,vptr -fno-sanitize-recover=all
ifneq ($(filter fuzz,$(MAKECMDGOALS)),)
FUZZ_OBJS    := $(patsubst %.cpp,build/fuzz/%.o,$(shell test/needs.sh test/fuzz/fuzz.cpp))
endif

.PHONY: fuzz
ifeq ($(FUZZ_CXX),)
fuzz:
	@echo "clang is not installed"
else
fuzz: build/fuzz/run
	@mkdir -p build/fuzz/corpus
	DPMIX_CORPUS=build/fuzz/corpus build/fuzz/run -max_total_time=$(FUZZ_SECONDS) -max_len=2048 -malloc_limit_mb=256 -timeout=10 \
	  -print_final_stats=1 -artifact_prefix=build/fuzz/ build/fuzz/corpus
endif
build/fuzz/%.o: %.cpp
	@mkdir -p $(@D)
	$(FUZZ_CXX) $(FUZZ_FLAGS) -c -o $@ $<
build/fuzz/run: $(FUZZ_OBJS)
	$(FUZZ_CXX) -fsanitize=fuzzer,address,undefined -o $@ $^ -lcrypto
-include $(wildcard build/fuzz/test/fuzz/*.d build/fuzz/src/core/*/*.d)
