// Whether one text was likely meant where another stands.
#pragma once

namespace dpmix::pg {

// They differ in case and blanks alone, or in few letters for their length.
bool is_likely_typo(const char* stated, const char* found);

}  // namespace dpmix::pg
