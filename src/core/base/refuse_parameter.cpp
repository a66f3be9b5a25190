#include "core/base/refuse_parameter.hpp"

#include <charconv>
#include <utility>

namespace dpmix {

std::string shortest(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

void refuse_parameter(std::string message, std::string detail, std::string hint) {
  throw Error(ErrorCode::invalid_parameter, std::move(message), std::move(detail), std::move(hint));
}

void check_parameter(bool valid, const char* name, double value, const char* range) {
  if (valid) return;
  refuse_parameter(
      std::string("invalid ") + name,
      std::string("The ") + name + " is " + shortest(value) + "; it must be " + range + ".",
      "Choose a value in that range.");
}

void require_in_range(bool holds, std::string_view what, double value, std::string_view range) {
  if (holds) return;
  const std::string name(what);
  refuse_parameter(name + " out of range",
                   name + " is " + shortest(value) + "; it must be " + std::string(range) + ".",
                   "Choose " + name + " in this range.");
}

void check_epsilon_delta(double epsilon, double delta) {
  if (!(epsilon >= 1e-6 && epsilon <= 1e7)) {
    refuse_parameter("epsilon out of range",
                     "epsilon is " + shortest(epsilon) + "; it must be between 1e-6 and 1e7.",
                     "Choose epsilon in this range; common values lie between 0.1 and 10.");
  }
  if (!(delta >= 0 && delta <= 0.5)) {
    refuse_parameter("delta out of range",
                     "delta is " + shortest(delta) + "; it must be between 0 and 0.5.",
                     "Choose delta in this range, far below one over the number of rows.");
  }
}

}  // namespace dpmix
