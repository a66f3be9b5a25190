// What a stored regression tells of its coefficients: normal intervals, exact sets, or nothing.
#pragma once

#include <vector>

#include "core/regression/model.hpp"

namespace dpmix {

struct ToldCoefficient {  // NaN where there is no interval
  double estimate, noise_low, noise_high, low, high, p_value;
};

// Those of class k, with intervals at the level of which reach is the normal quantile.
std::vector<ToldCoefficient> told_coefficients(const RegressionModel& model, std::size_t k,
                                               double reach);

}  // namespace dpmix
