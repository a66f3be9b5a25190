// A call with a value of type internal, which SQL cannot write down. For tests alone.
#include "pg/border/postgres.hpp"

extern "C" {
PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(internal_probe);
}

// Of a function whose first argument is internal; the others are zeros.
Datum internal_probe(PG_FUNCTION_ARGS) {
  return OidFunctionCall3(PG_GETARG_OID(0), PointerGetDatum(palloc0(1024)), Int32GetDatum(0),
                          Int32GetDatum(0));
}
