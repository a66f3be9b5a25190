// What the pictures share: texts of the database as UTF-8, and a drawn document as a text.
#pragma once

#include <string>

#include "pg/border/guard.hpp"

namespace dpmix::pg {

// In UTF-8 where the database knows what its bytes are. Outside guard().
const char* as_utf8(const char* text);

// Inside guard().
inline text* text_of(const std::string& svg) {
  text* drawn = NULL;
  const char* bytes = svg.data();
  const int size = static_cast<int>(svg.size());
  postgres([&] { drawn = cstring_to_text_with_len(bytes, size); });
  return drawn;
}

}  // namespace dpmix::pg
