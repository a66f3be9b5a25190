// to_char of times in row expressions, with constant patterns whose texts depend on the time alone:
// no names in the language of the session, no time zones.
#pragma once

#include "pg/query/safe/parts.hpp"

namespace dpmix::pg {

bool safe_pattern_function(const SafeCall* call, SafePart* made);

// The longest unit of date_trunc within which the text of a pattern stays the same; NULL: a part of
// a second has a say, or the pattern is none of the list.
const char* unit_of_pattern(const char* pattern);

}  // namespace dpmix::pg
