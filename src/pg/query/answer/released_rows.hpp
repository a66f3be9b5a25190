// Released rows as the caller asked for them: HAVING, the select list, ORDER BY, LIMIT.
//
//   ReleasedRows* rows = released_rows(shape, receive);  // before the charge
//   ... charge, scan, noise ...
//   put_released_row(rows, values, nulls);                    // in the order of the groups
//   end_released_rows(rows);
//
// Everything that may be refused or denied is, before the charge. After it no value costs the
// answer: where an expression has none (division by zero, overflow, a text that is no number), it
// is NULL; HAVING of that is not true. Sorting is stable and spills at work_mem. Cancel and running
// out of memory remain errors.
#pragma once

#include "pg/border/callable.hpp"
#include "pg/query/check/released_columns.hpp"

namespace dpmix::pg {

struct ReleasedRows;

// receive: of each row of the select list; lasts as long as the rows.
ReleasedRows* released_rows(const QueryShape* shape, const RowReceiver& receive);
void put_released_row(ReleasedRows* rows, const Datum* values, const bool* nulls);
void end_released_rows(ReleasedRows* rows);

}  // namespace dpmix::pg
