// measured_row(x, rules): a row by the numbers that no rule between its columns binds.
#include "core/input/row_rules.hpp"
#include "pg/border/context_object.hpp"
#include "pg/stats/packed_argument.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_measured_row);
}

namespace dpmix::pg {
namespace {

struct Rules {  // in plain memory
  const RowRules* rules;
  int columns, measured;
  double* row;  // room for one
};

void make_rules(std::span<const double> packed, MemoryContext context, Rules* made) {
  RowRules* rules = end_with(context, std::make_unique<RowRules>(RowRules::unpack(packed)));
  double* row = NULL;
  postgres([&] {
    row = (double*)MemoryContextAlloc(context, sizeof(double) * (Size)Max(rules->columns(), 1));
  });
  *made = {rules, rules->columns(), rules->measured(), row};
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_measured_row(PG_FUNCTION_ARGS) {  // strict
  const auto* by = packed_argument<Rules>(fcinfo, 1, "measured_row", make_rules);
  const double* x = row_features(PG_GETARG_ARRAYTYPE_P(0), by->columns);
  if (x == NULL) PG_RETURN_NULL();
  memcpy(by->row, x, sizeof(double) * (Size)by->columns);
  ArrayType* row = new_row(by->measured);
  by->rules->measure({by->row, (Size)by->columns}, {numbers_of_row(row), (Size)by->measured});
  PG_RETURN_POINTER(row);
}
