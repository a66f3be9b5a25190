#include "pg/border/texts.hpp"

extern "C" {
#include "catalog/namespace.h"
#include "mb/pg_wchar.h"
}

namespace dpmix::pg {

// pg_server_to_any() raises where a character has no counterpart.
const char* as_utf8(const char* text) {
  const int encoding = GetDatabaseEncoding();
  const Oid conversion = encoding == PG_SQL_ASCII || encoding == PG_UTF8
                             ? InvalidOid
                             : FindDefaultConversionProc(encoding, PG_UTF8);
  if (!OidIsValid(conversion)) return text;
  int left = (int)strlen(text);
  const Size room = (Size)left * (MAX_CONVERSION_GROWTH + 3) + 1;
  char* utf8 = (char*)palloc(room);
  char* end = utf8;
  while (left > 0) {
    const int done =
        pg_do_encoding_conversion_buf(conversion, encoding, PG_UTF8, (unsigned char*)text, left,
                                      (unsigned char*)end, (int)(room - (end - utf8)), true);
    end += strlen(end);
    if (done >= left) break;
    const int skipped = Min(done + Max(pg_encoding_mblen(encoding, text + done), 1), left);
    strcpy(end, "\xEF\xBF\xBD");  // U+FFFD
    end += 3;
    text += skipped;
    left -= skipped;
  }
  *end = '\0';
  return utf8;
}

const char* quoted_prefix(const char* text) {
  constexpr int bytes = 64;
  return pnstrdup(text, pg_mbcliplen(text, strlen(text), bytes));
}

}  // namespace dpmix::pg
