#include "pg/scan/held_tables.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/process/shipped_tables.hpp"
#include "pg/scan/memory.hpp"
#include "pg/scan/run_plan.hpp"
#include "pg/scan/table_alone.hpp"
#include "pg/scan/table_size.hpp"
#include "pg/trees/subquery.hpp"

extern "C" {
#include "executor/executor.h"
#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "parser/parsetree.h"
#include "tcop/tcopprot.h"
#include "utils/tuplestore.h"
}

namespace dpmix::pg {

struct HeldTables {
  QueryEnvironment* environment;
  int named;
  List *tables, *plans;   // of HeldTable*; of PlannedStmt*
  double protected_size;  // bytes
  bool read;              // the protected ones are
};

namespace {

struct HeldTable {
  PlannedStmt* plan;
  Tuplestorestate* rows;
  bool is_protected;
};

constexpr char kSourceText[] = "dpmix reads a table";

// Rows lie in memory as they are stored, then in the hash table of a join. Of each: its place in
// the list while that grows, headers, a bucket, and what blocks are rounded up.
constexpr double kTwice = 2.5, kHeldRow = 160;

// Puts the table's rows, under a name, in its place.
void become_named(RangeTblEntry* table, const char* name, TupleDesc columns, double rows) {
  become_nothing(table);
  table->rtekind = RTE_NAMEDTUPLESTORE;
  table->enrname = pstrdup(name);
  table->enrtuples = rows;
  table->eref = makeAlias(name, NIL);
  for (int i = 0; i < columns->natts; i++) {
    const FormData_pg_attribute* column = TupleDescAttr(columns, i);
    table->eref->colnames =
        lappend(table->eref->colnames, makeString(pstrdup(NameStr(column->attname))));
    table->coltypes = lappend_oid(table->coltypes, column->atttypid);
    table->coltypmods = lappend_int(table->coltypmods, column->atttypmod);
    table->colcollations = lappend_oid(table->colcollations, column->attcollation);
  }
}

void fill(const HeldTable* table, int flags) {
  DestReceiver* receiver = CreateTuplestoreDestReceiver();
  SetTuplestoreDestReceiverParams(receiver, table->rows, CurrentMemoryContext, false, NULL, NULL);
  run_plan({.plan = table->plan, .source_text = kSourceText, .receiver = receiver}, flags);
  receiver->rDestroy(receiver);
}

// Rows of one more table, under a name; returns it.
const char* add_rows(HeldTables* held, Tuplestorestate* rows, TupleDesc columns, double count) {
  EphemeralNamedRelation relation =
      (EphemeralNamedRelation)palloc0(sizeof(EphemeralNamedRelationData));
  relation->md.name = psprintf("dpmix held table %d", ++held->named);
  relation->md.tupdesc = columns;
  relation->md.enrtype = ENR_NAMED_TUPLESTORE;
  relation->md.enrtuples = count;
  relation->reldata = rows;
  register_ENR(held->environment, relation);
  return relation->md.name;
}

// The caller read them with its own rights: what the query reads the table with says nothing.
void hold_rows(HeldTables* held, Query* query, Index varno, const ShippedTable* came) {
  RangeTblEntry* entry = rt_fetch(varno, query->rtable);
  Query* nobody = makeNode(Query);
  RangeTblEntry* nothing = makeNode(RangeTblEntry);
  move_permissions(query, entry, nobody, nothing);
  become_named(entry, add_rows(held, came->store, came->type, came->rows), came->type, came->rows);
}

[[noreturn]] void refuse_size(const char* what, const char* size) {
  refuse_argument(
      psprintf("%s do not fit the memory of a release", what),
      psprintf("They take %s; dpmix.scan_memory is %.0f kB.", size, scan_memory_bytes() / 1024),
      "Join smaller tables, or ask an administrator to raise dpmix.scan_memory.");
}

}  // namespace

bool reads_shipped(const Query* query) {
  ListCell* cell;
  foreach (cell, query->rtable) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    if (entry->rtekind == RTE_SUBQUERY && reads_shipped(entry->subquery)) return true;
    if (entry->rtekind == RTE_RELATION && shipped_table(entry->relid) != NULL) return true;
  }
  return false;
}

HeldTables* hold_shipped(Query* query) {
  if (!reads_shipped(query)) return NULL;
  HeldTables* held = hold_nothing();
  Index varno = 0;
  ListCell* cell;
  foreach (cell, query->rtable) {
    RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    varno++;
    if (entry->rtekind != RTE_RELATION) continue;
    if (const ShippedTable* came = shipped_table(entry->relid)) hold_rows(held, query, varno, came);
  }
  return held;
}

HeldTables* hold_nothing() {
  HeldTables* held = (HeldTables*)palloc0(sizeof(HeldTables));
  held->environment = create_queryEnv();
  return held;
}

void hold_table(HeldTables* held, Query* query, Index varno, bool is_protected) {
  if (const ShippedTable* came = shipped_table(rt_fetch(varno, query->rtable)->relid)) {
    hold_rows(held, query, varno, came);
    return;
  }
  if (is_protected) {
    const Oid relation = rt_fetch(varno, query->rtable)->relid;
    held->protected_size += public_size(relation);
    need_own_memory(kTwice * public_size(relation) + kHeldRow * most_rows_in(relation));
    if (held->protected_size > scan_memory_bytes()) {
      refuse_size("the joined tables", psprintf("%.0f kB", held->protected_size / 1024));
    }
  }
  Query* alone = take_table_out(query, varno);
  TupleDesc columns = ExecTypeFromTL(alone->targetList);
  HeldTable* table = (HeldTable*)palloc0(sizeof(HeldTable));
  table->is_protected = is_protected;
  table->plan = pg_plan_query(alone, kSourceText, 0, NULL);
  table->plan->queryId = 0;
  table->rows = tuplestore_begin_heap(
      true, false, is_protected ? MAX_KILOBYTES : (int)(scan_memory_bytes() / 1024));
  const double rows = table->plan->planTree->plan_rows;
  const char* name = add_rows(held, table->rows, columns, rows);
  held->tables = lappend(held->tables, table);
  held->plans = lappend(held->plans, table->plan);
  become_named(rt_fetch(varno, query->rtable), name, columns, rows);
}

void start_held(const HeldTables* held) {
  ListCell* cell;
  foreach (cell, held != NULL ? held->tables : NIL) {
    fill((const HeldTable*)lfirst(cell), EXEC_FLAG_EXPLAIN_ONLY);
  }
}

void read_public_tables(HeldTables* held) {
  ListCell* cell;
  foreach (cell, held != NULL ? held->tables : NIL) {
    const HeldTable* table = (const HeldTable*)lfirst(cell);
    if (table->is_protected) continue;
    fill(table, 0);
    if (!tuplestore_in_memory(table->rows)) refuse_size("public tables", "more");
  }
}

void read_protected_tables(HeldTables* held) {
  if (held == NULL || held->read) return;
  held->read = true;
  ListCell* cell;
  foreach (cell, held->tables) {
    const HeldTable* table = (const HeldTable*)lfirst(cell);
    if (table->is_protected) fill(table, 0);
  }
}

QueryEnvironment* environment_of(const HeldTables* held) {
  return held != NULL ? held->environment : NULL;
}

const List* plans_of(const HeldTables* held) {
  return held != NULL ? held->plans : NIL;
}

}  // namespace dpmix::pg
