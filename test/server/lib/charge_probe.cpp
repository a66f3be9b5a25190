// A charge without a query, for the ledger's own tests: what a release does first, and nothing
// else. Built and installed by charges.sh in a throwaway server; no part of dpmix.
#include "pg/catalog/open_protected.hpp"
#include "pg/ledger/charge.hpp"

extern "C" {
#include "storage/shmem.h"
#include "utils/jsonb.h"
PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(charge_probe);
PG_FUNCTION_INFO_V1(charge_blocks_probe);
PG_FUNCTION_INFO_V1(hog_shared_memory);
PGDLLEXPORT void _PG_init(void);

void _PG_init(void) {
  load_file("$libdir/dpmix", false);
}

// Of the first three arguments: relation regclass, epsilon float8, delta float8.
dpmix::pg::ChargeRequest request_of(FunctionCallInfo fcinfo, dpmix::pg::ProtectedTable* table) {
  dpmix::pg::ChargeRequest request = {};
  request.table = table;
  request.kind = "query";
  request.mechanism = "probe";
  request.epsilon = PG_GETARG_FLOAT8(1);
  request.delta = PG_GETARG_FLOAT8(2);
  request.parameters = "{}";
  return request;
}

// charge_probe(... [, parameters jsonb]) returns bigint: as a model, for which a unit has one row
Datum charge_probe(PG_FUNCTION_ARGS) {
  dpmix::pg::ChargeRequest request =
      request_of(fcinfo, dpmix::pg::open_protected(PG_GETARG_OID(0)));
  if (PG_NARGS() > 3) {
    request.parameters = DatumGetCString(DirectFunctionCall1(jsonb_out, PG_GETARG_DATUM(3)));
  }
  PG_RETURN_INT64(dpmix::pg::charge(request));
}

// charge_blocks_probe(..., first bigint, last bigint) returns bigint: of a range of blocks
Datum charge_blocks_probe(PG_FUNCTION_ARGS) {
  dpmix::pg::ChargeRequest request =
      request_of(fcinfo, dpmix::pg::open_protected_units(PG_GETARG_OID(0)));
  const dpmix::BlockRange range = {PG_GETARG_INT64(3), PG_GETARG_INT64(4)};
  request.blocks = &range;
  request.block_count = 1;
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
