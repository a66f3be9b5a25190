// What the functions that row expressions are compiled to take.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// Texts above this have no value in functions (dpmix_internal.short_text), so that no step of an
// expression needs more memory than PostgreSQL gives to a value.
constexpr Size kLongestText = 1024 * 1024;

}  // namespace dpmix::pg
