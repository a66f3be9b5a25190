# Core tests, without a server: `make unit` (core sanitized) and `make statistical` (core as it is in the library);
# benches of core: `make build/bench/ROOM/NAME`. Tests themselves are plain: sanitized, they compile for twice as long.
CXX        ?= g++
TEST_FLAGS  = -std=c++20 -Isrc -Itest -isystem /usr/include/eigen3 -Wall -Wextra -Werror -ffp-contract=off -g1 -MMD -MP
# Eigen would align by itself under the sanitizer, and free in plain code what it did not allocate there.
SANITIZE    = -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -DEIGEN_MALLOC_ALREADY_ALIGNED=1
# What GCC 12 sees in strings and matrices, and is not there; sanitized, it does not look.
TESTS       = -O1 $(addprefix -Wno-,array-bounds restrict stringop-overflow stringop-overread maybe-uninitialized)
OPTIMISE    = -O2
CORE_OBJS   = $(CORE_SRC:.cpp=.o)
SAFE_OBJS   = $(patsubst %.cpp,build/sanitized/%.o,$(CORE_SRC))
UNIT_OBJS   = $(patsubst %.cpp,build/unit/%.o,$(shell find test/unit -name '*.cpp' | sort))
STAT_OBJS   = $(patsubst %.cpp,build/statistical/%.o,$(shell find test/statistical -name '*.cpp' | sort))
TEST_LIBS   = -lgtest -lgtest_main -lcrypto -lpthread

.PHONY: unit statistical
unit: build/unit/run
statistical: build/statistical/run

# The precompiled header of sanitized, unit or statistical.
PARSED      = $(if $(PRECOMPILED),build/$1/precompiled.hpp.gch)
PARSE       = $(CXX) $(TEST_FLAGS) $(addprefix -include ,$(basename $(call PARSED,$1)))
build/sanitized/precompiled.hpp: src/precompiled.hpp
build/unit/precompiled.hpp build/statistical/precompiled.hpp: src/precompiled.hpp test/precompiled.hpp
build/sanitized/precompiled.hpp build/unit/precompiled.hpp build/statistical/precompiled.hpp:
	@mkdir -p $(@D)
	cat $^ | grep -v '^#pragma once' >$@
build/sanitized/precompiled.hpp.gch: build/sanitized/precompiled.hpp
	$(CXX) $(TEST_FLAGS) $(SANITIZE) -x c++-header -o $@ $<
build/unit/precompiled.hpp.gch: build/unit/precompiled.hpp
	$(CXX) $(TEST_FLAGS) $(TESTS) -x c++-header -o $@ $<
build/statistical/precompiled.hpp.gch: build/statistical/precompiled.hpp
	$(CXX) $(TEST_FLAGS) $(OPTIMISE) -x c++-header -o $@ $<

build/sanitized/%.o: %.cpp $(call PARSED,sanitized)
	@mkdir -p $(@D)
	$(call PARSE,sanitized) $(SANITIZE) -c -o $@ $<
build/unit/%.o: %.cpp $(call PARSED,unit)
	@mkdir -p $(@D)
	$(call PARSE,unit) $(TESTS) -c -o $@ $<
build/statistical/%.o: %.cpp $(call PARSED,statistical)
	@mkdir -p $(@D)
	$(call PARSE,statistical) $(OPTIMISE) -c -o $@ $<
build/unit/run: $(UNIT_OBJS) $(SAFE_OBJS)
	$(CXX) $(SANITIZE) -o $@ $^ $(TEST_LIBS)
build/statistical/run: $(STAT_OBJS) $(CORE_OBJS)
	$(CXX) -o $@ $^ $(TEST_LIBS)
build/bench/%: build/statistical/bench/%.o $(CORE_OBJS)
	@mkdir -p $(@D)
	$(CXX) -o $@ $^ -lcrypto $(BENCH_LIBS)

# Of benches too, those that were built before.
-include $(SAFE_OBJS:.o=.d) $(UNIT_OBJS:.o=.d) $(STAT_OBJS:.o=.d) $(wildcard build/statistical/bench/*/*.d)
