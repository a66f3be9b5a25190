// What the caller makes of released rows: the select list, HAVING, ORDER BY, LIMIT and OFFSET, over
// group keys and released values. Post-processing: nothing here sees a row of a table.
#pragma once

#include "pg/query/read/shape.hpp"

extern "C" {
#include "access/tupdesc.h"
}

namespace dpmix::pg {

struct ReleasedColumn {  // a column of the result
  const char* name;
  Oid type;
  int32 typmod;
  Expr* expression;  // an expression over a released row
};

struct ReleasedOrder {
  int column;  // what is compared, from 0
  Oid less;    // the operator that sorts
  Oid collation;
  bool nulls_first;
};

constexpr int64 kAllRows = -1;

struct ReleasedColumns {
  int columns;
  int hidden;  // more, after them, that ORDER BY alone asks for
  ReleasedColumn* column;
  Expr* having;  // NULL: every group
  int orders;
  ReleasedOrder* order;
  int64 offset, limit;
  bool with_ties;
};

// Adds the aggregates and released values of all of it to the shape, whose keys are known.
// PV002: something that may not be made of released values; PV005: a negative LIMIT or OFFSET.
ReleasedColumns* released_columns(const RowScope* scope, QueryShape* shape);

// PV005 beyond PostgreSQL's own limit of a row. what: "the query has too many ...".
void check_width(int columns, const char* what);

// The columns as a column definition list has them: name type, ...
const char* column_list(int count, const ReleasedColumn* column);

// PV005, with the list to write, unless the caller's column definition list fits.
void check_columns(int count, const ReleasedColumn* column, TupleDesc columns);
inline void check_columns(const ReleasedColumns* released, TupleDesc columns) {
  check_columns(released->columns, released->column, columns);
}

// The type of a released row.
TupleDesc released_type(const QueryShape* shape);

}  // namespace dpmix::pg
