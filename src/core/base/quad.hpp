// 113-bit floats for certificates, and the way back to doubles.
#pragma once

#include <cmath>
#include <limits>

#include <boost/multiprecision/cpp_bin_float.hpp>

namespace dpmix {

using Quad = boost::multiprecision::cpp_bin_float_quad;

// The least double that is at least `value`.
inline double round_up(const Quad& value) {
  const double nearest = value.convert_to<double>();
  return nearest < value ? std::nextafter(nearest, std::numeric_limits<double>::infinity())
                         : nearest;
}

}  // namespace dpmix
