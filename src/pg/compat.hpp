// What differs between PostgreSQL 15, 16, 17 and 18, in one place.
#pragma once

#include "pg/postgres.hpp"

extern "C" {
#include "executor/executor.h"
#include "nodes/parsenodes.h"
#include "parser/parse_relation.h"
}

namespace dpmix::pg {

// ExecutorRun lost execute_once in 18.
inline void run_executor(QueryDesc* desc) {
#if PG_VERSION_NUM >= 180000
  ExecutorRun(desc, ForwardScanDirection, 0);
#else
  ExecutorRun(desc, ForwardScanDirection, 0, true);
#endif
}

// Whose rights a range-table entry is checked against: in the entry itself before 16, in
// Query.rteperminfos since.
inline void check_as_user(Query* query, RangeTblEntry* entry, Oid user) {
#if PG_VERSION_NUM >= 160000
  getRTEPermissionInfo(query->rteperminfos, entry)->checkAsUser = user;
#else
  (void)query;
  entry->checkAsUser = user;
#endif
}

// Since 18 a NOT NULL constraint may be NOT VALID: attnotnull alone promises nothing of old rows.
inline bool has_no_nulls(TupleDesc desc, AttrNumber column) {
#if PG_VERSION_NUM >= 180000
  return TupleDescCompactAttr(desc, column - 1)->attnullability == ATTNULLABLE_VALID;
#else
  return TupleDescAttr(desc, column - 1)->attnotnull;
#endif
}

}  // namespace dpmix::pg
