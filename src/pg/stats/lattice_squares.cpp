// lattice_squares(x, origin, step, low, high) and its state dpmix.squares_state: all that a
// count, a sum and a variance of one column need, in one pass of one aggregate.
#include "pg/stats/lattice_state.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_squares_state_in);
PG_FUNCTION_INFO_V1(dpmix_squares_state_out);
PG_FUNCTION_INFO_V1(dpmix_squares_state_recv);
PG_FUNCTION_INFO_V1(dpmix_squares_state_send);
PG_FUNCTION_INFO_V1(dpmix_squares_state_add);
PG_FUNCTION_INFO_V1(dpmix_squares_state_add_weighed);
PG_FUNCTION_INFO_V1(dpmix_squares_state_combine);
PG_FUNCTION_INFO_V1(dpmix_squares_state_rows);
PG_FUNCTION_INFO_V1(dpmix_squares_state_total);
PG_FUNCTION_INFO_V1(dpmix_squares_state_squares);
}

using namespace dpmix;
using namespace dpmix::pg;

namespace {

constexpr char type_name[] = "squares_state";

// As enter_lattice; PV005 also for a lattice that is not centred.
bool enter_centred(FunctionCallInfo fcinfo, SquaresState* state) {
  if (!enter_lattice(fcinfo, &state->sum)) return false;
  const auto& lattice = state->sum.lattice;
  if (lattice.low != -lattice.high) {
    refuse_argument("invalid lattice",
                    psprintf("low is %.17g, high is %.17g.", lattice.low, lattice.high),
                    "Squares are taken on a centred lattice: low = -high.");
  }
  state->shift = square_placer(static_cast<int64>(lattice.high)).shift;
  return true;
}

template <class Weight>  // as of sums
Datum add(FunctionCallInfo fcinfo, const Weight& weight) {
  if (unlikely(PG_ARGISNULL(0))) PG_RETURN_NULL();
  SquaresState* state = fixed_state<SquaresState>(fcinfo, 0);
  if (PG_ARGISNULL(1)) PG_RETURN_POINTER(state);
  if (unlikely(!is_on_lattice(fcinfo, &state->sum))) {
    state = own_fixed_state<SquaresState>(fcinfo);
    if (!enter_centred(fcinfo, state)) PG_RETURN_DATUM(PG_GETARG_DATUM(0));
  }
  const double x = PG_GETARG_FLOAT8(1);
  if (likely(x == x)) {  // NaN is missing
    const int64 k = state->sum.lattice.place(x);
    const SquarePlacer placer{static_cast<int64>(state->sum.lattice.high), state->shift};
    const Int128 times = weight();
    state->sum.count += weight();
    set_wide(state->sum.total, wide(state->sum.total) + times * k);
    set_wide(state->squares, wide(state->squares) + times * placer.place(k));
  }
  PG_RETURN_POINTER(state);
}

}  // namespace

extern "C" {

Datum dpmix_squares_state_in(PG_FUNCTION_ARGS) {
  return lattice_state_in<SquaresState, LatticeSquares>(fcinfo, type_name);
}

Datum dpmix_squares_state_out(PG_FUNCTION_ARGS) {
  return lattice_state_out<SquaresState>(fcinfo);
}

Datum dpmix_squares_state_recv(PG_FUNCTION_ARGS) {
  return lattice_state_recv<SquaresState, LatticeSquares>(fcinfo, type_name);
}

Datum dpmix_squares_state_send(PG_FUNCTION_ARGS) {
  return lattice_state_send<SquaresState>(fcinfo);
}

Datum dpmix_squares_state_add(PG_FUNCTION_ARGS) {
  return add(fcinfo, [] { return int64{1}; });
}

Datum dpmix_squares_state_add_weighed(PG_FUNCTION_ARGS) {
  return add(fcinfo, [&] { return weight_argument(fcinfo, 6); });
}

Datum dpmix_squares_state_combine(PG_FUNCTION_ARGS) {  // strict; the initial state is not NULL
  return lattice_state_combine<SquaresState>(fcinfo, type_name);
}

Datum dpmix_squares_state_rows(PG_FUNCTION_ARGS) {
  PG_RETURN_INT64(fixed_state<SquaresState>(fcinfo, 0)->sum.count);
}

Datum dpmix_squares_state_total(PG_FUNCTION_ARGS) {
  return numeric_of(wide(fixed_state<SquaresState>(fcinfo, 0)->sum.total));
}

Datum dpmix_squares_state_squares(PG_FUNCTION_ARGS) {
  return numeric_of(wide(fixed_state<SquaresState>(fcinfo, 0)->squares));
}
}
