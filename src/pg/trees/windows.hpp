// Window functions over the rows of a subquery.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

// function(arguments) FILTER (WHERE filter) OVER the window of this number: all rows that are equal
// in what it is partitioned by. filter: NULL: all rows. No arguments: as count(*), or row_number().
Expr* over_window(Index window, Oid function, Oid result, List* arguments, Expr* filter = nullptr);

// Gives a query the window of this number: rows that are equal in these targets (numbers).
void add_window(Query* query, Index window, const List* targets);

// The rows of that window in the order of this value, behind what orders them already.
void order_window(Query* query, Index window, Expr* value, Oid less);
// "*<", the order of bytes of rows, whatever their types.
Oid byte_order_operator();

}  // namespace dpmix::pg
