// dpmix_internal.block_number: what keeps the rows that a counter samples of each block apart.
#include "pg/catalog/block_column.hpp"
#include "pg/process/release_plan.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_block_number);
}

using namespace dpmix::pg;

// Strict.
Datum dpmix_block_number(PG_FUNCTION_ARGS) {
  require_release_plan(fcinfo);
  const BlockColumn blocks = {0,
                              get_fn_expr_argtype(fcinfo->flinfo, 0),
                              {PG_GETARG_INT64(1), PG_GETARG_INT64(2)},
                              false,
                              0};
  if (!may_be_blocks(blocks.type) || blocks.grid.of_months()) {
    elog(ERROR, "blocks are not of this type");
  }
  int64 place;
  if (!place_in_blocks(&blocks, PG_GETARG_DATUM(0), &place)) PG_RETURN_NULL();
  PG_RETURN_INT64(blocks.grid.block_of(place));
}
