// The mechanism that a caller names.
#pragma once

#include <optional>

#include "core/noise/law.hpp"
#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// PV005 for what is no mechanism. Where `auto` may be named too: nothing for it, or for `accurate`.
Family family_argument(FunctionCallInfo fcinfo, int n);
std::optional<Family> mechanism_argument(FunctionCallInfo fcinfo, int n);
std::optional<Family> mechanism_named(const char* text);
// Whether it is the other word for a choice: the least error at that epsilon and delta, where auto
// looks for the price.
bool is_accurate(const char* text);

}  // namespace dpmix::pg
