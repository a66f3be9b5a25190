// Rows of public tables in shared memory, so that parallel workers join them, too.
//
// Held rows (held_tables.hpp) lie in memory of the process that leads, where no worker sees them.
// A copy is made before the charge. Each worker maps it as its plan starts, before its first row
// and whatever the rows are, so that a mapping that fails says nothing of them. In the plan such a
// table is a call of dpmix_internal.held_rows: in the process that leads it gives the rows that are
// held there, in a worker those of the copy. Rows of protected tables are never shared.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "access/tupdesc.h"
#include "executor/execdesc.h"
#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"
#include "utils/tuplestore.h"
}

namespace dpmix::pg {

void shared_rows_init();  // called by _PG_init

// The name under which a plan finds held table number 1, 2, ...
const char* held_name(int number);
// A call of held_rows in the place of the table. rows: as many as the planner shall expect.
void become_held_rows(RangeTblEntry* table, int number, TupleDesc columns, double rows);
// Whether a scan is of such a call.
bool reads_held_rows(const FunctionScan* scan);

struct RowsToShare {
  Tuplestorestate* store;
  TupleDesc type;
};
// Their bytes in memory, and how many they are.
struct RowsSize {
  double bytes, rows;
};
RowsSize size_of(const RowsToShare& table);
// The copy of these tables (RowsToShare*), number 1 first; it lives as long as the current memory
// context. Returns what workers find it by; 0: such memory cannot be had now.
int share_rows(const List* tables, double bytes);

// The setting by which a worker knows the copy.
inline constexpr char kSharedRows[] = "dpmix.shared_rows";
// Worker: maps it, before the first row.
void map_shared_rows(QueryDesc*);

}  // namespace dpmix::pg
