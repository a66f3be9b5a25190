// dpmix.sum_state as its transition functions see it, alone or as the head of a wider state: the
// lattice that an aggregate's arguments name, checked once where they are constants.
//
// Arguments of the transition function: 0 the state, 1 the value, 2..5 origin, step, low, high.
#pragma once

#include "pg/stats/states.hpp"

extern "C" {
#include "lib/stringinfo.h"
}

namespace dpmix::pg {

inline Int128 wide(const uint64* words) {
  return static_cast<Int128>(static_cast<UInt128>(words[1]) << 64 | words[0]);
}

inline void set_wide(uint64* words, Int128 value) {
  words[0] = static_cast<uint64>(value);
  words[1] = static_cast<uint64>(static_cast<UInt128>(value) >> 64);
}

LatticeSum load(const SumState* state);
void store(SumState* state, const LatticeSum& sum);

// On the wire: count, total, origin, step, low, high. Read without a check.
void send_sum(StringInfo message, const LatticeSum& sum);
LatticeSum receive_sum(StringInfo message);

// The first argument, to be changed: in place when it belongs to the aggregate, else a copy.
void* own_fixed_state(FunctionCallInfo fcinfo, Size size);

// What fn_extra says once an aggregate was seen to have a constant lattice.
extern char constant_lattice;

// Whether the state is on this call's lattice for certain: else it must pass through the next,
// once where the lattice is constant, for every row where it is not.
inline bool is_ready(FunctionCallInfo fcinfo, const SumState* state) {
  return fcinfo->flinfo->fn_extra == &constant_lattice && state->step != 0;
}
// The state to add to, on the lattice of this call; nullptr when that has a NULL. PV005 when it is
// none or another one. size: of the whole state.
SumState* prepare_sum_state(FunctionCallInfo fcinfo, Size size);

// States that did not merge: corrupt, or on different lattices (PV005).
[[noreturn]] void refuse_merge(bool corrupt, const char* type);

}  // namespace dpmix::pg
