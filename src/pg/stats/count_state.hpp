// The states of aggregates that count rows by class and bin.
#pragma once

#include "core/stats/bin_counts.hpp"
#include "pg/stats/states.hpp"

namespace dpmix::pg {

// BinCounts. Blank: no classes, no bins.
struct CountState {
  static constexpr StateKind kind = StateKind::counts;
  int32 vl_len_;
  StateKind is;
  int32 classes, bins;
  uint64 frame;
  int64 counts[FLEXIBLE_ARRAY_MEMBER];

  void add(int k, int bin) { ++counts[static_cast<Size>(k) * static_cast<Size>(bins) + bin]; }
};
CountState* own_count_state(FunctionCallInfo fcinfo);  // own_state
CountState* change_shape(CountState* state, int classes, int bins, uint64 frame);
// The state itself, or a new one when it is blank. PV005 when it is of another shape.
inline CountState* of_shape(CountState* state, int classes, int bins, uint64 frame) {
  const bool same = state->classes == classes && state->bins == bins && state->frame == frame;
  return likely(same) ? state : change_shape(state, classes, bins, frame);
}
// The (detoasted) state. Raises ERRCODE_DATA_CORRUPTED on bytes that are no state.
const CountState* read_count_state(Datum state);
BinCounts counts_of(const CountState* state);  // inside guard()

}  // namespace dpmix::pg
