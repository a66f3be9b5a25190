// A number as a part of the bounds of its row's category (core/input/bounds_scale.hpp).
#include "core/input/bounds_scale.hpp"
#include "pg/border/postgres.hpp"

extern "C" {
#include "utils/array.h"
#include "utils/float.h"

PG_FUNCTION_INFO_V1(dpmix_placed_number);
}

namespace dpmix::pg {
namespace {

// Without NULLs, in one dimension, as long as all: dpmix makes them.
struct Numbers {
  const double* number;
  int count;
};

Numbers numbers_of(const ArrayType* array) {
  const bool plain = ARR_NDIM(array) == 1 && !ARR_HASNULL(array);
  return {(const double*)ARR_DATA_PTR(array), plain ? ARR_DIMS(array)[0] : 0};
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

// placed_number(x float8, category int, lower float8[], upper float8[], origin float8[],
//     reach float8[])
Datum dpmix_placed_number(PG_FUNCTION_ARGS) {
  if (PG_ARGISNULL(0)) PG_RETURN_NULL();
  const double x = PG_GETARG_FLOAT8(0);
  if (x != x) PG_RETURN_FLOAT8(x);  // missing
  Numbers list[4];
  for (int i = 0; i < 4; i++) {
    if (PG_ARGISNULL(2 + i)) PG_RETURN_NULL();
    list[i] = numbers_of(PG_GETARG_ARRAYTYPE_P(2 + i));
    if (list[i].count == 0 || list[i].count != list[0].count) PG_RETURN_NULL();
  }
  const int last = list[0].count - 1;
  const int asked = PG_ARGISNULL(1) ? last : PG_GETARG_INT32(1);
  const int at = asked < 0 || asked > last ? last : asked;
  const BoundsScale scale = {list[0].number[at], list[1].number[at], list[2].number[at],
                             list[3].number[at]};
  PG_RETURN_FLOAT8(scale.place(x));
}
