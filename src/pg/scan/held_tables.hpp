// Tables that a release reads into memory of its process before anything looks at their rows:
// public ones, so that which of their pages are read does not follow from protected rows; and
// protected ones where several are joined, so that nothing of one is left out because another has
// no row for it.
//
// Enters: an analysed query; the tables are replaced by named tuplestores, in place. No temporary
// file is made of protected rows: what the columns that are read can take, by what PostgreSQL shows
// of the tables, must fit dpmix.scan_memory. Public ones are read before the charge; that they do
// not fit is an error. Where all that are held are public, and small, parallel workers have them,
// too (shared_rows.hpp).
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
#include "utils/queryenvironment.h"
}

namespace dpmix::pg {

struct HeldTables;

HeldTables* hold_nothing();
// No protected table will be held. If these are small, and shared memory can be had, workers have
// what is held.
HeldTables* hold_for_workers(const List* public_tables);
// Whether the query reads a table whose rows came along with the order.
bool reads_shipped(const Query* query);
// All of those, in place of the tables; NULL: there is none.
HeldTables* hold_shipped(Query* query);
// This table of the query, with the rights that the query reads it with. Planned now, read later.
// PV005 for a protected one that could be too large.
void hold_table(HeldTables* held, Query* query, Index varno, bool is_protected);
// Those whose plans are needed: before the charge, to find out who lost which right.
void start_held(const HeldTables* held);
// Once, before the charge. PV005 where they are too large.
void read_public_tables(HeldTables* held);
// Once, after it.
void read_protected_tables(HeldTables* held);
// Whether the plan is made for workers that have the rows; and what they find them by. 0, once
// public tables are read: there are no workers.
bool are_for_workers(const HeldTables* held);
int copy_for_workers(const HeldTables* held);
// NULL of none.
QueryEnvironment* environment_of(const HeldTables* held);
// The tables' own plans.
const List* plans_of(const HeldTables* held);

}  // namespace dpmix::pg
