// Refuses a privacy parameter outside its range: Error PV005 naming both.
#pragma once

#include <sstream>
#include <string>

#include "core/base/error.hpp"

namespace dpmix {

inline void check_parameter(bool valid, const char* name, double value, const char* range) {
  if (valid) return;
  std::ostringstream detail;
  detail << "The " << name << " is " << value << "; it must be " << range << ".";
  throw Error(ErrorCode::invalid_parameter, std::string("invalid ") + name, detail.str(),
              "Choose a value in that range.");
}

}  // namespace dpmix
