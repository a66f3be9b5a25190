// Where a statement reads facades.
#pragma once

#include "pg/catalog/facade.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

struct QueryLevel {  // a query within a statement
  Query* query;
  const QueryLevel* outer;  // NULL: the statement itself
  int depth;                // 0: the statement itself
};

const Facade* facade_of_entry(const RangeTblEntry* entry);  // NULL: it is none

// The query that a reference to WITH names.
CommonTableExpr* common_query(const QueryLevel* level, const RangeTblEntry* entry);

// An entry of FROM that names a query of WITH reads a copy of it instead.
void become_copy_of(const CommonTableExpr* common, RangeTblEntry* entry);

// Whether a query names columns of one around it.
bool refers_outside(const Query* query);

// Whether rows of a facade come out of an entry of FROM, or a query, and it is no aggregate of
// them: once aggregates over facades were replaced, what is left are rows.
bool has_private_rows(const QueryLevel* level, const RangeTblEntry* entry);
bool has_private_rows(const QueryLevel* level);

// Whether it aggregates: what goes into an answer is then only its keys and aggregates.
bool aggregates_rows(const Query* query);

// Whether PostgreSQL computes it without reading a row: LIMIT 0, or a WHERE that is false.
bool reads_nothing(const Query* query);

}  // namespace dpmix::pg
