// regression_row(x, design): a row as class_moments takes it.
#include "core/regression/design.hpp"
#include "pg/border/context_object.hpp"
#include "pg/stats/packed_argument.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_regression_row);
}

namespace dpmix::pg {
namespace {

// The design in plain memory.
struct Coding {
  const Design* design;
  int inputs, numbers;  // into a row, and out of it
};

void make_coding(std::span<const double> packed, MemoryContext context, Coding* coding) {
  Design* design = end_with(context, std::make_unique<Design>(Design::unpack(packed)));
  *coding = {design, design->inputs(), design->columns() + 1};
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_regression_row(PG_FUNCTION_ARGS) {  // strict
  const auto* coding = packed_argument<Coding>(fcinfo, 1, "regression_row", make_coding);
  const double* x = row_features(PG_GETARG_ARRAYTYPE_P(0), coding->inputs);
  if (x == NULL) PG_RETURN_NULL();
  ArrayType* row = new_row(coding->numbers);
  if (!coding->design->code(x, numbers_of_row(row))) PG_RETURN_NULL();
  PG_RETURN_POINTER(row);
}
