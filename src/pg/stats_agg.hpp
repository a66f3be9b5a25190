// The statistics aggregates' states, for the C functions that read them after a scan.
//
// dpmix.sum_state and dpmix.moment_state are plain values (no `internal`): they travel between
// workers and servers as bytes or exact text, and an aggregate changes its own in place. What
// leaves here is exact and noise-free: only the table's owner, or code that adds noise, may see it.
#pragma once

#include "core/stats/class_moments.hpp"
#include "core/stats/lattice_sum.hpp"
#include "pg/postgres.hpp"

namespace dpmix::pg {

// dpmix.sum_state, fixed length (src/sql/10_stats.sql knows the size). All zeros before any row.
struct SumState {
  double step;
  LatticePlacer lattice;
  int64 count;
  uint64 total[2];  // Int128 wants 16-byte alignment, palloc gives 8
};
static_assert(sizeof(SumState) == 64);

// dpmix.moment_state, a varlena.
struct MomentState {
  int32 vl_len_;
  int32 unused;
  uint64 words[FLEXIBLE_ARRAY_MEMBER];  // ClassMoments
};

// The exact count and sum; blank() when the scan met no value.
LatticeSum read_sum_state(Datum state);
// A view on the (detoasted) state, good as long as the Datum or the current memory context. Its
// shape is blank, with no classes, when the scan met no row. Raises ERRCODE_DATA_CORRUPTED on bytes
// that are no state. Inside guard(), totals() gives the sums as plain values.
ClassMoments read_moment_state(Datum state);

// A 128-bit integer as numeric.
Datum numeric_of(Int128 value);

// Whether this argument of a transition function (the state is 0) is the same for all calls through
// fcinfo->flinfo: a constant, or a parameter, of an aggregate that the executor is running.
bool constant_argument(FunctionCallInfo fcinfo, int argument);

[[noreturn]] void corrupt_state(int sqlstate, const char* type);  // "invalid dpmix.<type>"

}  // namespace dpmix::pg
