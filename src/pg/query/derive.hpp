// Answers that follow from tables by more keys in memory: coarser groups, and filters by values
// of their keys. Post-processing: docs/proofs/memory.md and cube.md, Derived answers.
#pragma once

#include "core/query/cube_noise.hpp"
#include "pg/query/kept_cube.hpp"

namespace dpmix::pg {

struct DerivedAnswer {
  const char* cube;         // that it is from; empty: a query
  const StoredDraw** draw;  // of each statistic
  const CubeReach* reach;   // of each grouping set
  Int128 *shown, *centre;   // [group * statistics + statistic]; as AgreeingCells has them
  double* slack;            // [set * statistics + statistic]
};

// From the tables that are the most precise, of those with at least the precision of this request.
// NULL: there are none. contents: cells are computed, too.
DerivedAnswer* derive_answer(const PricedQuery* priced, const MemoryTerms& terms, double seconds,
                             bool contents);

}  // namespace dpmix::pg
