// How the planning tools read their arguments.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "core/noise/law.hpp"
#include "core/base/refuse_parameter.hpp"
#include "pg/border/postgres.hpp"

extern "C" {
#include "utils/builtins.h"
}

namespace dpmix::pg {

// Arguments as plain values. NULL is NaN in a float8 and nullptr in a text, so that one rule
// refuses it: inside guard(), with PV005.
inline double float8_argument(FunctionCallInfo fcinfo, int n) {
  return PG_ARGISNULL(n) ? std::numeric_limits<double>::quiet_NaN() : PG_GETARG_FLOAT8(n);
}
inline const char* text_argument(FunctionCallInfo fcinfo, int n) {
  return PG_ARGISNULL(n) ? nullptr : text_to_cstring(PG_GETARG_TEXT_PP(n));
}

struct IntegerArgument {
  bool is_null;
  int value;
  std::optional<int> optional() const { return is_null ? std::nullopt : std::optional(value); }
};
inline IntegerArgument integer_argument(FunctionCallInfo fcinfo, int n) {
  return {PG_ARGISNULL(n), PG_ARGISNULL(n) ? 0 : PG_GETARG_INT32(n)};
}

inline void require(double value, const char* what, const char* range) {
  if (!std::isnan(value)) return;
  refuse_parameter(std::string(what) + " is missing",
                   std::string(what) + " is NULL or NaN; it must be " + range + ".",
                   std::string("Give ") + what + " a value.");
}

inline Family required_family(const char* text) {
  if (text != nullptr) {
    if (const auto family = family_of(text)) return *family;
  }
  refuse_parameter(text == nullptr ? "mechanism is missing" : "unknown mechanism",
                   text == nullptr ? "mechanism is NULL."
                                   : std::string("There is no mechanism \"") + text + "\".",
                   "Mechanisms are " + family_names() +
                       "; calibrate, noise, noise_interval and charges_admitted also take auto.");
}

}  // namespace dpmix::pg
