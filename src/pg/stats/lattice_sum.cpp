// dpmix_internal.lattice_sum(x, origin, step, low, high) and its states.
#include "pg/stats/unit_sums.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_lattice_sum_add);
PG_FUNCTION_INFO_V1(dpmix_lattice_sum_add_weighed);
PG_FUNCTION_INFO_V1(dpmix_lattice_sum_add_unit);
}

using namespace dpmix;
using namespace dpmix::pg;

namespace {
// Not strict: checking six arguments for NULL would cost each row more than its sum. add_to(): adds
// what argument 1 is.
template <class AddTo>
Datum add(FunctionCallInfo fcinfo, const AddTo& add_to) {
  if (unlikely(PG_ARGISNULL(0))) PG_RETURN_NULL();
  SumState* state = state_argument<SumState>(fcinfo, 0);
  if (PG_ARGISNULL(1)) PG_RETURN_POINTER(state);
  if (unlikely(!is_on_lattice(fcinfo, state))) {
    state = own_state<SumState>(fcinfo, [](SumState*) {});
    if (!enter_lattice(fcinfo, state)) PG_RETURN_DATUM(PG_GETARG_DATUM(0));
  }
  add_to(state);
  PG_RETURN_POINTER(state);
}

void add_row(SumState* state, double x, int64 weight) {
  if (unlikely(x != x)) return;  // NaN is missing
  state->count += weight;
  set_wide(state->total,
           wide(state->total) + static_cast<Int128>(weight) * state->lattice.place(x));
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
  return add(fcinfo, [&](SumState* state) { add_row(state, PG_GETARG_FLOAT8(1), 1); });
}

Datum dpmix_lattice_sum_add_weighed(PG_FUNCTION_ARGS) {
  return add(fcinfo, [&](SumState* state) {
    add_row(state, PG_GETARG_FLOAT8(1), weight_argument(fcinfo, 6));
  });
}

Datum dpmix_lattice_sum_add_unit(PG_FUNCTION_ARGS) {
  return add(fcinfo, [&](SumState* state) {
    const UnitSum unit = unit_argument<UnitSum>(fcinfo, 1);
    const int64 weight = weight_argument(fcinfo, 6);
    state->count += weight * unit.count;
    add_weighed(state->total, unit.total, weight);
  });
}
}
