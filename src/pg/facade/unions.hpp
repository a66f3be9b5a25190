// UNION and UNION ALL of queries, so that each may have a column more.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

enum class UnionKind { all, distinct };

// Whether a query is parts that UNION ALL, or UNION, puts together, and nothing else.
bool is_union(const Query* query, UnionKind kind);
List* parts_of_union(const Query* query);  // entries of FROM

// One more column of a UNION ALL whose parts have it; its own select list follows by the caller.
void add_union_column(Query* query, Oid type);

// Makes a query SELECT its columns FROM (it), and a UNION SELECT DISTINCT FROM (... UNION ALL ...).
void select_over_union(Query* query);

}  // namespace dpmix::pg
