// What pg/catalog/facade reads, as SQL functions. For tests alone.
#include "pg/border/postgres.hpp"

#include "pg/catalog/facade.hpp"

extern "C" {
#include "portability/instr_time.h"
#include "storage/lmgr.h"
PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(facade_probe);
PG_FUNCTION_INFO_V1(facade_column);
PG_FUNCTION_INFO_V1(facade_time);
PGDLLEXPORT void _PG_init(void);

void _PG_init(void) {
  load_file("$libdir/dpmix", false);
}
}

using namespace dpmix::pg;

// The table and what is declared; NULL: no facade.
Datum facade_probe(PG_FUNCTION_ARGS) {
  const Oid view = PG_GETARG_OID(0);
  LockRelationOid(view, AccessShareLock);
  const Facade* facade = facade_of_view(view);
  if (facade == NULL) PG_RETURN_NULL();
  const char* table = DatumGetCString(DirectFunctionCall1(regclassout, facade->relation));
  PG_RETURN_TEXT_P(cstring_to_text(psprintf("%s %g %g %g", table, facade->default_epsilon,
                                            facade->default_delta, facade->max_epsilon)));
}

Datum facade_column(PG_FUNCTION_ARGS) {
  LockRelationOid(PG_GETARG_OID(0), AccessShareLock);
  const Facade* facade = facade_of_view(PG_GETARG_OID(0));
  if (facade == NULL) PG_RETURN_NULL();
  PG_RETURN_INT32(table_column(facade, (AttrNumber)PG_GETARG_INT32(1)));
}

// Nanoseconds of one have_facades(), and of one facade_of_view() (view 0: none), of a million.
Datum facade_time(PG_FUNCTION_ARGS) {
  constexpr int kCalls = 1000000;
  const Oid view = PG_GETARG_OID(0);
  if (OidIsValid(view)) LockRelationOid(view, AccessShareLock);
  instr_time begin, end;
  INSTR_TIME_SET_CURRENT(begin);
  for (int i = 0; i < kCalls; i++) {
    if (OidIsValid(view)) {
      const Facade* facade = facade_of_view(view);
      if (facade != NULL) pfree((void*)facade);
    } else {
      (void)have_facades();
    }
  }
  INSTR_TIME_SET_CURRENT(end);
  INSTR_TIME_SUBTRACT(end, begin);
  PG_RETURN_FLOAT8(INSTR_TIME_GET_DOUBLE(end) * 1e9 / kCalls);
}
