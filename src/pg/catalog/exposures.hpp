// What of a protected table's rows PostgreSQL itself shows to others through objects that hang on
// the table: foreign keys, exclusion constraints, partial and expression indexes.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

struct Exposure {  // sentences
  const char *what, *shows, *remedy;
};

struct Exposures {
  Exposure* list;
  uint64 count;
};

// relation: the protected table (InvalidOid: all of them); other: only foreign keys between it and
// this table (InvalidOid: everything); made_now: only what this subtransaction made.
Exposures exposures_of(Oid relation, Oid other = InvalidOid, bool made_now = false);
void warn_of_exposures(const Exposures& exposures);

}  // namespace dpmix::pg
