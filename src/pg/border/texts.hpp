// Texts across the border, and as people see them.
#pragma once

#include <string>

#include "pg/border/guard.hpp"

namespace dpmix::pg {

// Inside guard(): a copy that is PostgreSQL's.
inline char* c_string_of(const std::string& content) {
  char* copy = NULL;
  const char* bytes = content.c_str();
  postgres([&] { copy = pstrdup(bytes); });
  return copy;
}
inline text* text_of(const std::string& content) {
  text* copy = NULL;
  const char* bytes = content.data();
  const int size = static_cast<int>(content.size());
  postgres([&] { copy = cstring_to_text_with_len(bytes, size); });
  return copy;
}

// Outside guard(). In UTF-8 where the database knows what its bytes are.
const char* as_utf8(const char* text);
// What a refusal quotes of a text that the caller passed: its first bytes, no character cut in two.
const char* quoted_prefix(const char* text);

}  // namespace dpmix::pg
