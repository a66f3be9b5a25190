// Points of equal dimension, each standing for some weight of rows.
#pragma once

#include <cstddef>
#include <vector>

namespace dpmix {

struct WeightedPoints {
  int features = 0;
  std::vector<double> points;   // one after the other
  std::vector<double> weights;  // one for each point, >= 0, one of them positive

  std::size_t size() const { return weights.size(); }
};

}  // namespace dpmix
