// dpmix_internal.lattice_sum(x, origin, step, low, high) and its states.
#include "pg/stats/lattice_state.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_lattice_sum_add);
PG_FUNCTION_INFO_V1(dpmix_lattice_sum_add_weighed);
}

using namespace dpmix;
using namespace dpmix::pg;

namespace {
// Not strict: checking six arguments for NULL would cost each row more than its sum. weight(): of
// the row.
template <class Weight>
Datum add(FunctionCallInfo fcinfo, const Weight& weight) {
  if (unlikely(PG_ARGISNULL(0))) PG_RETURN_NULL();
  SumState* state = state_argument<SumState>(fcinfo, 0);
  if (PG_ARGISNULL(1)) PG_RETURN_POINTER(state);
  if (unlikely(!is_on_lattice(fcinfo, state))) {
    state = own_state<SumState>(fcinfo, [](SumState*) {});
    if (!enter_lattice(fcinfo, state)) PG_RETURN_DATUM(PG_GETARG_DATUM(0));
  }
  const double x = PG_GETARG_FLOAT8(1);
  if (likely(x == x)) {  // NaN is missing
    state->count += weight();
    set_wide(state->total,
             wide(state->total) + static_cast<Int128>(weight()) * state->lattice.place(x));
  }
  PG_RETURN_POINTER(state);
}

ArrayType* numbers(State* state) {
  const auto* sum = reinterpret_cast<SumState*>(state);
  return numeric_array({sum->count, wide(sum->total)});
}

}  // namespace

const StateForm dpmix::pg::sum_form{
    StateKind::sum,
    "sum",
    blank_lattice_state<SumState>,
    lattice_state_of_text<SumState, LatticeSum>,
    text_of_lattice_state<SumState>,
    receive_lattice_state<SumState, LatticeSum>,
    send_lattice_state<SumState>,
    merge_lattice_states<SumState>,
    numbers,
};

extern "C" {

Datum dpmix_lattice_sum_add(PG_FUNCTION_ARGS) {
  return add(fcinfo, [] { return int64{1}; });
}

Datum dpmix_lattice_sum_add_weighed(PG_FUNCTION_ARGS) {
  return add(fcinfo, [&] { return weight_argument(fcinfo, 6); });
}
}
