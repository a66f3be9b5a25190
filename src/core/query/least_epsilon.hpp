// The least epsilon at which a query is as accurate as wanted, from public numbers alone.
//
// Enters: the request with the largest epsilon there is, the table's filter, and how far neighbours
// move each statistic. Leaves: the least epsilon, to four digits upwards, at which half the width
// of the 95% interval of a statistic's noise is at most half_width, in lattice steps, or at which
// whatever else is enough; nothing where even the largest does not do. Found by bisection: where
// more epsilon now and then means a little more noise, because `auto` took another family, it is
// one at which less would not do.
#pragma once

#include <optional>
#include <algorithm>
#include <cmath>
#include <span>

#include "core/query/plan.hpp"

namespace dpmix {

// Error PV005 as plan_query, for the largest epsilon.
std::optional<double> least_epsilon(const QueryRequest& largest, const Filter& filter,
                                    std::span<const StatisticShift> statistics,
                                    std::size_t statistic, double half_width,
                                    Calibrator calibrate = calibrate_on_lattice);

constexpr double kLeastEpsilon = 1e-6;  // the least there is
// Rounds up to four digits: what was found to be enough stays enough.
double rounded_up_epsilon(double epsilon);

// 0: largest is not enough. Owns nothing: enough may leave it by a longjmp.
template <class Enough>
double least_epsilon_by(double largest, const Enough& enough) {
  constexpr double kClose = 1.0005;  // it ends where both ends differ by less
  double high = largest, low = std::min(kLeastEpsilon, high);
  if (!enough(high)) return 0;
  while (high > low * kClose) {
    const double middle = std::sqrt(low * high);
    (enough(middle) ? high : low) = middle;
  }
  return std::min(rounded_up_epsilon(high), largest);
}

}  // namespace dpmix
