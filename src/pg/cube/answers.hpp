// Answers of a stored cube: post-processing, free.
#pragma once

#include "pg/cube/store.hpp"
#include "pg/query/answer/cube_answers.hpp"

namespace dpmix::pg {

// Its cells as whole numbers that add up: in place.
AgreeingCells agree(StoredCube* cube);

struct CubeAnswer {
  double value, low, high;
};
// The answer of a measure in a group of a set. reach: that of intervals in the set.
CubeAnswer answer_of(const StoredCube& cube, const AgreeingCells& agreed, int measure, int set,
                     int group, const EndReach& reach);

}  // namespace dpmix::pg
