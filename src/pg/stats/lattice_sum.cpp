// dpmix_internal.lattice_sum(x, origin, step, low, high) and its state dpmix.sum_state.
#include "pg/stats/lattice_state.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_sum_state_in);
PG_FUNCTION_INFO_V1(dpmix_sum_state_out);
PG_FUNCTION_INFO_V1(dpmix_sum_state_recv);
PG_FUNCTION_INFO_V1(dpmix_sum_state_send);
PG_FUNCTION_INFO_V1(dpmix_sum_state_add);
PG_FUNCTION_INFO_V1(dpmix_sum_state_add_weighed);
PG_FUNCTION_INFO_V1(dpmix_sum_state_combine);
PG_FUNCTION_INFO_V1(dpmix_sum_state_rows);
PG_FUNCTION_INFO_V1(dpmix_sum_state_total);
}

using namespace dpmix;
using namespace dpmix::pg;

namespace {
constexpr char type_name[] = "sum_state";

// Not strict: checking six arguments for NULL would cost each row more than its sum. weight(): of
// the row.
template <class Weight>
Datum add(FunctionCallInfo fcinfo, const Weight& weight) {
  if (unlikely(PG_ARGISNULL(0))) PG_RETURN_NULL();
  SumState* state = fixed_state<SumState>(fcinfo, 0);
  if (PG_ARGISNULL(1)) PG_RETURN_POINTER(state);
  if (unlikely(!is_on_lattice(fcinfo, state))) {
    state = own_fixed_state<SumState>(fcinfo);
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

}  // namespace

extern "C" {

Datum dpmix_sum_state_in(PG_FUNCTION_ARGS) {
  return lattice_state_in<SumState, LatticeSum>(fcinfo, type_name);
}

Datum dpmix_sum_state_out(PG_FUNCTION_ARGS) {
  return lattice_state_out<SumState>(fcinfo);
}

Datum dpmix_sum_state_recv(PG_FUNCTION_ARGS) {
  return lattice_state_recv<SumState, LatticeSum>(fcinfo, type_name);
}

Datum dpmix_sum_state_send(PG_FUNCTION_ARGS) {
  return lattice_state_send<SumState>(fcinfo);
}

Datum dpmix_sum_state_add(PG_FUNCTION_ARGS) {
  return add(fcinfo, [] { return int64{1}; });
}

Datum dpmix_sum_state_add_weighed(PG_FUNCTION_ARGS) {
  return add(fcinfo, [&] { return weight_argument(fcinfo, 6); });
}

Datum dpmix_sum_state_combine(PG_FUNCTION_ARGS) {  // strict; the initial state is not NULL
  return lattice_state_combine<SumState>(fcinfo, type_name);
}

Datum dpmix_sum_state_rows(PG_FUNCTION_ARGS) {
  PG_RETURN_INT64(fixed_state<SumState>(fcinfo, 0)->count);
}

Datum dpmix_sum_state_total(PG_FUNCTION_ARGS) {
  return numeric_of(wide(fixed_state<SumState>(fcinfo, 0)->total));
}
}
