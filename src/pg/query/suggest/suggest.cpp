// What dpmix.suggest_bounds() makes of noisy counts: post-processing alone.
#include <algorithm>

#include "core/query/bound_choice.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/result_rows.hpp"

extern "C" {
#include "utils/array.h"

PG_FUNCTION_INFO_V1(dpmix_bound_bins);
PG_FUNCTION_INFO_V1(dpmix_chosen_bounds);
PG_FUNCTION_INFO_V1(dpmix_six_digits);
}

namespace dpmix::pg {
namespace {

std::span<const double> numbers(ArrayType* array) {
  return {(const double*)ARR_DATA_PTR(array),
          static_cast<std::size_t>(ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)))};
}

ArrayType* number_array(FunctionCallInfo fcinfo, int n) {
  ArrayType* array = PG_GETARG_ARRAYTYPE_P(n);
  if (array_contains_nulls(array)) {
    refuse_argument(psprintf("%s has a NULL", parameter_name(fcinfo, n)),
                    "It is a list of numbers.", "Pass numbers alone.");
  }
  return array;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_bound_bins(PG_FUNCTION_ARGS) {
  const bool whole = PG_GETARG_BOOL(0);
  double* copy = NULL;
  const int count = guard([&] {
    const std::vector<double> edges = bound_bins(whole);
    const std::size_t bytes = edges.size() * sizeof(double);
    postgres([&] { copy = (double*)palloc(bytes); });
    std::copy(edges.begin(), edges.end(), copy);
    return static_cast<int>(edges.size());
  });
  return float8_array(copy, count).datum;
}

Datum dpmix_six_digits(PG_FUNCTION_ARGS) {
  PG_RETURN_FLOAT8(six_digits(PG_GETARG_FLOAT8(0)));
}

Datum dpmix_chosen_bounds(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 5);
  const NoisyBins bins = {numbers(number_array(fcinfo, 0)), numbers(number_array(fcinfo, 1)),
                          PG_GETARG_FLOAT8(2), PG_GETARG_BOOL(4)};
  const double row_noise = PG_GETARG_FLOAT8(3);
  const std::size_t count = bins.counts.size();
  if (count < 5 || count > 1000 || bins.edges.size() != count + 1) {
    refuse_argument("the bins do not agree",
                    "There are 5 to 1000 counts, and one edge more than there are counts.",
                    "Pass what one histogram has.");
  }
  struct {
    bool found;
    BoundChoice choice;
  } result = {};
  guard([&] {
    const std::optional<BoundChoice> choice = choose_bounds(bins, row_noise);
    result.found = choice.has_value();
    if (choice) result.choice = *choice;
  });
  const bool found = result.found;
  const BoundChoice& choice = result.choice;
  const double rows = choice.rows > 0 ? choice.rows : 1;
  return row_datum(fcinfo,
                   {value_if(found, choice.lower), value_if(found, choice.upper),
                    value_if(found, choice.below / rows), value_if(found, choice.above / rows)});
}
