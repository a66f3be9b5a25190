// Runs a statistics query over a protected table with its owner's rights, and lets nothing out but
// the rows handed to the receiver.
//
// While it plans and runs: current user is the owner under SECURITY_RESTRICTED_OPERATION; no
// counters (track_counts, track_functions, track_io_timing), no debug or statistics output, no
// auto_explain, no pg_stat_statements entry (queryId 0), no messages below ERROR, no index or
// bitmap scans (their work depends on the rows that match), search_path pg_catalog. Buffer and WAL
// usage counters of the session are put back afterwards, and what pg_stat_io would show is
// forgotten (io_counts.hpp). Over a table of Citus's also: constants reach other nodes to the last
// bit and in one format, whatever the session's settings, and Citus neither logs nor approximates
// nor brings rows here. Which leak each of these closes: docs/threat_model.md.
#pragma once

#include "pg/border/callable.hpp"
#include "pg/border/postgres.hpp"
#include "pg/scan/held_tables.hpp"
#include "pg/trees/picked_rows.hpp"

extern "C" {
#include "executor/tuptable.h"
#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"
}

namespace dpmix::pg {

struct SilentScan {
  PlannedStmt* plan = NULL;
  Oid owner = InvalidOid;
  Oid parameter = InvalidOid;  // type of $1; InvalidOid: there is none
  bool parallel = false;       // workers may take part, if the planner finds that worth it
  bool is_protected = false;
  bool distributed = false;  // it is over a table of Citus's
  HeldTables* held = NULL;   // NULL: none
  Query* query = NULL;  // planned again for each value of $1 where it is distributed; else NULL
};

// Plans, and starts without reading a row, before the charge: whatever that refuses costs nothing.
// sql: text built by dpmix alone, every name in it qualified and quoted; relation: the table it
// reads; parameter: the type of $1, whose value comes with each run; condition: on the rows of the
// only table that the text reads, which has no WHERE; NULL: none. picked: those of the rows that
// pass. more: expressions over that table, further columns.
SilentScan* plan_scan(const char* sql, Oid relation, Oid owner, Oid parameter = InvalidOid,
                      Expr* condition = NULL, const PickedRows& picked = {}, List* more = NIL);
// The same of a text over one sub-select, in whose place these rows are read (memory_plan.hpp): the
// first columns of theirs are its, by type.
SilentScan* plan_scan(const char* sql, const Query* rows, Oid owner, Oid parameter = InvalidOid,
                      Expr* condition = NULL, const PickedRows& picked = {});
// query: an analysed tree that passed the validator, permissions already set to the owners of its
// tables. public_tables: oids. parallel: workers may take part. parameter: as above. PV002 where a
// function of somebody else would run, or where no path is known that shows no rows.
SilentScan* plan_scan(Query* query, Oid owner, const List* public_tables, bool parallel = true,
                      Oid parameter = InvalidOid);
// A scan of rows that are not private, as somebody who may read them.
SilentScan* plan_public_scan(const char* sql, Oid relation, Oid reader);

// Runs the scan, after the charge; receive runs in a per-row memory context. May run several times
// (later passes of one release), with another value of $1 each time: constant during the run. Each
// sees the active snapshot, so that all scans that one call of a function runs see the same rows.
// before: done in the same silence, before the first row.
void run_scan(
    const SilentScan* scan, RowReceiver receive, Datum parameter = (Datum)0, Action before = [] {});

// Inside of another that runs, of tables of the same owners: under its silence.
void run_inner_scan(const SilentScan* scan, RowReceiver receive);

// What is done with exact numbers after the scan, under the same settings and as little counted,
// but as the caller: how often a sort of them spills, say, may hang on the order in which they
// came.
void run_silently(Action work);

}  // namespace dpmix::pg
