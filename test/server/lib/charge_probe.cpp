// A charge without a query, for the ledger's own tests: what a release does first, and nothing
// else. Built and installed by charges.sh in a throwaway server; no part of dpmix.
#include "pg/catalog/open_protected.hpp"
#include "pg/ledger/charge.hpp"

extern "C" {
#include "storage/shmem.h"
#include "utils/jsonb.h"
PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(charge_probe);
PG_FUNCTION_INFO_V1(hog_shared_memory);
PGDLLEXPORT void _PG_init(void);

void _PG_init(void) {
  load_file("$libdir/dpmix", false);
}

// charge_probe(relation regclass, epsilon float8, delta float8 [, parameters jsonb]) returns bigint
Datum charge_probe(PG_FUNCTION_ARGS) {
  dpmix::pg::ChargeRequest request = {};
  request.table = dpmix::pg::open_protected(PG_GETARG_OID(0));
  request.kind = "query";
  request.mechanism = "probe";
  request.epsilon = PG_GETARG_FLOAT8(1);
  request.delta = PG_GETARG_FLOAT8(2);
  request.parameters = "{}";
  if (PG_NARGS() > 3) {
    request.parameters = DatumGetCString(DirectFunctionCall1(jsonb_out, PG_GETARG_DATUM(3)));
  }
  PG_RETURN_INT64(dpmix::pg::charge(request));
}

// hog_shared_memory() returns void: takes what is left of it, as other extensions may.
Datum hog_shared_memory(PG_FUNCTION_ARGS) {
  for (Size size = 1 << 22; size >= 64; size /= 2) {
    while (ShmemAllocNoError(size) != NULL) {
    }
  }
  PG_RETURN_VOID();
}
}
