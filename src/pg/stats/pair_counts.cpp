// pair_counts(x, shape).
#include <cmath>

#include "core/input/pair_shape.hpp"
#include "pg/stats/count_state.hpp"
#include "pg/stats/packed_argument.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_pair_counts_add);
}

namespace dpmix::pg {
namespace {

struct Counting {
  uint64 fingerprint;
  PairCounter counter;
};

void make_counting(std::span<const double> packed, MemoryContext context, Counting* counting) {
  const std::size_t columns = PairShape::unpack(packed).columns.size();
  auto* placers = reinterpret_cast<CellPlacer*>(
      placer_memory(context, columns * sizeof(CellPlacer) / sizeof(double)));
  *counting = {fingerprint(packed), PairCounter(packed, placers)};
}

// The row's numbers, NaN for NULL; in `values` where some are.
const double* numbers_in(const ArrayType* x, int columns, double* values) {
  if (unlikely(ARR_NDIM(x) != 1 || ARR_DIMS(x)[0] != columns)) {
    refuse_argument("rows must have as many columns as the shape",
                    psprintf("Columns of the shape: %d.", columns),
                    "Pass one float8 array with an element for each column.");
  }
  const auto* known = reinterpret_cast<const double*>(ARR_DATA_PTR(x));
  const bits8* present = ARR_NULLBITMAP(x);
  if (present == nullptr) return known;
  for (int i = 0; i < columns; ++i) {
    values[i] = (present[i / 8] >> (i % 8) & 1) != 0 ? *known++ : NAN;
  }
  return values;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" Datum dpmix_pair_counts_add(PG_FUNCTION_ARGS) {  // strict
  CountState* state = own_count_state(fcinfo);
  const auto* counting = packed_argument<Counting>(fcinfo, 2, "pair_counts", make_counting);
  const PairCounter& counter = counting->counter;
  state = of_shape(state, 1, counter.bins(), counting->fingerprint);
  double values[PairShape::max_columns];
  const double* x = numbers_in(PG_GETARG_ARRAYTYPE_P(1), counter.columns(), values);
  counter.add(x, reinterpret_cast<std::int64_t*>(state->counts));
  PG_RETURN_POINTER(state);
}
