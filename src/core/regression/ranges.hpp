// How much each coefficient's regressor can differ between two rows, by public bounds: then
// coefficients in different units can be drawn beside each other.
#pragma once

#include <vector>

#include "core/regression/design.hpp"

namespace dpmix {

// Ranges of the coefficients of Design::map(), the intercept's first: 1 for it and for categories.
std::vector<double> coefficient_ranges(const Design& design);

}  // namespace dpmix
