// lattice_squares(x, origin, step, low, high) and its states: all that a count, a sum and a
// variance of one column need, in one pass of one aggregate.
#include "pg/stats/unit_sums.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_lattice_squares_add);
PG_FUNCTION_INFO_V1(dpmix_lattice_squares_add_weighed);
PG_FUNCTION_INFO_V1(dpmix_lattice_squares_add_unit);
}

using namespace dpmix;
using namespace dpmix::pg;

namespace {

// Like enter_lattice(); PV005 also for a lattice that is not centred.
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

template <class AddTo>  // like that of sums
Datum add(FunctionCallInfo fcinfo, const AddTo& add_to) {
  if (unlikely(PG_ARGISNULL(0))) PG_RETURN_NULL();
  SquaresState* state = state_argument<SquaresState>(fcinfo, 0);
  if (PG_ARGISNULL(1)) PG_RETURN_POINTER(state);
  if (unlikely(!is_on_lattice(fcinfo, &state->sum))) {
    state = own_state<SquaresState>(fcinfo, [](SquaresState*) {});
    if (!enter_centred(fcinfo, state)) PG_RETURN_DATUM(PG_GETARG_DATUM(0));
  }
  add_to(state);
  PG_RETURN_POINTER(state);
}

void add_row(SquaresState* state, double x, int64 weight) {
  if (unlikely(x != x)) return;  // NaN is missing
  const int64 k = state->sum.lattice.place(x);
  const SquarePlacer placer{static_cast<int64>(state->sum.lattice.high), state->shift};
  const Int128 times = weight;
  state->sum.count += weight;
  set_wide(state->sum.total, wide(state->sum.total) + times * k);
  set_wide(state->squares, wide(state->squares) + times * placer.place(k));
}

ArrayType* numbers(State* state) {
  const auto* squares = reinterpret_cast<SquaresState*>(state);
  return numeric_array({squares->sum.count, wide(squares->sum.total), wide(squares->squares)});
}

}  // namespace

const StateForm dpmix::pg::squares_form{
    StateKind::squares,
    "squares",
    blank_lattice_state<SquaresState>,
    lattice_state_of_text<SquaresState, LatticeSquares>,
    text_of_lattice_state<SquaresState>,
    receive_lattice_state<SquaresState, LatticeSquares>,
    send_lattice_state<SquaresState>,
    merge_lattice_states<SquaresState>,
    numbers,
};

extern "C" {

Datum dpmix_lattice_squares_add(PG_FUNCTION_ARGS) {
  return add(fcinfo, [&](SquaresState* state) { add_row(state, PG_GETARG_FLOAT8(1), 1); });
}

Datum dpmix_lattice_squares_add_weighed(PG_FUNCTION_ARGS) {
  return add(fcinfo, [&](SquaresState* state) {
    add_row(state, PG_GETARG_FLOAT8(1), weight_argument(fcinfo, 6));
  });
}

Datum dpmix_lattice_squares_add_unit(PG_FUNCTION_ARGS) {
  return add(fcinfo, [&](SquaresState* state) {
    const UnitSquares unit = unit_argument<UnitSquares>(fcinfo, 1);
    const int64 weight = weight_argument(fcinfo, 6);
    state->sum.count += weight * unit.sum.count;
    add_weighed(state->sum.total, unit.sum.total, weight);
    add_weighed(state->squares, unit.squares, weight);
  });
}
}
