// What the caller makes of released rows: the select list, over group keys and released values.
// Post-processing: nothing here sees a row of a table.
#pragma once

#include "pg/query_shape.hpp"

extern "C" {
#include "access/tupdesc.h"
#include "utils/tuplestore.h"
}

namespace dpmix::pg {

struct ReleasedColumn {  // of the result
  const char* name;
  Oid type;
  int32 typmod;
  Expr* expression;  // over a released row
};

struct ReleasedQuery {
  int columns;
  ReleasedColumn* column;
};

// Adds the aggregates and released values of the select list to the shape, whose keys are known.
// PV002: something that may not be made of released values.
ReleasedQuery* released_query(const Query* query, QueryShape* shape);

// PV005, with the list to write, unless the caller's column definition list fits.
void check_columns(const ReleasedQuery* released, TupleDesc columns);

// All released rows, in the order of the groups: values[row][column of the released row].
void return_released(const ReleasedQuery* released, Datum* const* rows, int64 count,
                     Tuplestorestate* result, TupleDesc columns);

}  // namespace dpmix::pg
