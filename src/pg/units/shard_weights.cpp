// Weights of privacy units as windows over the rows of a shard compute them: the sums and roots of
// UnitWeights, for SQL (src/sql/14_shards.sql).
#include "core/query/norm_bound.hpp"
#include "pg/border/guard.hpp"

extern "C" {
#include "fmgr.h"
PG_FUNCTION_INFO_V1(dpmix_norm_add);
PG_FUNCTION_INFO_V1(dpmix_norm_weight);
}

namespace dpmix::pg {
namespace {

void require_numbers(std::initializer_list<int64> numbers) {
  for (const int64 number : numbers) {
    if (number >= 0) continue;
    refuse_argument("numbers of rows are not below 0", "One of the arguments is.",
                    "Pass what count(*) gives.");
  }
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" {

Datum dpmix_norm_add(PG_FUNCTION_ARGS) {  // strict
  const int64 before = PG_GETARG_INT64(0), rows = PG_GETARG_INT64(1), most = PG_GETARG_INT64(2);
  require_numbers({before, rows, most});
  UnitSum sum;
  sum.sum = UInt128{(uint64)before};
  sum.add({.pairs = false, .by_rows = PG_GETARG_BOOL(3), .most = most, .rows = 0, .squares = 0},
          (uint64)rows);
  PG_RETURN_INT64((int64)Min(sum.sum, UInt128{(uint64)PG_INT64_MAX}));
}

Datum dpmix_norm_weight(PG_FUNCTION_ARGS) {  // strict
  const int64 rows = PG_GETARG_INT64(0), norm = PG_GETARG_INT64(1), most = PG_GETARG_INT64(2),
              bound = PG_GETARG_INT64(3);
  const int bits = PG_GETARG_INT32(5);
  require_numbers({rows, norm, most, bound});
  if (bits < 0 || bits > kMostWeightBits) {
    refuse_argument("weights have 0 to 20 bits", psprintf("bits is %d.", bits), "Pass 20.");
  }
  if (norm == PG_INT64_MAX) PG_RETURN_INT32(0);  // nobody knows how much more
  const NormBound of = {false, PG_GETARG_BOOL(4), most, bound, bound};
  UnitSum sum;
  sum.sum = UInt128{(uint64)norm};
  const uint32 weight = weight_of_unit(of, sum, bits);
  PG_RETURN_INT32((int32)weight_in_group(of, weight, (uint64)rows));
}
}
