// Refusing a parameter of a mechanism: Error PV005, with the value given as the user would write
// it.
#pragma once

#include <charconv>
#include <string>
#include <utility>

#include "core/base/error.hpp"

namespace dpmix {

// The shortest decimal that reads back as the same double.
inline std::string shortest(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

[[noreturn]] inline void refuse_parameter(std::string message, std::string detail,
                                          std::string hint) {
  throw Error(ErrorCode::invalid_parameter, std::move(message), std::move(detail), std::move(hint));
}

}  // namespace dpmix
