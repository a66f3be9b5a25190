// How far the ends of intervals lie from their answers.
#pragma once

#include "core/query/normal_intervals.hpp"
#include "core/query/quantile_tree.hpp"

namespace dpmix::pg {

struct ExpressionInterval;

struct EndReach {  // lattice steps that an interval allows the noise of its statistics
  double count, sum, squares;
  const QuantileReaches* tree;  // a quantile's
  double y_sum = 0, y_squares = 0, products = 0;
  NormalReach normal = {};                      // that of averages and variances, where it is known
  const ExpressionInterval* expression = NULL;  // one over several answers: all that is known
};

}  // namespace dpmix::pg
