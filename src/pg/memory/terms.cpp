#include "pg/memory/terms.hpp"

#include <openssl/hmac.h>

#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/role_number.hpp"
#include "pg/memory/settings.hpp"

extern "C" {
#include "lib/stringinfo.h"
}

namespace dpmix::pg {
namespace {

// A grant of the owner or a superuser has no id.
Statement terms_of_tables = {
    "SELECT s.secret, coalesce(m.keep_seconds, $3), coalesce(m.scope = 'table', false), "
    "       coalesce(m.edition, 0), coalesce(a.id::text, '') "
    "FROM unnest($1, $2) WITH ORDINALITY u(id, role, n) CROSS JOIN dpmix.memory_secret s "
    "LEFT JOIN dpmix.memory_terms m ON m.table_id = u.id "
    "LEFT JOIN LATERAL (SELECT g.id FROM dpmix.access g WHERE g.table_id = u.id "
    "                   AND g.role = " DPMIX_NUMBERS_OF("u.role") " ORDER BY g.role LIMIT 1) a "
    "ON true ORDER BY u.n"};

void read_secret(const ResultRow& row, MemoryTerms* terms) {
  const bytea* secret = DatumGetByteaPP(row.copy(1));
  if (VARSIZE_ANY_EXHDR(secret) != kDigestBytes) elog(ERROR, "the secret of memory is damaged");
  memcpy(terms->secret, VARDATA_ANY(secret), kDigestBytes);
}

}  // namespace

MemoryTerms memory_terms(const ProtectedTable* const* tables, int count) {
  MemoryTerms terms = {};
  terms.shared = true;
  terms.tables = count;
  terms.table = (TableTerms*)palloc0(sizeof(TableTerms) * count);
  int64* ids = (int64*)palloc(sizeof(int64) * count);
  Oid* roles = (Oid*)palloc(sizeof(Oid) * count);
  for (int i = 0; i < count; i++) {
    ids[i] = tables[i]->id;
    roles[i] = tables[i]->granted_to;
  }
  as_catalog_owner([&] {
    const uint64 found = read_rows(
        terms_of_tables, {int8_array(ids, count), oid_array(roles, count), default_keep_seconds()});
    // Without its secret, which DELETE may have taken, there is no memory.
    for (uint64 i = 0; i < found; i++) {
      const ResultRow row = {i};
      if (i == 0) read_secret(row, &terms);
      terms.keep_seconds = i == 0 ? row.float8(2) : Min(terms.keep_seconds, row.float8(2));
      terms.shared = terms.shared && row.truth(3);
      terms.table[i] = {ids[i], row.text(5), row.int8(4)};
      if (OidIsValid(tables[i]->granted_to) && *terms.table[i].grant == '\0')
        terms.keep_seconds = 0;
    }
  });
  return terms;
}

Digest keyed_digest(const MemoryTerms& terms, const char* bytes, Size size) {
  Digest digest;
  unsigned length = 0;
  if (HMAC(EVP_sha256(), terms.secret, kDigestBytes, (const unsigned char*)bytes, size,
           digest.bytes, &length) == NULL ||
      length != kDigestBytes) {
    elog(ERROR, "could not compute a digest");
  }
  return digest;
}

uint64 number_of(const Digest& digest) {
  uint64 number;
  memcpy(&number, digest.bytes, sizeof number);
  return number;
}

Digest holder_of(const MemoryTerms& terms) {
  StringInfoData text;
  initStringInfo(&text);
  appendStringInfoString(&text, "holder");
  for (int i = 0; i < terms.tables; i++) {
    appendStringInfo(&text, " " INT64_FORMAT " %s", terms.table[i].table_id,
                     terms.shared ? "table" : terms.table[i].grant);
  }
  return keyed_digest(terms, text.data, (Size)text.len);
}

}  // namespace dpmix::pg
