// The nearest point of a simplex.
#pragma once

#include <span>

namespace dpmix {

// Moves p to the nearest point of {p >= 0, sum p = total}, total > 0, by Euclidean distance.
void project_to_simplex(std::span<double> p, double total = 1);

}  // namespace dpmix
