// What is known of the rows that a FROM clause joins: which conditions hold for which of its parts,
// and what they make equal (docs/proofs/query_joins.md).
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "access/attnum.h"
#include "nodes/bitmapset.h"
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

// A condition a = b or the like, at the top level of AND: true of every joined row in which a part
// that it holds for is present, that is, not filled up with NULLs by a LEFT JOIN.
struct JoinCondition {
  const OpExpr* clause;
  Bitmapset* holds;  // varnos
};

struct JoinConditions {
  List* conditions;    // of JoinCondition*
  Bitmapset* missing;  // parts that a LEFT JOIN may fill up with NULLs
  Bitmapset** before;  // for each part, the left sides of the LEFT JOINs that may do so
};

// from: of inner and LEFT joins, where: as they run. entries: of the range table.
JoinConditions join_conditions(const List* from, const Node* where, int entries);

// The column itself, in whatever name its type goes by; NULL: it is none.
const Var* bare_column(const Node* node);
bool is_column(const Node* node, Index varno, AttrNumber column);
// Whether the condition is by the equality of a family of btree operators.
bool is_equality(const JoinCondition* condition, Oid family);
// Whether a column equals something that the rows of the known parts alone determine.
bool is_fixed(const JoinConditions* join, Index varno, AttrNumber column, Oid family,
              const Bitmapset* known);
// Whether at most one row of a table goes with each combination of rows of the known parts.
bool is_one_row(const JoinConditions* join, Index varno, Oid relation, const Bitmapset* known);

}  // namespace dpmix::pg
