// The table that a schedule appends released rows to: made with the schedule and owned by its
// owner, who may do with it what he likes. So each run looks at it again, before the charge.
#pragma once

#include "pg/schedule/store.hpp"

namespace dpmix::pg {

// Fills result_schema and result_table from the text; PV005 for a temporary or invalid name. Then
// makes the table as the current user, or takes one that is there and fits.
void place_result_table(const char* name, Schedule* schedule);
void make_result_table(const Schedule* schedule);

// ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE unless it is there, the owner's, an ordinary table
// without rules (which may run a query twice) and has the columns. Locks it against changes until
// the transaction ends.
void require_result_table(const Schedule* schedule);

const char* result_name(const Schedule* schedule);  // quoted
// A column's type, of any length: character and bit alone would mean a length of 1.
const char* column_type(Oid type);

}  // namespace dpmix::pg
