#include "core/mechanism/quasi_gaussian.hpp"

#include <stdexcept>

namespace dpmix {
double quasi_delta_at(const QuasiGaussian&, double, double) {
  throw std::logic_error("not yet");
}
double quasi_delta_bound(const QuasiGaussian&, double) {
  throw std::logic_error("not yet");
}
double quasi_expected_abs(const QuasiGaussian&) {
  throw std::logic_error("not yet");
}
double quasi_variance(const QuasiGaussian&) {
  throw std::logic_error("not yet");
}
double quasi_cdf(const QuasiGaussian&, double) {
  throw std::logic_error("not yet");
}
LeastQuasi least_quasi(double, double) {
  throw std::logic_error("not yet");
}
double published_quasi_scale(double, double) {
  throw std::logic_error("not yet");
}
Int128 draw_quasi(RandomStream&, const QuasiGaussian&, double) {
  throw std::logic_error("not yet");
}
}  // namespace dpmix
