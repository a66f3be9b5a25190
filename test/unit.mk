# Core tests, without a server: `make unit` (core sanitized) and `make statistical` (core as it is in the library);
# benches of core: `make build/bench/ROOM/NAME`. Tests themselves are plain: sanitized, they compile for twice as long.
CXX        ?= g++
TEST_FLAGS  = -std=c++20 -Isrc -Itest -isystem /usr/include/eigen3 -Wall -Wextra -Werror -ffp-contract=off -g1 -MMD -MP
# Eigen would align by itself under the sanitizer, and free in plain code what it did not allocate there.
# Left out: checks at every access to a member, which are a third of the time to compile and run. The address sanitizer
# stops at the same faults, all but alignment.
SANITIZE    = -O1 -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size,vptr -fno-sanitize-recover=all \
  -DEIGEN_MALLOC_ALREADY_ALIGNED=1
# What GCC 12 sees in strings and matrices, and is not there; sanitized, it does not look.
TESTS       = -O1 $(addprefix -Wno-,array-bounds restrict stringop-overflow stringop-overread maybe-uninitialized)
OPTIMISE    = -O2
CORE_OBJS   = $(CORE_SRC:.cpp=.o)
ifneq ($(filter unit build/unit/run,$(MAKECMDGOALS)),)
SAFE_OBJS  := $(patsubst %,build/sanitized/units/%.o,$(shell test/core_units.sh build/sanitized/units))
endif
# The tests of a room compile as one: what they instantiate is instantiated once.
rooms       = $(patsubst test/%,build/%room.o,$(sort $(dir $(shell find test/$1 -name '*.cpp'))))
UNIT_OBJS  := $(call rooms,unit)
STAT_OBJS  := $(call rooms,statistical)
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
build/sanitized/units/%.o: build/sanitized/units/%.cpp $(call PARSED,sanitized)
	$(call PARSE,sanitized) -I. $(SANITIZE) -c -o $@ $<
build/unit/%.o: %.cpp $(call PARSED,unit)
	@mkdir -p $(@D)
	$(call PARSE,unit) $(TESTS) -c -o $@ $<
build/statistical/%.o: %.cpp $(call PARSED,statistical)
	@mkdir -p $(@D)
	$(call PARSE,statistical) $(OPTIMISE) -c -o $@ $<
$(UNIT_OBJS): %.o: %.cpp $(call PARSED,unit)
	$(call PARSE,unit) $(TESTS) -c -o $@ $<
$(STAT_OBJS): %.o: %.cpp $(call PARSED,statistical)
	$(call PARSE,statistical) $(OPTIMISE) -c -o $@ $<
define room  # of test/, and its folder: one goes from it without a trace in the others' times
build/$1/room.cpp: $(sort $(wildcard test/$1/*.cpp)) test/$1 test/one_source.sh
	@mkdir -p $$(@D)
	test/one_source.sh $$(filter %.cpp,$$^) >$$@
endef
$(foreach folder,$(patsubst build/%/room.o,%,$(UNIT_OBJS) $(STAT_OBJS)),$(eval $(call room,$(folder))))
build/unit/run: $(UNIT_OBJS) $(SAFE_OBJS)
	$(CXX) $(SANITIZE) -o $@ $^ $(TEST_LIBS)
build/statistical/run: $(STAT_OBJS) $(CORE_OBJS)
	$(CXX) -o $@ $^ $(TEST_LIBS)
# Those of SOME alone, with what they need of core: make build/unit/some SOME="test/unit/random/exact_exp_test.cpp"
ifdef SOME
SOME_SRC   := $(shell test/needs.sh $(SOME))
SOME_OBJS   = $(patsubst %.cpp,build/$1/%.o,$(filter test/%,$(SOME_SRC))) $(patsubst %.cpp,$2%.o,$(filter src/%,$(SOME_SRC)))
.PHONY: build/unit/some build/statistical/some
build/unit/some: $(call SOME_OBJS,unit,build/sanitized/)
	$(CXX) $(SANITIZE) -o $@ $^ $(TEST_LIBS)
build/statistical/some: $(call SOME_OBJS,statistical)
	$(CXX) -o $@ $^ $(TEST_LIBS)
-include $(patsubst %.o,%.d,$(call SOME_OBJS,unit,build/sanitized/) $(call SOME_OBJS,statistical))
endif
build/bench/%: build/statistical/bench/%.o $(CORE_OBJS)
	@mkdir -p $(@D)
	$(CXX) -o $@ $^ -lcrypto $(BENCH_LIBS)

# Of benches too, those that were built before.
-include $(SAFE_OBJS:.o=.d) $(UNIT_OBJS:.o=.d) $(STAT_OBJS:.o=.d) $(wildcard build/statistical/bench/*/*.d)
