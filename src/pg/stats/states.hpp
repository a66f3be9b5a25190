// What the states of all statistics aggregates share: for the aggregates that fill them, and for
// the C functions that read them after a scan.
//
// States are plain values of one type (no `internal`): they travel between workers and servers as
// bytes or exact text, and an aggregate changes its own in place. What leaves here is exact and
// noise-free: only the table's owner, or code that adds noise, may see it.
#pragma once

#include "core/base/int128.hpp"
#include "pg/border/postgres.hpp"
#include "pg/stats/state_type.hpp"

extern "C" {
#include "utils/array.h"  // brings VARSIZE, which postgres.h does not since PostgreSQL 16
}

namespace dpmix::pg {

// A 128-bit integer as numeric.
Datum numeric_of(Int128 value);
ArrayType* numeric_array(Datum* values, int rows, int columns);
// Exact integers as numeric[]: rows x columns, or of one dimension where rows is 0.
template <class At>
ArrayType* numeric_array(int rows, int columns, const At& at) {
  const int count = Max(rows, 1) * columns;
  auto* values = static_cast<Datum*>(palloc(sizeof(Datum) * static_cast<Size>(Max(count, 1))));
  for (int i = 0; i < count; ++i) values[i] = numeric_of(at(i));
  return numeric_array(values, rows, columns);
}
inline ArrayType* numeric_array(std::initializer_list<Int128> values) {
  const Int128* first = values.begin();
  return numeric_array(0, static_cast<int>(values.size()), [first](int i) { return first[i]; });
}

// Whether this argument of a transition function (the state is 0) is the same for all calls through
// fcinfo->flinfo: a constant, or a parameter, of an aggregate that the executor is running.
bool constant_argument(FunctionCallInfo fcinfo, int argument);
// Whether an argument of a function that is no aggregate's is a parameter of the statement that
// this process runs: then its value stays where it is while the statement runs. Of sessions false:
// PL/pgSQL passes its variables as such parameters.
bool parameter_of_scan(FunctionCallInfo fcinfo, int argument);

template <class Kind>
Kind* state_argument(FunctionCallInfo fcinfo, int argument) {
  return of_kind<Kind>(read_state(PG_GETARG_DATUM(argument)));
}

// The first argument of a transition function, to be changed: in place when it belongs to the
// aggregate, whose own was checked when it came in, else a copy that check() took.
template <class Kind, class Check>
Kind* own_state(FunctionCallInfo fcinfo, Check check) {
  auto* state = state_argument<Kind>(fcinfo, 0);
  if (likely(AggCheckCallContext(fcinfo, nullptr))) return state;
  check(state);
  return static_cast<Kind*>(memcpy(palloc(VARSIZE(state)), state, VARSIZE(state)));
}

// A state that core lays out in words: View is ClassMoments or FeatureSample.
template <StateKind of>
struct WordState {
  static constexpr StateKind kind = of;
  int32 vl_len_;
  StateKind is;
  uint64 words[FLEXIBLE_ARRAY_MEMBER];
};
template <class Kind, class View, class Shape>
Kind* new_word_state(const Shape& shape) {
  const Size size = offsetof(Kind, words) + View::word_count(shape) * sizeof(uint64);
  auto* state = new_state<Kind>(size);
  View::create(state->words, shape);
  return state;
}
template <class View, class Kind>
View view_of_words(Kind* state) {
  const Size size = VARSIZE(state), header = offsetof(Kind, words);
  if (size < header || (size - header) % sizeof(uint64) != 0 ||
      !View::shape_of(state->words, (size - header) / sizeof(uint64))) {
    corrupt_state(ERRCODE_DATA_CORRUPTED);
  }
  return View(state->words);
}

}  // namespace dpmix::pg
