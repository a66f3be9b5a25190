// The mechanism that a caller names.
#pragma once

#include <optional>

#include "core/noise/law.hpp"
#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// PV005 for what is no mechanism. Where `auto` may be named too: nothing for it.
Family family_argument(FunctionCallInfo fcinfo, int n);
std::optional<Family> mechanism_argument(FunctionCallInfo fcinfo, int n);
std::optional<Family> mechanism_named(const char* text);

}  // namespace dpmix::pg
