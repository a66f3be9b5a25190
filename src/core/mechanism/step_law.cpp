#include "core/mechanism/step_law.hpp"

#include <stdexcept>

namespace dpmix {
void check_step_law(const StepLaw&) {
  throw std::logic_error("not yet");
}
double step_delta_at(const StepLaw&, double, double) {
  throw std::logic_error("not yet");
}
double step_delta_bound(const StepLaw&, double) {
  throw std::logic_error("not yet");
}
double step_expected_abs(const StepLaw&) {
  throw std::logic_error("not yet");
}
double step_variance(const StepLaw&) {
  throw std::logic_error("not yet");
}
double step_tail(const StepLaw&, double) {
  throw std::logic_error("not yet");
}
Int128 draw_step(RandomStream&, const StepLaw&) {
  throw std::logic_error("not yet");
}
}  // namespace dpmix
