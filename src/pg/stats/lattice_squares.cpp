// lattice_squares(x, origin, step, low, high) and its state dpmix.squares_state: all that a
// count, a sum and a variance of one column need, in one pass of one aggregate.
#include "pg/border/guard.hpp"
#include "pg/stats/lattice_state.hpp"

extern "C" {
#include "libpq/pqformat.h"
PG_FUNCTION_INFO_V1(dpmix_squares_state_in);
PG_FUNCTION_INFO_V1(dpmix_squares_state_out);
PG_FUNCTION_INFO_V1(dpmix_squares_state_recv);
PG_FUNCTION_INFO_V1(dpmix_squares_state_send);
PG_FUNCTION_INFO_V1(dpmix_squares_state_add);
PG_FUNCTION_INFO_V1(dpmix_squares_state_combine);
PG_FUNCTION_INFO_V1(dpmix_squares_state_rows);
PG_FUNCTION_INFO_V1(dpmix_squares_state_total);
PG_FUNCTION_INFO_V1(dpmix_squares_state_squares);
}

namespace dpmix::pg {
namespace {

constexpr char type_name[] = "squares_state";

SquaresState* state_arg(FunctionCallInfo fcinfo, int argument) {
  return reinterpret_cast<SquaresState*>(PG_GETARG_POINTER(argument));
}

LatticeSquares load(const SquaresState* state) {
  return {load(&state->sum), wide(state->squares)};
}

void store(SquaresState* state, const LatticeSquares& squares) {
  store(&state->sum, squares.sum);
  state->shift = squares.blank() ? 0 : square_placer(squares.sum.lattice.high).shift;
  set_wide(state->squares, squares.squares);
}

// As prepare_sum_state; PV005 also for a lattice that is not centred.
pg_noinline SquaresState* prepare(FunctionCallInfo fcinfo) {
  auto* state = reinterpret_cast<SquaresState*>(prepare_sum_state(fcinfo, sizeof(SquaresState)));
  if (state == nullptr) return nullptr;
  if (state->sum.lattice.low != -state->sum.lattice.high) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)), errmsg("invalid lattice"),
                    errdetail("low is %.17g, high is %.17g.", state->sum.lattice.low,
                              state->sum.lattice.high),
                    errhint("Squares are taken on a centred lattice: low = -high.")));
  }
  state->shift = square_placer(static_cast<int64>(state->sum.lattice.high)).shift;
  return state;
}

}  // namespace

LatticeSquares read_squares_state(Datum state) {
  return load(reinterpret_cast<const SquaresState*>(DatumGetPointer(state)));
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" {

Datum dpmix_squares_state_in(PG_FUNCTION_ARGS) {
  const char* text = PG_GETARG_CSTRING(0);
  auto* state = static_cast<SquaresState*>(palloc0(sizeof(SquaresState)));
  const bool valid = guard([&] {
    const std::optional<LatticeSquares> squares = LatticeSquares::from_text(text);
    if (squares) store(state, *squares);
    return squares.has_value();
  });
  if (!valid) corrupt_state(ERRCODE_INVALID_TEXT_REPRESENTATION, type_name);
  PG_RETURN_POINTER(state);
}

Datum dpmix_squares_state_out(PG_FUNCTION_ARGS) {
  const SquaresState* state = state_arg(fcinfo, 0);
  char text[320];  // seven numbers of at most 40 characters
  guard([&] { strlcpy(text, load(state).to_text().c_str(), sizeof text); });
  PG_RETURN_CSTRING(pstrdup(text));
}

Datum dpmix_squares_state_recv(PG_FUNCTION_ARGS) {
  StringInfo message = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
  auto* state = static_cast<SquaresState*>(palloc0(sizeof(SquaresState)));
  const auto high = static_cast<uint64>(pq_getmsgint64(message));
  const uint64 words[2] = {static_cast<uint64>(pq_getmsgint64(message)), high};
  const LatticeSquares squares = {receive_sum(message), wide(words)};
  if (!squares.plausible()) corrupt_state(ERRCODE_INVALID_BINARY_REPRESENTATION, type_name);
  store(state, squares);
  PG_RETURN_POINTER(state);
}

Datum dpmix_squares_state_send(PG_FUNCTION_ARGS) {
  const SquaresState* state = state_arg(fcinfo, 0);
  StringInfoData message;
  pq_begintypsend(&message);
  pq_sendint64(&message, state->squares[1]);
  pq_sendint64(&message, state->squares[0]);
  send_sum(&message, load(&state->sum));
  PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

Datum dpmix_squares_state_add(PG_FUNCTION_ARGS) {  // not strict, as sum_state_add
  if (unlikely(PG_ARGISNULL(0))) PG_RETURN_NULL();
  if (PG_ARGISNULL(1)) PG_RETURN_DATUM(PG_GETARG_DATUM(0));
  SquaresState* state = state_arg(fcinfo, 0);
  if (unlikely(!is_ready(fcinfo, &state->sum))) {
    state = prepare(fcinfo);
    if (state == nullptr) PG_RETURN_DATUM(PG_GETARG_DATUM(0));
  }
  const double x = PG_GETARG_FLOAT8(1);
  if (likely(x == x)) {  // NaN is missing
    const int64 k = state->sum.lattice.place(x);
    const SquarePlacer placer{static_cast<int64>(state->sum.lattice.high), state->shift};
    ++state->sum.count;
    set_wide(state->sum.total, wide(state->sum.total) + k);
    set_wide(state->squares, wide(state->squares) + placer.place(k));
  }
  PG_RETURN_POINTER(state);
}

Datum dpmix_squares_state_combine(PG_FUNCTION_ARGS) {  // strict; the initial state is not NULL
  auto* state = static_cast<SquaresState*>(own_fixed_state(fcinfo, sizeof(SquaresState)));
  LatticeSquares mine = load(state);
  const LatticeSquares theirs = load(state_arg(fcinfo, 1));
  if (!mine.merge(theirs)) {
    refuse_merge(!mine.plausible() || !theirs.plausible() || mine.sum.lattice == theirs.sum.lattice,
                 type_name);
  }
  store(state, mine);
  PG_RETURN_POINTER(state);
}

Datum dpmix_squares_state_rows(PG_FUNCTION_ARGS) {
  PG_RETURN_INT64(state_arg(fcinfo, 0)->sum.count);
}

Datum dpmix_squares_state_total(PG_FUNCTION_ARGS) {
  return numeric_of(wide(state_arg(fcinfo, 0)->sum.total));
}

Datum dpmix_squares_state_squares(PG_FUNCTION_ARGS) {
  return numeric_of(wide(state_arg(fcinfo, 0)->squares));
}
}
