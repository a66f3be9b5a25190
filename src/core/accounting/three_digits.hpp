// The largest epsilon that fits, as a hint says it: three significant digits, rounded down.
#pragma once

#include <functional>

namespace dpmix {

// The largest number of three significant digits, from 1e-6 to 9.99e7, that is not too much; 0 when
// there is none. too_much is asked about 14 times. Where it is not monotone the result still is not
// too much, and the next number is.
double largest_of_three_digits(const std::function<bool(double)>& too_much);

}  // namespace dpmix
