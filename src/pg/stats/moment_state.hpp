// The states of dpmix_internal.class_moments, soft_moments and logistic_moments.
#pragma once

#include "core/stats/class_moments.hpp"
#include "pg/stats/states.hpp"

namespace dpmix::pg {

using MomentState = WordState<StateKind::moments>;       // ClassMoments
MomentState* own_moment_state(FunctionCallInfo fcinfo);  // own_state
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

}  // namespace dpmix::pg
