// What memory may do for a query: how long its tables' owners let answers be kept, for whom, and
// since when their content counts as another edition. Read fresh each time.
#pragma once

#include "pg/catalog/protected_table.hpp"

namespace dpmix::pg {

constexpr Size kDigestBytes = 32;

struct TableTerms {
  int64 table_id;
  const char* grant;  // dpmix's own id of it; empty: owner or superuser
  int64 edition;
};

struct MemoryTerms {
  double keep_seconds;  // the least of all tables; 0: nothing is kept
  bool shared;          // shared by all who have access to all tables
  int tables;
  TableTerms* table;
  uint8 secret[kDigestBytes];  // this database's
};

// The terms of the protected tables of a query, each once.
MemoryTerms memory_terms(const ProtectedTable* const* tables, int count);

// A digest of bytes, keyed with the secret: nobody who sees one learns what it is of.
struct Digest {
  uint8 bytes[kDigestBytes];
};
Digest keyed_digest(const MemoryTerms& terms, const char* bytes, Size size);
uint64 number_of(const Digest& digest);  // for a lock

// Whose room an item takes: of the same tables and grants, or of the tables alone.
Digest holder_of(const MemoryTerms& terms);

}  // namespace dpmix::pg
