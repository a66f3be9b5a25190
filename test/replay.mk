# The library of the replay audit (docs/proofs/replay.md), for test/server/replay: `make build/replay/dpmix.so`.
# The objects in which exact integers meet noise, and the few that it decides for, once more with its places; all
# others as they are in dpmix.so. It is never installed outside a throwaway cluster.
REPLAY_SRC  = src/pg/process/worker.cpp $(shell grep -rlE --include='*.cpp' 'DPMIX_REPLAY|random/noisy.hpp' src/core src/pg)
REPLAY_OBJS = $(REPLAY_SRC:%.cpp=build/replay/%.o) build/replay/test/server/replay/replay.o

build/replay/%.o: %.cpp
	@mkdir -p $(@D)
	$(COMPILE.cc) -DDPMIX_FAULTS -DDPMIX_REPLAY -I. -fPIC -o $@ $<
build/replay/dpmix.so: $(REPLAY_OBJS) $(filter-out $(REPLAY_SRC:.cpp=.o),$(OBJS))
	$(CXX) $(CXXFLAGS) -shared -o $@ $^ $(LDFLAGS) $(SHLIB_LINK)

# The same with one file changed (test/server/replay/mutants.sh): MUTATED is in place of MUTANT.
MUTANT_OBJS = $(filter-out build/replay/$(MUTANT:.cpp=.o),$(REPLAY_OBJS)) \
              $(filter-out $(MUTANT:.cpp=.o) $(REPLAY_SRC:.cpp=.o),$(OBJS))
build/replay/mutant.so: $(MUTANT_OBJS) $(MUTATED)
	$(COMPILE.cc) -DDPMIX_FAULTS -DDPMIX_REPLAY -I. -fPIC -o build/replay/mutant.o $(MUTATED)
	$(CXX) $(CXXFLAGS) -shared -o $@ $(MUTANT_OBJS) build/replay/mutant.o $(LDFLAGS) $(SHLIB_LINK)

-include $(REPLAY_OBJS:.o=.d)
