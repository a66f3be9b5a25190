#include "pg/owner/likely_typo.hpp"

#include "pg/border/postgres.hpp"

extern "C" {
#include "catalog/pg_collation.h"
#include "mb/pg_wchar.h"
#include "utils/formatting.h"
#include "utils/varlena.h"
}

namespace dpmix::pg {
namespace {

constexpr int kLongest = 250;  // characters: what PostgreSQL's distance takes

// The text in lower case and without blanks around it.
const char* plain(const char* text) {
  while (*text == ' ') text++;
  size_t length = strlen(text);
  while (length > 0 && text[length - 1] == ' ') length--;
  return str_tolower(text, length, C_COLLATION_OID);
}

}  // namespace

bool is_likely_typo(const char* stated, const char* found) {
  const char* a = plain(stated);
  const char* b = plain(found);
  if (strcmp(a, b) == 0) return true;
  const int most = Max(pg_mbstrlen(a), pg_mbstrlen(b));
  if (most > kLongest) return false;
  const int allowed = Min((most + 1) / 3, 2);
  return varstr_levenshtein_less_equal(a, strlen(a), b, strlen(b), 1, 1, 1, allowed, false) <=
         allowed;
}

}  // namespace dpmix::pg
