// Queries over queries: an aggregated one that reads its rows from a subquery.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
#include "nodes/pg_list.h"
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

// Adds a column to the end of the target list.
void add_column(Query* query, Expr* value);
// A column of the only subquery of a query.
Var* column_of(const Query* inner, AttrNumber number);

// An entry of FROM that was a table and is something else now, still without saying what; or a
// subquery. Its rights are elsewhere already (move_permissions).
void become_nothing(RangeTblEntry* table);
void become_subquery(RangeTblEntry* table, Query* inner);
// A table in place of what had its columns, by the same numbers. Its rights are to be said.
void become_table(RangeTblEntry* entry, Oid relation, const char* name);

// The entry of a join whose sides give these columns, by these numbers, without USING; the join
// becomes one without it.
RangeTblEntry* entry_of_join(JoinExpr* join, const List* left, const List* right, List* variables,
                             List* names);

// The planner looks at it by itself, and makes no one query of it and what is around.
void plan_apart(Query* rows);

// A grouped query over a subquery of its rows, which is returned: the columns that its aggregates
// read, its keys, in the order of GROUP BY, and more (expressions over the same tables). The
// planner looks at it by itself.
Query* read_from_rows(Query* query, List* more);

// A grouped query over finer groups of the same rows, which have its targets first: keys, and what
// is to be aggregated again. Its targets become these columns, but for constants.
void read_from_groups(Query* query, Query* groups);

// The same query with its keys computed in a subquery. The planner guesses how many groups an
// expression has from how many values its columns have: a column of wages in five ranges as many as
// there are wages, and rows would be sorted in one process. Of a subquery's columns it assumes some
// hundred.
Query* group_by_columns(Query* query);

}  // namespace dpmix::pg
