// The least epsilon at which one statistic of a query is as accurate as wanted, from public numbers
// alone.
//
// Enters: the request with the largest epsilon there is, the table's filter, and how far neighbours
// move each statistic. Leaves: the least epsilon, to four digits upwards, at which half the width
// of the 95% interval of that statistic's noise is at most half_width, in lattice steps; nothing
// where even the largest does not do. Found by bisection: where more epsilon now and then means a
// little more noise, because `auto` took another family, it is one at which less would not do.
#pragma once

#include <optional>
#include <span>

#include "core/query/plan.hpp"

namespace dpmix {

// Error PV005 as plan_query, for the largest epsilon.
std::optional<double> least_epsilon(const QueryRequest& largest, const Filter& filter,
                                    std::span<const StatisticShift> statistics,
                                    std::size_t statistic, double half_width,
                                    Calibrator calibrate = calibrate_on_lattice);

}  // namespace dpmix
