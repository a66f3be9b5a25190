// What the states of all statistics aggregates share: for the aggregates that fill them, and for
// the C functions that read them after a scan.
//
// States are plain values (no `internal`): they travel between workers and servers as bytes or
// exact text, and an aggregate changes its own in place. What leaves here is exact and noise-free:
// only the table's owner, or code that adds noise, may see it.
#pragma once

#include "core/base/int128.hpp"
#include "pg/border/postgres.hpp"

extern "C" {
#include "utils/array.h"  // brings VARSIZE, which postgres.h does not since PostgreSQL 16
}

namespace dpmix::pg {

// A 128-bit integer as numeric.
Datum numeric_of(Int128 value);

// Whether this argument of a transition function (the state is 0) is the same for all calls through
// fcinfo->flinfo: a constant, or a parameter, of an aggregate that the executor is running.
bool constant_argument(FunctionCallInfo fcinfo, int argument);
// Whether an argument of a function that is no aggregate's is a parameter of the statement that
// this process runs: then its value stays where it is while the statement runs. Of sessions false:
// PL/pgSQL passes its variables as such parameters.
bool parameter_of_scan(FunctionCallInfo fcinfo, int argument);

[[noreturn]] void corrupt_state(int sqlstate, const char* type);  // "invalid dpmix.<type>"

// A state as an argument: of fixed length, or a varlena.
template <class State>
State* fixed_state(FunctionCallInfo fcinfo, int argument) {
  return reinterpret_cast<State*>(PG_GETARG_POINTER(argument));
}
template <class State>
State* state_argument(FunctionCallInfo fcinfo, int argument) {
  return reinterpret_cast<State*>(PG_DETOAST_DATUM(PG_GETARG_DATUM(argument)));
}

// The first argument of a transition or combine function, to be changed: in place when it belongs
// to the aggregate, whose own was checked when it came in, else a copy that check() took.
template <class State>
State* own_fixed_state(FunctionCallInfo fcinfo) {
  auto* state = fixed_state<State>(fcinfo, 0);
  if (AggCheckCallContext(fcinfo, nullptr)) return state;
  return static_cast<State*>(memcpy(palloc(sizeof(State)), state, sizeof(State)));
}
template <class State, class Check>
State* own_state(FunctionCallInfo fcinfo, Check check) {
  if (likely(AggCheckCallContext(fcinfo, nullptr))) return state_argument<State>(fcinfo, 0);
  auto* copy = reinterpret_cast<State*>(PG_DETOAST_DATUM_COPY(PG_GETARG_DATUM(0)));
  check(copy);
  return copy;
}

// A varlena state that core lays out in words: View is ClassMoments or FeatureSample.
struct WordState {
  int32 vl_len_;
  int32 unused;
  uint64 words[FLEXIBLE_ARRAY_MEMBER];
};
template <class View, class Shape>
WordState* new_word_state(const Shape& shape) {
  const Size size = offsetof(WordState, words) + View::word_count(shape) * sizeof(uint64);
  auto* state = static_cast<WordState*>(palloc0(size));
  SET_VARSIZE(state, size);
  View::create(state->words, shape);
  return state;
}
template <class View>
View view_of_words(WordState* state, const char* type) {
  const Size size = VARSIZE(state), header = offsetof(WordState, words);
  if (size < header || (size - header) % sizeof(uint64) != 0 ||
      !View::shape_of(state->words, (size - header) / sizeof(uint64))) {
    corrupt_state(ERRCODE_DATA_CORRUPTED, type);
  }
  return View(state->words);
}

}  // namespace dpmix::pg
