// Answers that follow from tables by more keys in memory: coarser groups, and filters by values
// of their keys. Post-processing: docs/proofs/memory.md and cube.md, Derived answers.
#pragma once

#include "core/query/cube_noise.hpp"
#include "pg/query/recall/kept_cube.hpp"

namespace dpmix::pg {

struct DrawsOfStatistic {
  int count;
  const StoredDraw** draw;  // the first one's law is that of the reach
};

struct DerivedAnswer {
  const char* tables;       // whose they are, for people
  DrawsOfStatistic* draws;  // those of each statistic
  const CubeReach* reach;   // [set * statistics + statistic]
  Int128 *shown, *centre;   // [group * statistics + statistic]; as AgreeingCells has them
  double* slack;            // [set * statistics + statistic]
};

// The answer from tables that have at least the precision of this request: those of one release if
// that is enough, otherwise of several. NULL: there are none. contents: cells are computed, too.
DerivedAnswer* derive_answer(const PricedQuery* priced, const MemoryTerms& terms,
                             const Readable& readable, bool contents);

}  // namespace dpmix::pg
