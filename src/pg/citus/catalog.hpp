// Tables of Citus's catalog, found by name.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "access/tupdesc.h"
#include "catalog/pg_namespace.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {

// A table or an index; InvalidOid without Citus, which PostgreSQL keeps in mind.
inline Oid citus_table(const char* name) {
  return get_relname_relid(name, PG_CATALOG_NAMESPACE);
}

// The column of a name. A Citus that dpmix does not know may have none: an error before any charge.
inline AttrNumber citus_column(TupleDesc columns, const char* name) {
  for (int i = 0; i < columns->natts; i++) {
    if (strcmp(NameStr(TupleDescAttr(columns, i)->attname), name) == 0) {
      return (AttrNumber)(i + 1);
    }
  }
  elog(ERROR, "Citus's catalog has no column %s", name);
}

}  // namespace dpmix::pg
