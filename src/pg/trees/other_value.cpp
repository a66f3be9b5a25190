#include "pg/trees/other_value.hpp"

#include <algorithm>

#include "pg/border/postgres.hpp"

namespace dpmix::pg {
namespace {

// But for blanks at the end, which char(n) adds.
bool is_written_alike(const char* text, const char* word) {
  const std::size_t length = strlen(word);
  return pg_strncasecmp(text, word, length) == 0 &&
         strspn(text + length, " ") == strlen(text + length);
}

}  // namespace

const char* other_than(const char* const* texts, int count) {
  const char* word = "other";
  while (std::any_of(texts, texts + count,
                     [&](const char* text) { return is_written_alike(text, word); })) {
    word = psprintf("(%s)", word);
  }
  return word;
}

}  // namespace dpmix::pg
