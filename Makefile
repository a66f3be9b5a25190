# dpmix: PGXS build of the extension and of dpmix_papers, and the project's own targets (test, demo, soak, reference,
# dist).
EXTENSION   = dpmix dpmix_papers
EXTVERSION  = 0.8.0
MODULE_big  = dpmix
CORE_SRC   := $(shell find src/core -name '*.cpp' | sort)
PG_SRC     := $(shell find src/pg -name '*.cpp' | sort)
PAPERS_SRC  = $(filter src/core/published/% src/pg/published/%,$(CORE_SRC) $(PG_SRC))
PAPERS_OBJS = $(PAPERS_SRC:.cpp=.o)
OBJS        = $(patsubst %.cpp,%.o,$(filter-out $(PAPERS_SRC),$(CORE_SRC) $(PG_SRC)))
DATA_built  = dpmix--$(EXTVERSION).sql dpmix_papers--$(EXTVERSION).sql
DATA        = $(wildcard src/sql/upgrade/dpmix*--*--*.sql) \
              $(filter-out %--$(EXTVERSION).sql,$(wildcard src/sql/released/dpmix*--*.sql))
REGRESS     = $(sort $(patsubst sql/%.sql,%,$(wildcard sql/*.sql)))
# Never -ffast-math or its parts: proofs rely on IEEE arithmetic.
PG_CPPFLAGS = -Isrc -isystem /usr/include/eigen3
# -g1: line tables are all that a backtrace needs; whole debugging information (CXXFLAGS=-g) takes a quarter longer.
PG_CXXFLAGS = -std=c++20 -O2 -g1 -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare -Wno-register -ffp-contract=off -MMD -MP
# Extensions share one global symbol space: bind our own C++ symbols to our own definitions.
SHLIB_LINK  = -Wl,-Bsymbolic -Wl,--build-id -lcrypto -lstdc++ -lm
EXTRA_CLEAN = build $(OBJS:.o=.d) $(PAPERS_OBJS) $(PAPERS_OBJS:.o=.d) dpmix_papers.so
# Only GCC takes a precompiled header from beside the named one: `make PRECOMPILED=` builds without.
PRECOMPILED = $(eval PRECOMPILED := $(shell $(CXX) --version 2>/dev/null | grep -q 'Free Software' && echo build/lib/precompiled.hpp))$(PRECOMPILED)
# PGXS's bitcode rule drops PG_CXXFLAGS, so no LLVM bitcode.
with_llvm   = no
override with_llvm = no
# Since PostgreSQL 16 modules hide what is not marked (-fvisibility=hidden); the tests' probes call our functions.
override CXXFLAGS_SL_MODULE =

PG_CONFIG  ?= pg_config
PGXS       := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
# The targets below must work before the server's headers are there: they install them.
ifneq ($(wildcard $(PGXS)),)
include $(PGXS)
endif

ifneq ($(PRECOMPILED),)
$(OBJS) $(PAPERS_OBJS): override CPPFLAGS += -include $(PRECOMPILED)
$(OBJS) $(PAPERS_OBJS): $(PRECOMPILED).gch
endif
build/%/precompiled.hpp: src/precompiled.hpp
	@mkdir -p $(@D)
	cp $< $@
build/lib/precompiled.hpp.gch: build/lib/precompiled.hpp
	$(COMPILE.cc) -x c++-header -o $@ $<

# What a wrong call of a public function is told to write.
build/lib/signatures.inc: src/sql/signatures.awk $(sort $(wildcard src/sql/*.sql))
	@mkdir -p $(@D)
	awk -f $^ >$@
src/pg/preview/call_hint.o: build/lib/signatures.inc
src/pg/preview/call_hint.o: override CPPFLAGS += -Ibuild/lib

# The second library: what is published, with the objects of dpmix that it needs, and no names of theirs.
build/lib/dpmix.a: $(OBJS)
	rm -f $@
	$(AR) rcT $@ $^
dpmix_papers.so: $(PAPERS_OBJS) build/lib/dpmix.a src/pg/published/exports.map
	$(CXX) $(CXXFLAGS) -shared -o $@ $(PAPERS_OBJS) build/lib/dpmix.a $(LDFLAGS) $(SHLIB_LINK) \
	  -Wl,--version-script=src/pg/published/exports.map
dpmix_papers--$(EXTVERSION).sql: src/sql/papers/dpmix_papers.sql
	cp $< $@
.PHONY: install-papers uninstall-papers
all: dpmix_papers.so
install: install-papers
install-papers: dpmix_papers.so installdirs
	$(INSTALL_SHLIB) dpmix_papers.so '$(DESTDIR)$(pkglibdir)'
uninstall: uninstall-papers
uninstall-papers:
	rm -f '$(DESTDIR)$(pkglibdir)/dpmix_papers.so'

# What is in plugins anyone may have loaded: a database's owner by local_preload_libraries.
PLUGINS = $(DESTDIR)$(pkglibdir)/plugins
.PHONY: install-plugin uninstall-plugin
install: install-plugin
install-plugin: installdirs
	$(MKDIR_P) '$(PLUGINS)'
	ln -sf ../dpmix.so '$(PLUGINS)/dpmix.so'
uninstall: uninstall-plugin
uninstall-plugin:
	rm -f '$(PLUGINS)/dpmix.so'

dpmix--$(EXTVERSION).sql: $(sort $(wildcard src/sql/*.sql))
	cat $^ > $@

.PHONY: test demo play soak check-one layers
test demo play soak:
	@test/run.sh $@
# One unit, regress, statistical or server test, or those of a room: make check-one T=query
check-one:
	@test/run.sh $@ $(T)

# docs/reference.md from the catalog's COMMENTs; source archives of the current commit in build/dist.
.PHONY: reference dist
reference: all
	docs/reference/make.sh
dist:
	@packaging/dist.sh

# As root: Debian packages of this tree as an apt repository in build/apt. SIGN=KEY: signed; SUITES="bookworm trixie".
.PHONY: apt-repo
apt-repo:
	@packaging/apt_repo.sh $(if $(SIGN),--sign $(SIGN)) $(SUITES)

# core must not know PostgreSQL, and the arrows of docs/architecture.md point down only.
layers:
	@test/checks/layers.sh

-include $(OBJS:.o=.d) $(PAPERS_OBJS:.o=.d)
-include test/unit.mk
-include test/faults.mk
-include test/replay.mk
-include test/fuzz/fuzz.mk
-include bench/noise/noise.mk bench/published/published.mk bench/mixture/mixture.mk
-include bench/synthetic/synthetic.mk bench/query/query.mk bench/regression/regression.mk
