// What the group of all undeclared values shows as.
#pragma once

namespace dpmix::pg {

// "other", in as many parentheses as it takes to be none of the texts, however they are written.
const char* other_than(const char* const* texts, int count);

}  // namespace dpmix::pg
