// dpmix.sum_state and dpmix.squares_state: what the states hold, and what the transition functions
// of both do with the lattice that an aggregate's arguments name, checked once where they are
// constants.
//
// Arguments of the transition function: 0 the state, 1 the value, 2..5 origin, step, low, high.
#pragma once

#include "core/stats/lattice_squares.hpp"
#include "core/stats/lattice_sum.hpp"
#include "pg/border/texts.hpp"
#include "pg/stats/states.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
}

namespace dpmix::pg {

// dpmix.sum_state, fixed length (src/sql knows the size). All zeros before any row.
struct SumState {
  double step;
  LatticePlacer lattice;
  int64 count;
  uint64 total[2];  // Int128 wants 16-byte alignment, palloc gives 8
};
static_assert(sizeof(SumState) == 64);

// dpmix.squares_state, fixed length (src/sql knows the size).
struct SquaresState {
  SumState sum;
  int32 shift, unused;  // of the squares' lattice
  uint64 squares[2];
};
static_assert(sizeof(SquaresState) == 88);

inline const Lattice& lattice_of(const LatticeSum& sum) {
  return sum.lattice;
}
inline const Lattice& lattice_of(const LatticeSquares& squares) {
  return squares.sum.lattice;
}

inline Int128 wide(const uint64* words) {
  return static_cast<Int128>(static_cast<UInt128>(words[1]) << 64 | words[0]);
}

inline void set_wide(uint64* words, Int128 value) {
  words[0] = static_cast<uint64>(value);
  words[1] = static_cast<uint64>(static_cast<UInt128>(value) >> 64);
}

// As values: blank() when the scan met none.
LatticeSum load(const SumState* state);
void store(SumState* state, const LatticeSum& sum);
LatticeSquares load(const SquaresState* state);
void store(SquaresState* state, const LatticeSquares& squares);

// What fn_extra says once an aggregate was seen to have a constant lattice.
extern char constant_lattice;

// Whether the state is on this call's lattice for certain: else it must pass through the next,
// once where the lattice is constant, for every row where it is not.
inline bool is_on_lattice(FunctionCallInfo fcinfo, const SumState* state) {
  return fcinfo->flinfo->fn_extra == &constant_lattice && state->step != 0;
}
// Of a row, in a transition function of weighed ones. NULL counts for nothing.
inline int64 weight_argument(FunctionCallInfo fcinfo, int argument) {
  return PG_ARGISNULL(argument) ? 0 : PG_GETARG_INT32(argument);
}
// False when the lattice of this call has a NULL. PV005 when it is none or another than the
// state's, which is the caller's own.
bool enter_lattice(FunctionCallInfo fcinfo, SumState* state);

// Input and output, as both types have them. On the wire: of squares their total, then of both
// count, total, origin, step, low, high.
void send_words(StringInfo message, Int128 value);
Int128 receive_words(StringInfo message);
void send(StringInfo message, const LatticeSum& sum);
void send(StringInfo message, const LatticeSquares& squares);
void receive(StringInfo message, LatticeSum* sum);
void receive(StringInfo message, LatticeSquares* squares);
// States that did not merge: corrupt, or on different lattices (PV005).
[[noreturn]] void refuse_merge(bool corrupt, const char* type);

template <class State, class Values>
Datum lattice_state_in(FunctionCallInfo fcinfo, const char* type) {
  const char* text = PG_GETARG_CSTRING(0);
  auto* state = static_cast<State*>(palloc0(sizeof(State)));
  const bool valid = guard([&] {
    const std::optional<Values> values = Values::from_text(text);
    if (values) store(state, *values);
    return values.has_value();
  });
  if (!valid) corrupt_state(ERRCODE_INVALID_TEXT_REPRESENTATION, type);
  PG_RETURN_POINTER(state);
}
template <class State>
Datum lattice_state_out(FunctionCallInfo fcinfo) {
  const State* state = fixed_state<State>(fcinfo, 0);
  PG_RETURN_CSTRING(guard([&] { return c_string_of(load(state).to_text()); }));
}
template <class State, class Values>
Datum lattice_state_recv(FunctionCallInfo fcinfo, const char* type) {
  auto* state = static_cast<State*>(palloc0(sizeof(State)));
  Values values;
  receive(reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0)), &values);
  if (!values.plausible()) corrupt_state(ERRCODE_INVALID_BINARY_REPRESENTATION, type);
  store(state, values);
  PG_RETURN_POINTER(state);
}
template <class State>
Datum lattice_state_send(FunctionCallInfo fcinfo) {
  StringInfoData message;
  pq_begintypsend(&message);
  send(&message, load(fixed_state<State>(fcinfo, 0)));
  PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}
template <class State>
Datum lattice_state_combine(FunctionCallInfo fcinfo, const char* type) {
  State* state = own_fixed_state<State>(fcinfo);
  auto mine = load(state);
  const auto theirs = load(fixed_state<State>(fcinfo, 1));
  const bool corrupt = !mine.plausible() || !theirs.plausible();
  if (!mine.merge(theirs)) refuse_merge(corrupt || lattice_of(mine) == lattice_of(theirs), type);
  store(state, mine);
  PG_RETURN_POINTER(state);
}

}  // namespace dpmix::pg
