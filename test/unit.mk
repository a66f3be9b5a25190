# Core tests, without a server: `make unit` (sanitized) and `make statistical` (optimised); core
# benches: `make build/bench/ROOM/NAME`. What is optimised links the library's own objects of core.
CXX        ?= g++
TEST_FLAGS  = -std=c++20 -Isrc -Itest -isystem /usr/include/eigen3 -Wall -Wextra -Werror -ffp-contract=off -g1 -MMD -MP
SANITIZE    = -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
OPTIMISE    = -O2
CORE_OBJS   = $(CORE_SRC:.cpp=.o)
UNIT_OBJS   = $(patsubst %.cpp,build/unit/%.o,$(CORE_SRC) $(shell find test/unit -name '*.cpp' | sort))
STAT_OBJS   = $(patsubst %.cpp,build/statistical/%.o,$(shell find test/statistical -name '*.cpp' | sort))
TEST_LIBS   = -lgtest -lgtest_main -lcrypto -lpthread

.PHONY: unit statistical
unit: build/unit/run
statistical: build/statistical/run

# The precompiled header of unit or statistical.
PARSED      = $(if $(PRECOMPILED),build/$1/precompiled.hpp.gch)
PARSE       = $(CXX) $(TEST_FLAGS) $(addprefix -include ,$(basename $(call PARSED,$1)))
build/unit/precompiled.hpp build/statistical/precompiled.hpp: src/precompiled.hpp test/precompiled.hpp
	@mkdir -p $(@D)
	cat $^ | grep -v '^#pragma once' >$@
build/unit/precompiled.hpp.gch: build/unit/precompiled.hpp
	$(CXX) $(TEST_FLAGS) $(SANITIZE) -x c++-header -o $@ $<
build/statistical/precompiled.hpp.gch: build/statistical/precompiled.hpp
	$(CXX) $(TEST_FLAGS) $(OPTIMISE) -x c++-header -o $@ $<

build/unit/%.o: %.cpp $(call PARSED,unit)
	@mkdir -p $(@D)
	$(call PARSE,unit) $(SANITIZE) -c -o $@ $<
build/statistical/%.o: %.cpp $(call PARSED,statistical)
	@mkdir -p $(@D)
	$(call PARSE,statistical) $(OPTIMISE) -c -o $@ $<
build/unit/run: $(UNIT_OBJS)
	$(CXX) $(SANITIZE) -o $@ $^ $(TEST_LIBS)
build/statistical/run: $(STAT_OBJS) $(CORE_OBJS)
	$(CXX) -o $@ $^ $(TEST_LIBS)
build/bench/%: build/statistical/bench/%.o $(CORE_OBJS)
	@mkdir -p $(@D)
	$(CXX) -o $@ $^ -lcrypto $(BENCH_LIBS)

# Of benches too, those that were built before.
-include $(UNIT_OBJS:.o=.d) $(STAT_OBJS:.o=.d) $(wildcard build/statistical/bench/*/*.d)
