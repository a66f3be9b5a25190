#include "pg/scan/held_tables.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/process/shipped_tables.hpp"
#include "pg/scan/memory.hpp"
#include "pg/scan/run_plan.hpp"
#include "pg/scan/shared_rows.hpp"
#include "pg/scan/table_alone.hpp"
#include "pg/scan/table_size.hpp"
#include "pg/trees/subquery.hpp"

extern "C" {
#include "access/htup_details.h"
#include "executor/executor.h"
#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "tcop/tcopprot.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"
}

namespace dpmix::pg {

struct HeldTables {
  QueryEnvironment* environment;
  int named;
  List *tables, *plans;   // of HeldTable*; of PlannedStmt*
  double protected_size;  // bytes
  bool read;              // the protected ones are
  bool shared;            // workers may have rows of all of them, which are public
  List* public_rows;      // of RowsToShare*; if they are shared, of table number 1, 2, ...
  int copy;               // of the rows, for workers; 0: there is none
};

namespace {

struct HeldTable {
  PlannedStmt* plan;
  Tuplestorestate* rows;
  bool is_protected;
};

constexpr char kSourceText[] = "dpmix reads a table";

// Rows lie in memory, each in a block of twice its size at most, then in the hash table of a join.
// Of each: its place in the list while that grows, headers, a bucket.
constexpr double kCopies = 3, kHeldRow = 160;

// Public tables are copied for workers if they are no larger than this part of dpmix.scan_memory,
// as PostgreSQL shows their sizes; and if their rows, unpacked, take no more than twice that.
constexpr double kSharedPart = 1. / 8;

// Puts held table number so and so in the place of a table.
void become_held(const HeldTables* held, RangeTblEntry* table, int number, TupleDesc columns,
                 double rows) {
  if (held->shared) {
    become_held_rows(table, number, columns, rows);
    return;
  }
  become_nothing(table);
  table->rtekind = RTE_NAMEDTUPLESTORE;
  table->enrname = pstrdup(held_name(number));
  table->enrtuples = rows;
  table->eref = makeAlias(table->enrname, NIL);
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

// Rows of one more table; returns its number.
int add_rows(HeldTables* held, const RowsToShare& rows, double count, bool is_protected) {
  if (!is_protected) {
    RowsToShare* table = (RowsToShare*)palloc(sizeof(RowsToShare));
    *table = rows;
    held->public_rows = lappend(held->public_rows, table);
  }
  EphemeralNamedRelation relation =
      (EphemeralNamedRelation)palloc0(sizeof(EphemeralNamedRelationData));
  relation->md.name = pstrdup(held_name(++held->named));
  relation->md.tupdesc = rows.type;
  relation->md.enrtype = ENR_NAMED_TUPLESTORE;
  relation->md.enrtuples = count;
  relation->reldata = rows.store;
  register_ENR(held->environment, relation);
  return held->named;
}

// The caller read them with its own rights: what the query reads the table with says nothing.
void hold_rows(HeldTables* held, Query* query, Index varno, const ShippedTable* came) {
  RangeTblEntry* entry = rt_fetch(varno, query->rtable);
  Query* nobody = makeNode(Query);
  RangeTblEntry* nothing = makeNode(RangeTblEntry);
  move_permissions(query, entry, nobody, nothing);
  const int number = add_rows(held, {came->store, came->type}, came->rows, false);
  become_held(held, entry, number, came->type, came->rows);
}

// The most that the columns take which are read of a table: the whole table, or where none has a
// variable length, as much for each row as there can be.
double most_held(Oid relation, const Query* alone) {
  double row = MAXALIGN(SizeofMinimalTupleHeader + BITMAPLEN(list_length(alone->targetList)));
  ListCell* cell;
  foreach (cell, alone->targetList) {
    const int16 length = get_typlen(exprType((Node*)lfirst_node(TargetEntry, cell)->expr));
    if (length < 0) return public_size(relation);
    row += MAXALIGN(length);
  }
  return Min(public_size(relation), row * most_rows_in(relation));
}

[[noreturn]] void refuse_size(const char* what, const char* size) {
  refuse_argument(
      psprintf("%s do not fit the memory of a release", what),
      psprintf("They take %s; dpmix.scan_memory is %.0f kB.", size, scan_memory_bytes() / 1024),
      "Join smaller tables, or ask an administrator to raise dpmix.scan_memory.");
}

// What joins with public rows take, in each process that has them; and the copy for workers.
void have_joined(HeldTables* held) {
  double bytes = 0;
  ListCell* cell;
  foreach (cell, held->public_rows) {
    const RowsSize size = size_of(*(const RowsToShare*)lfirst(cell));
    bytes += size.bytes;
    const double needed = kCopies * size.bytes + kHeldRow * size.rows;
    if (held->shared) {
      need_memory(needed);
    } else {
      need_own_memory(needed);
    }
  }
  if (held->shared && bytes <= 2 * kSharedPart * scan_memory_bytes()) {
    held->copy = share_rows(held->public_rows, bytes);
  }
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

HeldTables* hold_for_workers(const List* public_tables) {
  HeldTables* held = hold_nothing();
  double bytes = 0;
  const ListCell* cell;
  foreach (cell, public_tables) bytes += public_size(lfirst_oid(cell));
  held->shared = bytes <= kSharedPart * scan_memory_bytes();
  return held;
}

void hold_table(HeldTables* held, Query* query, Index varno, bool is_protected) {
  if (const ShippedTable* came = shipped_table(rt_fetch(varno, query->rtable)->relid)) {
    hold_rows(held, query, varno, came);
    return;
  }
  const Oid relation = rt_fetch(varno, query->rtable)->relid;
  Query* alone = take_table_out(query, varno);
  if (is_protected) {
    const double size = most_held(relation, alone);
    held->protected_size += size;
    need_own_memory(kCopies * size + kHeldRow * most_rows_in(relation));
    if (held->protected_size > scan_memory_bytes()) {
      refuse_size("the joined tables", psprintf("%.0f kB", held->protected_size / 1024));
    }
  }
  TupleDesc columns = ExecTypeFromTL(alone->targetList);
  HeldTable* table = (HeldTable*)palloc0(sizeof(HeldTable));
  table->is_protected = is_protected;
  table->plan = pg_plan_query(alone, kSourceText, 0, NULL);
  table->plan->queryId = 0;
  table->rows = tuplestore_begin_heap(
      true, false, is_protected ? MAX_KILOBYTES : (int)(scan_memory_bytes() / 1024));
  const double rows = table->plan->planTree->plan_rows;
  const int number = add_rows(held, {table->rows, columns}, rows, is_protected);
  held->tables = lappend(held->tables, table);
  held->plans = lappend(held->plans, table->plan);
  become_held(held, rt_fetch(varno, query->rtable), number, columns, rows);
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
  if (held != NULL) have_joined(held);
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

bool are_for_workers(const HeldTables* held) {
  return held != NULL && held->shared;
}

int copy_for_workers(const HeldTables* held) {
  return held != NULL ? held->copy : 0;
}

QueryEnvironment* environment_of(const HeldTables* held) {
  return held != NULL ? held->environment : NULL;
}

const List* plans_of(const HeldTables* held) {
  return held != NULL ? held->plans : NIL;
}

}  // namespace dpmix::pg
