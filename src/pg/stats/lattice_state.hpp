// States of sums, and of sums of squares: what they hold, and what the transition functions of both
// do with the lattice that an aggregate's arguments name, checked once where they are constants.
//
// Arguments of the transition function: 0 the state, 1 the value, 2..5 origin, step, low, high.
#pragma once

#include "core/stats/lattice_squares.hpp"
#include "core/stats/lattice_sum.hpp"
#include "pg/border/texts.hpp"
#include "pg/stats/states.hpp"

namespace dpmix::pg {

// All zeros but for its head before any row.
struct SumState {
  static constexpr StateKind kind = StateKind::sum;
  int32 vl_len_;
  StateKind is;
  double step;
  LatticePlacer lattice;
  int64 count;
  uint64 total[2];  // Int128 wants 16-byte alignment, palloc gives 8
};

struct SquaresState {
  static constexpr StateKind kind = StateKind::squares;
  SumState sum;         // and the head
  int32 shift, unused;  // shift: that of the squares' lattice
  uint64 squares[2];
};

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

// The sums of a state as values: blank() when the scan met none.
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
// A row's weight, in a transition function of weighed rows. NULL counts for nothing.
inline int64 weight_argument(FunctionCallInfo fcinfo, int argument) {
  return PG_ARGISNULL(argument) ? 0 : PG_GETARG_INT32(argument);
}
// False when the lattice of this call has a NULL. PV005 when it is none or another than the
// state's, which is the caller's own.
bool enter_lattice(FunctionCallInfo fcinfo, SumState* state);

// Messages of squares begin with their total; then both have count, total, origin, step, low, high.
void send(StringInfo message, const LatticeSum& sum);
void send(StringInfo message, const LatticeSquares& squares);
void receive(StringInfo message, LatticeSum* sum);
void receive(StringInfo message, LatticeSquares* squares);
// States that did not merge: corrupt, or on different lattices (PV005).
[[noreturn]] void refuse_merge(bool corrupt);

// Functions for a kind of state, as StateForm wants them.
template <class Kind>
State* blank_lattice_state() {
  auto* state = static_cast<SumState*>(palloc0(sizeof(Kind)));
  SET_VARSIZE(state, sizeof(Kind));
  state->is = Kind::kind;
  return reinterpret_cast<State*>(state);
}
template <class Kind, class Values>
State* lattice_state_of(const Values& values) {
  State* state = blank_lattice_state<Kind>();
  store(reinterpret_cast<Kind*>(state), values);
  return state;
}
template <class Kind, class Values>
State* lattice_state_of_text(const char* text) {
  std::optional<Values> values;
  guard([&] { values = Values::from_text(text); });
  return values ? lattice_state_of<Kind>(*values) : nullptr;
}
template <class Kind>
char* text_of_lattice_state(State* state) {
  return guard([&] { return c_string_of(load(reinterpret_cast<Kind*>(state)).to_text()); });
}
template <class Kind, class Values>
State* receive_lattice_state(StringInfo message) {
  Values values;
  receive(message, &values);
  return values.plausible() ? lattice_state_of<Kind>(values) : nullptr;
}
template <class Kind>
void send_lattice_state(StringInfo message, State* state) {
  send(message, load(reinterpret_cast<Kind*>(state)));
}
template <class Kind>
State* merge_lattice_states(State* own, State* other) {
  auto mine = load(reinterpret_cast<Kind*>(own));
  const auto theirs = load(reinterpret_cast<Kind*>(other));
  const bool corrupt = !mine.plausible() || !theirs.plausible();
  if (!mine.merge(theirs)) refuse_merge(corrupt || lattice_of(mine) == lattice_of(theirs));
  store(reinterpret_cast<Kind*>(own), mine);
  return own;
}

}  // namespace dpmix::pg
