# Core tests, without a server: `make unit` (sanitized) and `make statistical` (optimised); core
# benches: `make build/bench/NAME`.
CXX        ?= g++
CORE_FLAGS  = -std=c++20 -Isrc -isystem /usr/include/eigen3 -Wall -Wextra -Werror -ffp-contract=off -MMD -MP
SANITIZE    = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
UNIT_OBJS   = $(patsubst %.cpp,build/unit/%.o,$(CORE_SRC) $(shell find test/unit -name '*.cpp' | sort))
STAT_OBJS   = $(patsubst %.cpp,build/statistical/%.o,$(CORE_SRC) $(shell find test/statistical -name '*.cpp' | sort))
TEST_LIBS   = -lgtest -lgtest_main -lcrypto -lpthread

.PHONY: unit statistical
unit: build/unit/run
statistical: build/statistical/run

build/unit/%.o: %.cpp
	@mkdir -p $(@D)
	$(CXX) $(CORE_FLAGS) $(SANITIZE) -Itest -c -o $@ $<
build/statistical/%.o: %.cpp
	@mkdir -p $(@D)
	$(CXX) $(CORE_FLAGS) -O2 -Itest -c -o $@ $<
build/unit/run: $(UNIT_OBJS)
	$(CXX) $(SANITIZE) -o $@ $^ $(TEST_LIBS)
build/statistical/run: $(STAT_OBJS)
	$(CXX) -o $@ $^ $(TEST_LIBS)
build/bench/%: build/statistical/bench/%.o $(CORE_SRC:%.cpp=build/statistical/%.o)
	@mkdir -p $(@D)
	$(CXX) -o $@ $^ -lcrypto $(BENCH_LIBS)

# Of benches too, those that were built before.
-include $(UNIT_OBJS:.o=.d) $(STAT_OBJS:.o=.d) $(wildcard build/statistical/bench/*.d)
