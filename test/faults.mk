# The library that breaks on purpose, for test/server/faults_*.test.sh: `make build/faults/dpmix.so`.
# The objects that have places for faults (src/pg/border/fault.hpp) once more, with them; all others as they
# are in dpmix.so. It is never installed outside a throwaway cluster.
FAULT_SRC  = $(shell grep -rlE --include='*.cpp' 'DPMIX_(FAULT|GARBLE)' src/pg)
FAULT_OBJS = $(FAULT_SRC:%.cpp=build/faults/%.o) build/faults/test/server/faults/faults.o

build/faults/%.o: %.cpp
	@mkdir -p $(@D)
	$(COMPILE.cc) -DDPMIX_FAULTS -fPIC -o $@ $<
build/faults/dpmix.so: $(FAULT_OBJS) $(filter-out $(FAULT_SRC:.cpp=.o),$(OBJS))
	$(CXX) $(CXXFLAGS) -shared -o $@ $^ $(LDFLAGS) $(SHLIB_LINK)

-include $(FAULT_OBJS:.o=.d)
