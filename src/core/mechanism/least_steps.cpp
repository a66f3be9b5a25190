#include "core/mechanism/least_steps.hpp"

#include <stdexcept>

namespace dpmix {
LeastSteps least_staircase(double, double) {
  throw std::logic_error("not yet");
}
LeastSteps least_truncated_laplace(double, double, double) {
  throw std::logic_error("not yet");
}
LeastSteps least_tulap(double, double, double) {
  throw std::logic_error("not yet");
}
LeastSteps least_optimal(double, double, double) {
  throw std::logic_error("not yet");
}
}  // namespace dpmix
