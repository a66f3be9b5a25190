// What a query makes of released values: its select list, HAVING, ORDER BY, LIMIT and OFFSET.
//
// Enters: an analysed query, and who knows its released values: group keys, dp_* aggregates, dp_low
// and dp_high of these. Leaves: expressions over a released row, in which each such value is
// Var(varno 1, its column); or PV002 for what is not on the list. Released values are private
// already, so all of this is post-processing, and any function of PostgreSQL's own may be applied
// whose result depends on its arguments alone. Code of users is not: it would run after the charge,
// and its errors would cost a paid answer.
#pragma once

#include "pg/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

struct ReleasedOutput {
  const char* name;
  Expr* value;
};

struct ReleasedOrder {
  int output;  // what is compared, from 0
  Oid less;    // the operator that sorts
  Oid collation;
  bool nulls_first;
};

constexpr int64 kNoLimit = -1;

struct ReleasedQuery {
  int outputs;  // of the answer
  int hidden;   // more, after them, that ORDER BY alone asks for
  ReleasedOutput* output;
  Expr* having;  // NULL: every group
  int orders;
  ReleasedOrder* order;
  int64 offset, limit;
  bool with_ties;
};

// The column of a released row, from 1, that an expression is; InvalidAttrNumber if it is none.
using ReleasedColumnOf = AttrNumber (*)(Node* expression, void* arg);

// Constants were evaluated before. PV002: not allowed; PV005: a negative LIMIT or OFFSET.
ReleasedQuery* released_query(const Query* query, ReleasedColumnOf column_of, void* arg);

// Whether an expression over a released row uses one of its columns.
bool uses_released(const Expr* expression, AttrNumber column);

}  // namespace dpmix::pg
