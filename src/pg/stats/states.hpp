// The statistics aggregates' states: for the aggregates that fill them, and for the C functions
// that read them after a scan.
//
// dpmix.sum_state, dpmix.squares_state, dpmix.moment_state and dpmix.count_state are plain values
// (no `internal`): they travel between workers and servers as bytes or exact text, and an aggregate
// changes its own in place. What leaves here is exact and noise-free: only the table's owner, or
// code that adds noise, may see it.
#pragma once

#include "core/stats/bin_counts.hpp"
#include "core/stats/class_moments.hpp"
#include "core/stats/feature_sample.hpp"
#include "core/stats/lattice_squares.hpp"
#include "core/stats/lattice_sum.hpp"
#include "pg/border/postgres.hpp"

extern "C" {
#include "utils/array.h"  // brings VARSIZE, which postgres.h does not since PostgreSQL 16
}

namespace dpmix::pg {

// dpmix.sum_state, fixed length (src/sql/10_stats.sql knows the size). All zeros before any row.
struct SumState {
  double step;
  LatticePlacer lattice;
  int64 count;
  uint64 total[2];  // Int128 wants 16-byte alignment, palloc gives 8
};
static_assert(sizeof(SumState) == 64);

// The exact count and sum; blank() when the scan met no value.
LatticeSum read_sum_state(Datum state);

// dpmix.squares_state, fixed length (src/sql/10_stats.sql knows the size).
struct SquaresState {
  SumState sum;
  int32 shift, unused;  // of the squares' lattice
  uint64 squares[2];
};
static_assert(sizeof(SquaresState) == 88);

LatticeSquares read_squares_state(Datum state);

// dpmix.moment_state, a varlena.
struct MomentState {
  int32 vl_len_;
  int32 unused;
  uint64 words[FLEXIBLE_ARRAY_MEMBER];  // ClassMoments
};

MomentState* new_moment_state(const MomentShape& shape);
MomentState* own_moment_state(FunctionCallInfo fcinfo);  // own_state_argument
MomentState* change_shape(MomentState* state, const MomentShape& shape);
// The state itself, or a new one when it is blank. PV005 when it is of another shape.
inline MomentState* of_shape(MomentState* state, const MomentShape& shape) {
  if (likely(memcmp(state->words, &shape, sizeof shape) == 0)) return state;
  return change_shape(state, shape);
}
// A view on the (detoasted) state, good as long as the Datum or the current memory context. Its
// shape is blank, with no classes, when the scan met no row. Raises ERRCODE_DATA_CORRUPTED on bytes
// that are no state. Inside guard(), totals() gives the sums as plain values.
ClassMoments read_moment_state(Datum state);

// dpmix.count_state, a varlena: BinCounts. Blank: no classes, no bins.
struct CountState {
  int32 vl_len_;
  int32 classes, bins;
  int32 unused;
  uint64 frame;
  int64 counts[FLEXIBLE_ARRAY_MEMBER];

  void add(int k, int bin) { ++counts[static_cast<Size>(k) * static_cast<Size>(bins) + bin]; }
};

CountState* new_count_state(int classes, int bins, uint64 frame);  // 0, 0, 0: blank
CountState* own_count_state(FunctionCallInfo fcinfo);              // own_state_argument
CountState* change_shape(CountState* state, int classes, int bins, uint64 frame);
inline CountState* of_shape(CountState* state, int classes, int bins, uint64 frame) {
  const bool same = state->classes == classes && state->bins == bins && state->frame == frame;
  return likely(same) ? state : change_shape(state, classes, bins, frame);
}
// The (detoasted) state. Raises ERRCODE_DATA_CORRUPTED on bytes that are no state.
const CountState* read_count_state(Datum state);
BinCounts counts_of(const CountState* state);  // inside guard()

// What numbers_seen returns, a bytea of one bit for each number: how many were seen.
constexpr int kMostNumbersSeen = 1 << 24;
int64 read_numbers_seen(Datum set);

// dpmix.sample_state, a varlena.
struct SampleState {
  int32 vl_len_;
  int32 unused;
  uint64 words[FLEXIBLE_ARRAY_MEMBER];  // FeatureSample
};

// As read_moment_state. Inside guard(), rows() gives the sample as plain values.
FeatureSample read_sample_state(Datum state);

// A 128-bit integer as numeric.
Datum numeric_of(Int128 value);

// Whether this argument of a transition function (the state is 0) is the same for all calls through
// fcinfo->flinfo: a constant, or a parameter, of an aggregate that the executor is running.
bool constant_argument(FunctionCallInfo fcinfo, int argument);

[[noreturn]] void corrupt_state(int sqlstate, const char* type);  // "invalid dpmix.<type>"

// A state that is a varlena, as an argument.
template <class State>
State* state_argument(FunctionCallInfo fcinfo, int argument) {
  return reinterpret_cast<State*>(PG_DETOAST_DATUM(PG_GETARG_DATUM(argument)));
}

// The first argument of a transition or combine function, to be changed: in place when it belongs
// to the aggregate, whose own was checked when it came in, else a copy that check() took.
template <class State, class Check>
State* own_state_argument(FunctionCallInfo fcinfo, Check check) {
  if (likely(AggCheckCallContext(fcinfo, nullptr))) return state_argument<State>(fcinfo, 0);
  auto* copy = reinterpret_cast<State*>(PG_DETOAST_DATUM_COPY(PG_GETARG_DATUM(0)));
  check(copy);
  return copy;
}

// What core makes of a state's words: View is ClassMoments or FeatureSample.
template <class View, class State>
View view_of_words(State* state, const char* type) {
  const Size size = VARSIZE(state), header = offsetof(State, words);
  if (size < header || (size - header) % sizeof(uint64) != 0 ||
      !View::shape_of(state->words, (size - header) / sizeof(uint64))) {
    corrupt_state(ERRCODE_DATA_CORRUPTED, type);
  }
  return View(state->words);
}

}  // namespace dpmix::pg
