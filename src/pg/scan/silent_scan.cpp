#include "pg/scan/silent_scan.hpp"

extern "C" {
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "optimizer/optimizer.h"
#include "parser/analyze.h"
#include "parser/parser.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
}

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/io_counts.hpp"
#include "pg/border/unrecorded.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/citus/shard_plan.hpp"
#include "pg/process/own_rows.hpp"
#include "pg/process/release_plan.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/process/worker.hpp"
#include "pg/scan/fixed_path.hpp"
#include "pg/scan/private_statistics.hpp"
#include "pg/scan/run_plan.hpp"
#include "pg/scan/shared_rows.hpp"
#include "pg/scan/stored_tables.hpp"
#include "pg/trees/own_code.hpp"
#include "pg/trees/subquery.hpp"

namespace dpmix::pg {
namespace {

constexpr char kSourceText[] = "dpmix statistics query";

// Each closes a channel on which the inner scan was seen, or could be seen, by the caller.
constexpr Setting kSilence[] = {
    {"search_path", "pg_catalog, pg_temp"},
    {"client_min_messages", "error"},
    // Nothing of a protected row is sorted, kept for later, or written to a file.
    {"work_mem", "2147483647"},
    {"hash_mem_multiplier", "1000"},
    {"enable_hashagg", "on"},
    {"enable_hashjoin", "on"},
    {"enable_nestloop", "on"},
    {"enable_sort", "off"},
    {"enable_incremental_sort", "off"},
    {"enable_gathermerge", "off"},
    {"enable_mergejoin", "off"},
    {"enable_material", "off"},
    {"enable_memoize", "off"},
    {"enable_seqscan", "on"},
    {"enable_indexscan", "off"},
    {"enable_indexonlyscan", "off"},
    {"enable_bitmapscan", "off"},
    {"enable_tidscan", "off"},
    {"enable_parallel_hash", "off"},  // its shared memory grows with the rows, and can run out
    {"seq_page_cost", "1"},
    {"random_page_cost", "4"},
    {"cpu_tuple_cost", "0.01"},
    {"cpu_operator_cost", "0.0025"},
    {"effective_cache_size", "4GB"},
    {"from_collapse_limit", "12"},
    {"join_collapse_limit", "12"},
    {"geqo", "off"},
    {"jit", "off"},
    {"row_security", "off"},
    {kUncounted, "on"},
};

// Settings for a table of Citus's: its nodes are sent text, and answer with text.
constexpr Setting kDistributed[] = {
    {"extra_float_digits", "3"},
    {"DateStyle", "ISO, MDY"},
    {"IntervalStyle", "postgres"},
    {"bytea_output", "hex"},
    {"standard_conforming_strings", "on"},
    {"citus.select_opens_transaction_block", "off"},  // which would begin with what SET LOCAL sent
    {"citus.count_distinct_error_rate", "0"},
    {"citus.coordinator_aggregation_strategy", "disabled"},  // else rows come here
    {"citus.local_table_join_policy", "never"},              // rows go there
    {"citus.enable_repartition_joins", "off"},
    {"citus.enable_single_hash_repartition_joins", "off"},
    {"citus.subquery_pushdown", "off"},
    {"citus.max_intermediate_result_size", "-1"},  // an error that would depend on rows
    {"citus.log_remote_commands", "off"},
    {"citus.multi_task_query_log_level", "off"},
    {"citus.stat_statements_track", "none"},
    {"citus.stat_tenants_track", "none"},
};

struct Silence {  // what must be put back, also on error
  Oid user;
  int security;
  int guc_level;
  bool own_code_only;
  bool statistics_hidden;
  BufferUsage buffers;
  WalUsage wal;
  IoCounts io;
};

void put_back_counters(const Silence* saved) {
  pgBufferUsage = saved->buffers;
  pgWalUsage = saved->wal;
  end_uncounted(&saved->io);  // last: WAL is counted from what it is by then
}

void put_back_planning(const Silence* saved) {
  (void)set_own_code_only(saved->own_code_only);
  (void)hide_statistics(saved->statistics_hidden);
}

// Sets what silences a scan, until the GUC level that the caller began ends.
void set_silence() {
  for (const Setting& s : kSilence) set_for_now(s, PGC_SUSET);
  set_for_now({kWorkerNeeds, psprintf("%d", worker_needs())}, PGC_SUSET);
}

// Of a plan that joins shared rows: where workers find them, or that there are none.
void set_workers(const HeldTables* held) {
  if (!are_for_workers(held)) return;
  const int copy = copy_for_workers(held);
  set_for_now({kSharedRows, psprintf("%d", copy)}, PGC_SUSET);
  if (copy == 0) set_for_now({"max_parallel_workers", "0"});
}

void begin_silence(Silence* saved, const SilentScan* scan) {
  GetUserIdAndSecContext(&saved->user, &saved->security);
  saved->buffers = pgBufferUsage;
  saved->wal = pgWalUsage;
  saved->guc_level = NewGUCNestLevel();
  set_silence();
  set_workers(scan->held);
  for (const Setting& s : kUnrecorded) set_for_now_if_known(s);
  begin_release_plan();
  for (const Setting& s : kDistributed) {
    if (scan->distributed) set_for_now_if_known(s);
  }
  SetUserIdAndSecContext(
      scan->owner, saved->security | SECURITY_RESTRICTED_OPERATION | SECURITY_LOCAL_USERID_CHANGE);
  begin_uncounted(&saved->io);
  saved->own_code_only = set_own_code_only(true);  // last: what is above may raise
  saved->statistics_hidden = hide_statistics(true);
}

// On error the transaction's abort puts settings and user back; the rest is ours.
void end_silence(const Silence* saved) {
  put_back_planning(saved);
  AtEOXact_GUC(false, saved->guc_level);
  SetUserIdAndSecContext(saved->user, saved->security);
  put_back_counters(saved);
}

void in_silence(const SilentScan* scan, Action body) {
  Silence saved;
  begin_silence(&saved, scan);
  PG_TRY();
  { body(); }
  PG_CATCH();
  {
    put_back_planning(&saved);
    put_back_counters(&saved);
    PG_RE_THROW();
  }
  PG_END_TRY();
  end_silence(&saved);
}

struct Receiver {
  DestReceiver base;  // first: PostgreSQL sees this
  const RowReceiver* receive;
  MemoryContext row;
};

bool receive_slot(TupleTableSlot* slot, DestReceiver* self) {
  Receiver* receiver = reinterpret_cast<Receiver*>(self);
  slot_getallattrs(slot);
  MemoryContextReset(receiver->row);
  MemoryContext outer = MemoryContextSwitchTo(receiver->row);
  (*receiver->receive)(slot->tts_values, slot->tts_isnull);
  MemoryContextSwitchTo(outer);
  return true;
}
void receiver_startup(DestReceiver*, int, TupleDesc) {}
void receiver_shutdown(DestReceiver*) {}
void receiver_destroy(DestReceiver*) {}

Query* analyse_sql(const char* sql, Oid parameter) {
  List* raw = raw_parser(sql, RAW_PARSE_DEFAULT);
  Query* query = parse_analyze_fixedparams(linitial_node(RawStmt, raw), sql, &parameter,
                                           OidIsValid(parameter) ? 1 : 0, NULL);
  inline_group_columns(query);  // take_table_out() renumbers columns of tables alone
  return query;
}

ParamListInfo parameters_of(const SilentScan* scan, Datum value, bool null) {
  if (!OidIsValid(scan->parameter)) return NULL;
  ParamListInfo parameters = makeParamList(1);
  const uint16 constant = PARAM_FLAG_CONST;
  parameters->params[0] = {value, null, constant, scan->parameter};
  return parameters;
}

void execute(const SilentScan* scan, const RowReceiver& receive, ParamListInfo parameters,
             int flags) {
  Receiver receiver;
  memset(&receiver, 0, sizeof receiver);
  receiver.base.receiveSlot = receive_slot;
  receiver.base.rStartup = receiver_startup;
  receiver.base.rShutdown = receiver_shutdown;
  receiver.base.rDestroy = receiver_destroy;
  receiver.base.mydest = DestNone;
  receiver.receive = &receive;
  receiver.row = AllocSetContextCreate(CurrentMemoryContext, "dpmix row", ALLOCSET_DEFAULT_SIZES);
  run_plan({.plan = (PlannedStmt*)copyObjectImpl(scan->plan),
            .source_text = kSourceText,
            .receiver = &receiver.base,
            .parameters = parameters,
            .environment = environment_of(scan->held)},
           flags);
  MemoryContextDelete(receiver.row);
}

// The name in the text must still be that of the table that was opened: its schema can be renamed
// without waiting for anybody's lock.
void require_table(const Query* query, Oid relation) {
  ListCell* cell;
  foreach (cell, query->rtable) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    if (entry->rtekind == RTE_RELATION && entry->relid == relation) continue;
    if (entry->rtekind == RTE_SUBQUERY) {
      require_table(entry->subquery, relation);
      continue;
    }
    refuse(ErrorCode::not_protected, "the protected table was renamed in the meantime",
           "Its name belongs to another relation now.", "Try again under the new name.");
  }
}

// Rows can take the stack deeper than planning did, for patterns recurse. Nobody who calls from
// deep down may learn of it: there is room for it, or this fails before the charge.
pg_noinline void require_stack() {
  volatile char room[64 * 1024];
  room[0] = 0;
  room[sizeof room - 1] = 0;
  check_stack_depth();
}

List* tables_read(const SilentScan* scan) {
  List* tables = list_copy(scan->plan->rtable);
  ListCell* cell;
  foreach (cell, plans_of(scan->held)) {
    tables = list_concat(tables, lfirst_node(PlannedStmt, cell)->rtable);
  }
  return tables;
}

// Citus's planner, unlike PostgreSQL's, wants to know the value of $1. NULL: not known yet. What it
// makes other nodes do is theirs.
void make_plan(SilentScan* scan, Query* tree, const List* public_tables, ParamListInfo parameters) {
  const int options = scan->parallel ? CURSOR_OPT_PARALLEL_OK : 0;
  require_stored(tree);
  if (scan->distributed && scan->is_protected) {
    scan->plan = plan_on_shards(tree, kSourceText, options, parameters);
  } else if (!scan->is_protected) {
    scan->held = hold_shipped(tree);
    scan->plan = pg_plan_query(tree, kSourceText, options, parameters);
  } else {
    const FixedPath path = fixed_path(tree, public_tables, options);
    scan->plan = path.plan;
    scan->held = path.held;
  }
  scan->plan->queryId = 0;
  require_committed(tables_read(scan));
  if (scan->distributed) require_known_functions(scan->plan);
}

struct Asked {
  Query* query = NULL;     // NULL: sql is analysed, with the owner's rights too
  const char* sql = NULL;  // about the relation
  Oid relation = InvalidOid;
  const Query* rows = NULL;  // or over these rows
  Expr* condition = NULL;    // of sql, which has none
  List* more = NIL;          // columns of it
  PickedRows picked = {};    // of its rows
  const List* public_tables = NIL;
};

SilentScan* plan_as_owner(SilentScan planned, const Asked& asked) {
  SilentScan* scan = (SilentScan*)palloc(sizeof(SilentScan));
  *scan = planned;
  scan->distributed = asked.query != NULL  ? reads_distributed(asked.query)
                      : asked.rows != NULL ? reads_distributed(asked.rows)
                                           : is_distributed(asked.relation);
  require_stack();
  if (scan->distributed) refuse_distributed_transaction();
  in_silence(scan, [=] {
    Query* tree = asked.query != NULL ? asked.query : analyse_sql(asked.sql, scan->parameter);
    tree->queryId = 0;
    if (asked.query == NULL) {
      if (asked.rows == NULL) {
        require_table(tree, asked.relation);
      } else {
        become_subquery(linitial_node(RangeTblEntry, tree->rtable),
                        (Query*)copyObjectImpl(asked.rows));
      }
      if (asked.condition != NULL) tree->jointree->quals = (Node*)asked.condition;
      const ListCell* cell;
      foreach (cell, asked.more) add_column(tree, (Expr*)lfirst(cell));
      if (asked.picked.unit != NULL) pick_rows(tree, asked.picked);
    }
    const bool again = scan->distributed && OidIsValid(scan->parameter);
    if (again) scan->query = (Query*)copyObjectImpl(tree);
    ParamListInfo parameters = again ? parameters_of(scan, (Datum)0, true) : NULL;
    make_plan(scan, tree, asked.public_tables, parameters);
    // Rights that the owner lost are found as the executor starts: here, before the charge.
    start_held(scan->held);
    execute(
        scan, [](const Datum*, const bool*) {}, parameters, EXEC_FLAG_EXPLAIN_ONLY);
    if (in_release_process()) read_public_tables(scan->held);
  });
  return scan;
}

}  // namespace

SilentScan* plan_scan(const char* sql, Oid relation, Oid owner, Oid parameter, Expr* condition,
                      const PickedRows& picked, List* more) {
  return plan_as_owner(
      {.owner = owner, .parameter = parameter, .parallel = true, .is_protected = true},
      {.sql = sql, .relation = relation, .condition = condition, .more = more, .picked = picked});
}

SilentScan* plan_scan(const char* sql, const Query* rows, Oid owner, Oid parameter, Expr* condition,
                      const PickedRows& picked) {
  return plan_as_owner({.owner = owner, .parameter = parameter, .is_protected = true},
                       {.sql = sql, .rows = rows, .condition = condition, .picked = picked});
}

SilentScan* plan_scan(Query* query, Oid owner, const List* public_tables, bool parallel,
                      Oid parameter) {
  return plan_as_owner(
      {.owner = owner, .parameter = parameter, .parallel = parallel, .is_protected = true},
      {.query = query, .public_tables = public_tables});
}

SilentScan* plan_public_scan(const char* sql, Oid relation, Oid reader) {
  return plan_as_owner({.owner = reader, .parallel = true}, {.sql = sql, .relation = relation});
}

void run_scan(const SilentScan* scan, RowReceiver receive, Datum parameter, Action before) {
  if (scan->distributed) refuse_distributed_transaction();  // the release may have begun one
  in_silence(scan, [=] {
    ParamListInfo parameters = parameters_of(scan, parameter, false);
    SilentScan now = *scan;
    if (scan->query != NULL) {
      make_plan(&now, (Query*)copyObjectImpl(scan->query), NIL, parameters);
    }
    read_protected_tables(now.held);
    before();
    execute(&now, receive, parameters, 0);
  });
}

void run_inner_scan(const SilentScan* scan, RowReceiver receive) {
  read_protected_tables(scan->held);
  execute(scan, receive, parameters_of(scan, (Datum)0, true), 0);
}

void run_silently(Action work) {
  run_unrecorded([&] {
    set_silence();
    work();
  });
}

}  // namespace dpmix::pg
