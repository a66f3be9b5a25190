#include "pg/scan/held_tables.hpp"

#include "pg/border/compat.hpp"
#include "pg/scan/table_alone.hpp"
#include "pg/trees/subquery.hpp"

extern "C" {
#include "executor/executor.h"
#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "parser/parsetree.h"
#include "tcop/tcopprot.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"
}

namespace dpmix::pg {

struct HeldTables {
  QueryEnvironment* environment;
  List* tables;  // of HeldTable
};

namespace {

struct HeldTable {
  PlannedStmt* plan;
  Tuplestorestate* rows;
  bool is_protected;
};

constexpr char kSourceText[] = "dpmix reads a table";

// In the table's place: its rows, under a name.
void become_named(RangeTblEntry* table, const char* name, TupleDesc columns, double rows) {
  become_nothing(table);
  table->rtekind = RTE_NAMEDTUPLESTORE;
  table->enrname = pstrdup(name);
  table->enrtuples = rows;
  table->eref = makeAlias(name, NIL);
  for (int i = 0; i < columns->natts; i++) {
    const FormData_pg_attribute* column = TupleDescAttr(columns, i);
    table->eref->colnames = lappend(table->eref->colnames, makeString(pstrdup(NameStr(column->attname))));
    table->coltypes = lappend_oid(table->coltypes, column->atttypid);
    table->coltypmods = lappend_int(table->coltypmods, column->atttypmod);
    table->colcollations = lappend_oid(table->colcollations, column->attcollation);
  }
}

void read_table(const HeldTable* table) {
  DestReceiver* receiver = CreateTuplestoreDestReceiver();
  SetTuplestoreDestReceiverParams(receiver, table->rows, CurrentMemoryContext, false, NULL, NULL);
  PushCopiedSnapshot(GetActiveSnapshot());
  QueryDesc* desc = CreateQueryDesc(table->plan, kSourceText, GetActiveSnapshot(), InvalidSnapshot,
                                    receiver, NULL, NULL, 0);
  ExecutorStart(desc, 0);
  run_executor(desc);
  ExecutorFinish(desc);
  ExecutorEnd(desc);
  FreeQueryDesc(desc);
  PopActiveSnapshot();
  receiver->rDestroy(receiver);
}

}  // namespace

HeldTables* no_held_tables() {
  HeldTables* held = (HeldTables*)palloc0(sizeof(HeldTables));
  held->environment = create_queryEnv();
  return held;
}

void hold_table(HeldTables* held, Query* query, Index varno, bool is_protected) {
  Query* alone = take_table_out(query, varno);
  TupleDesc columns = ExecTypeFromTL(alone->targetList);
  HeldTable* table = (HeldTable*)palloc0(sizeof(HeldTable));
  table->is_protected = is_protected;
  table->plan = pg_plan_query(alone, kSourceText, 0, NULL);
  table->plan->queryId = 0;
  const int memory = is_protected ? MAX_KILOBYTES : work_mem;
  table->rows = tuplestore_begin_heap(true, false, memory);
  EphemeralNamedRelation relation =
      (EphemeralNamedRelation)palloc0(sizeof(EphemeralNamedRelationData));
  relation->md.name = psprintf("dpmix held table %d", list_length(held->tables) + 1);
  relation->md.tupdesc = columns;
  relation->md.enrtype = ENR_NAMED_TUPLESTORE;
  relation->md.enrtuples = table->plan->planTree->plan_rows;
  relation->reldata = table->rows;
  register_ENR(held->environment, relation);
  held->tables = lappend(held->tables, table);
  become_named(rt_fetch(varno, query->rtable), relation->md.name, columns, relation->md.enrtuples);
}

void read_held(const HeldTables* held, bool is_protected) {
  ListCell* cell;
  foreach (cell, held->tables) {
    const HeldTable* table = (const HeldTable*)lfirst(cell);
    if (table->is_protected == is_protected) read_table(table);
  }
}

QueryEnvironment* environment_of(const HeldTables* held) {
  return held->environment;
}

}  // namespace dpmix::pg
