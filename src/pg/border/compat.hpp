// What differs between PostgreSQL 15, 16, 17 and 18, in one place.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "access/relation.h"
#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_namespace.h"
#include "commands/explain.h"
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"
#include "optimizer/optimizer.h"
#include "parser/parse_relation.h"
#include "rewrite/rewriteHandler.h"
#include "rewrite/rewriteManip.h"
#include "storage/lock.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/acl.h"
#include "utils/guc_tables.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
#if PG_VERSION_NUM >= 160000
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvolatile"
#include "utils/pgstat_internal.h"
#pragma GCC diagnostic pop
#endif
}

namespace dpmix::pg {

// A setting as guc.c has it; NULL: there is none of this name.
inline const config_generic* setting_named(const char* name) {
#if PG_VERSION_NUM >= 160000
  int count;
  config_generic** settings = get_guc_variables(&count);
#else
  config_generic** settings = get_guc_variables();
  const int count = GetNumConfigOptions();
#endif
  for (int i = 0; i < count; i++) {
    if (strcmp(settings[i]->name, name) == 0) return settings[i];
  }
  return NULL;
}

// For the session, which may be outside a transaction. False: others have it, or nobody has room.
inline bool lock_without_waiting(const LOCKTAG* tag, LOCKMODE mode) {
#if PG_VERSION_NUM >= 180000
  const LockAcquireResult got = LockAcquireExtended(tag, mode, true, true, false, NULL, false);
#else
  const LockAcquireResult got = LockAcquireExtended(tag, mode, true, true, false, NULL);
#endif
  return got != LOCKACQUIRE_NOT_AVAIL;
}

// Since 17 an interval may be infinite.
#if PG_VERSION_NUM >= 170000
inline constexpr bool kInfiniteIntervals = true;
inline bool is_finite(const ::Interval* interval) {
  return !INTERVAL_NOT_FINITE(interval);
}
#else
inline constexpr bool kInfiniteIntervals = false;
inline bool is_finite(const ::Interval*) {
  return true;
}
#endif

// 16 has one function for objects of all kinds.
inline bool may_use_schema(Oid schema, Oid role) {
#if PG_VERSION_NUM >= 160000
  return object_aclcheck(NamespaceRelationId, schema, role, ACL_USAGE) == ACLCHECK_OK;
#else
  return pg_namespace_aclcheck(schema, role, ACL_USAGE) == ACLCHECK_OK;
#endif
}

// ExecutorRun lost execute_once in 18.
inline void run_executor(QueryDesc* desc) {
#if PG_VERSION_NUM >= 180000
  ExecutorRun(desc, ForwardScanDirection, 0);
#else
  ExecutorRun(desc, ForwardScanDirection, 0, true);
#endif
}

// Room before the tuple came in 18.
inline MinimalTuple form_minimal_tuple(TupleDesc type, Datum* values, bool* nulls) {
#if PG_VERSION_NUM >= 180000
  return heap_form_minimal_tuple(type, values, nulls, 0);
#else
  return heap_form_minimal_tuple(type, values, nulls);
#endif
}

// Whose rights a range-table entry is checked against: in the entry itself before 16, in
// Query.rteperminfos since.
inline void check_as_user(Query* query, RangeTblEntry* entry, Oid user) {
#if PG_VERSION_NUM >= 160000
  getRTEPermissionInfo(query->rteperminfos, entry)->checkAsUser = user;
#else
  (void)query;
  entry->checkAsUser = user;
#endif
}

// An entry of FROM that reads another relation, and the columns that it selects.
inline void stand_for_relation(Query* query, RangeTblEntry* entry, Oid relation) {
#if PG_VERSION_NUM >= 160000
  getRTEPermissionInfo(query->rteperminfos, entry)->relid = relation;
#else
  (void)query;
#endif
  entry->relid = relation;
}
inline Bitmapset** selected_columns(Query* query, RangeTblEntry* entry) {
#if PG_VERSION_NUM >= 160000
  return &getRTEPermissionInfo(query->rteperminfos, entry)->selectedCols;
#else
  (void)query;
  return &entry->selectedCols;
#endif
}

// The view that an entry of FROM was before its query took its place; InvalidOid: none. Before 16
// it is the first entry of that query.
inline Oid expanded_view(const RangeTblEntry* entry) {
  if (entry->rtekind != RTE_SUBQUERY || entry->subquery == NULL) return InvalidOid;
#if PG_VERSION_NUM >= 160000
  return entry->relkind == RELKIND_VIEW ? entry->relid : InvalidOid;
#else
  if (entry->subquery->rtable == NIL) return InvalidOid;
  const RangeTblEntry* old = linitial_node(RangeTblEntry, entry->subquery->rtable);
  return old->rtekind == RTE_RELATION && old->relkind == RELKIND_VIEW ? old->relid : InvalidOid;
#endif
}

// A copy of a view's query, without the entries of its rule, which it has before 16; what it reads
// is locked, and so is the view.
inline Query* body_of_view(Oid view) {
  Relation opened = relation_open(view, AccessShareLock);
  Query* body = (Query*)copyObjectImpl(get_view_query(opened));
  relation_close(opened, NoLock);
  AcquireRewriteLocks(body, true, false);
#if PG_VERSION_NUM < 160000
  OffsetVarNodes((Node*)body, -2, 0);
  body->rtable = list_copy_tail(body->rtable, 2);
#endif
  return body;
}

// The entries of a query that say with which rights its tables and views are read, for another FROM
// that reads none of them: permissions are checked of entries, whether they are read or not.
inline List* permission_entries(const Query* query) {
  List* kept = NIL;
  ListCell* cell;
  foreach (cell, query->rtable) {
    RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
#if PG_VERSION_NUM >= 160000
    if (entry->perminfoindex == 0) continue;
#else
    if (OidIsValid(expanded_view(entry))) {
      entry = linitial_node(RangeTblEntry, entry->subquery->rtable);
    }
    if (entry->rtekind != RTE_RELATION || entry->requiredPerms == 0) continue;
#endif
    entry = (RangeTblEntry*)copyObjectImpl(entry);
    entry->rtekind = RTE_RELATION;
    entry->subquery = NULL;
    entry->security_barrier = false;
    entry->lateral = entry->inh = entry->inFromCl = false;
    entry->tablesample = NULL;
    kept = lappend(kept, entry);
  }
  return kept;
}

// An entry with the rights that are checked of it, and these at the end of a plan's.
inline List* with_rights(const Query* query, RangeTblEntry* entry) {
#if PG_VERSION_NUM >= 160000
  if (entry->perminfoindex == 0) return list_make1(entry);
  return list_make2(entry, copyObjectImpl(getRTEPermissionInfo(query->rteperminfos, entry)));
#else
  (void)query;
  return list_make1(entry);
#endif
}
inline void add_with_rights(PlannedStmt* plan, const List* entry_and_rights) {
  RangeTblEntry* entry = (RangeTblEntry*)copyObjectImpl(linitial(entry_and_rights));
#if PG_VERSION_NUM >= 160000
  entry->perminfoindex = 0;
  if (list_length(entry_and_rights) > 1) {
    plan->permInfos = lappend(plan->permInfos, lsecond(entry_and_rights));
    entry->perminfoindex = (Index)list_length(plan->permInfos);
  }
#endif
  plan->rtable = lappend(plan->rtable, entry);
}

// A view that became a query, without its rights, which another entry has: since 16 they are the
// entry's own.
inline void become_plain_subquery(RangeTblEntry* entry) {
#if PG_VERSION_NUM >= 160000
  entry->relid = InvalidOid;
  entry->relkind = '\0';
  entry->perminfoindex = 0;
#else
  (void)entry;
#endif
}

// What was added to a state of parse analysis becomes what a query reads.
inline void take_tables(const ParseState* state, Query* query) {
  query->rtable = state->p_rtable;
#if PG_VERSION_NUM >= 160000
  query->rteperminfos = state->p_rteperminfos;
#endif
}

// The tables of an inner query become tables of the outer one, with the rights they are read with.
inline void append_tables(Query* outer, Query* inner) {
#if PG_VERSION_NUM >= 160000
  CombineRangeTables(&outer->rtable, &outer->rteperminfos, inner->rtable, inner->rteperminfos);
#else
  outer->rtable = list_concat(outer->rtable, inner->rtable);
#endif
}

// The columns of a subquery become what it computes.
inline Node* inline_columns(Node* node, int varno, RangeTblEntry* entry, Query* inner,
                            bool* sublinks) {
#if PG_VERSION_NUM >= 180000
  return ReplaceVarsFromTargetList(node, varno, 0, entry, inner->targetList, 0,
                                   REPLACEVARS_REPORT_ERROR, 0, sublinks);
#else
  return ReplaceVarsFromTargetList(node, varno, 0, entry, inner->targetList,
                                   REPLACEVARS_REPORT_ERROR, 0, sublinks);
#endif
}

// EXPLAIN of one query, as without a hook: since 17 PostgreSQL's own function.
inline void explain_one_query(Query* query, int options, IntoClause* into, ExplainState* state,
                              const char* text, ParamListInfo parameters,
                              QueryEnvironment* environment) {
#if PG_VERSION_NUM >= 170000
  standard_ExplainOneQuery(query, options, into, state, text, parameters, environment);
#else
  BufferUsage before = pgBufferUsage, used = {};
  instr_time start, duration;
  INSTR_TIME_SET_CURRENT(start);
  PlannedStmt* plan = pg_plan_query(query, text, options, parameters);
  INSTR_TIME_SET_CURRENT(duration);
  INSTR_TIME_SUBTRACT(duration, start);
  BufferUsageAccumDiff(&used, &pgBufferUsage, &before);
  ExplainOnePlan(plan, into, state, text, parameters, environment, &duration,
                 state->buffers ? &used : NULL);
#endif
}

// Whether this transaction holds a lock in this very mode.
inline bool holds_lock(const LOCKTAG& tag, LOCKMODE mode) {
#if PG_VERSION_NUM >= 170000
  return LockHeldByMe(&tag, mode, false);
#else
  return LockHeldByMe(&tag, mode);
#endif
}

// Whether partitions are left out as the plan runs.
inline bool prunes_as_it_runs(const Append* append) {
#if PG_VERSION_NUM >= 180000
  return append->part_prune_index >= 0;
#else
  return append->part_prune_info != NULL;
#endif
}

// Removes the permission entries of a query whose tables were taken out of it.
inline void forget_permissions(Query* query) {
#if PG_VERSION_NUM >= 160000
  query->rteperminfos = NIL;
#else
  (void)query;
#endif
}

// An entry of FROM that comes from another query: read with the rights of this role.
inline void read_as(Query* query, RangeTblEntry* entry, Oid user) {
#if PG_VERSION_NUM >= 160000
  entry->perminfoindex = 0;
  RTEPermissionInfo* rights = addRTEPermissionInfo(&query->rteperminfos, entry);
  rights->requiredPerms = ACL_SELECT;
  rights->checkAsUser = user;
#else
  (void)query;
  entry->requiredPerms = ACL_SELECT;
  entry->checkAsUser = user;
#endif
}

// Both queries have the rights of all tables of one.
inline void share_permissions(const Query* from, Query* to) {
#if PG_VERSION_NUM >= 160000
  to->rteperminfos = from->rteperminfos;
#else
  (void)from, (void)to;
#endif
}

// The rights with which a query reads a table go along with the table, to another query that reads
// it.
inline void move_permissions(Query* from, RangeTblEntry* table, Query* to, RangeTblEntry* there) {
#if PG_VERSION_NUM >= 160000
  RTEPermissionInfo* rights = getRTEPermissionInfo(from->rteperminfos, table);
  to->rteperminfos = list_make1(rights);
  there->perminfoindex = 1;
  from->rteperminfos = list_delete_ptr(from->rteperminfos, rights);
  ListCell* cell;
  foreach (cell, from->rtable) {
    RangeTblEntry* other = lfirst_node(RangeTblEntry, cell);
    if (other->perminfoindex > table->perminfoindex) other->perminfoindex--;
  }
  table->perminfoindex = 0;
#else
  (void)from, (void)to, (void)there;
  table->requiredPerms = 0;
  table->checkAsUser = InvalidOid;
  table->selectedCols = NULL;
#endif
}

// Whether the current user may read what a query reads of a table.
inline bool may_read(const Query* query, RangeTblEntry* entry) {
#if PG_VERSION_NUM >= 160000
  RTEPermissionInfo* rights = getRTEPermissionInfo(query->rteperminfos, entry);
  RangeTblEntry alone = *entry;
  alone.perminfoindex = 1;
  return ExecCheckPermissions(list_make1(&alone), list_make1(rights), false);
#else
  (void)query;
  return ExecCheckRTPerms(list_make1(entry), false);
#endif
}

// The first table that a plan reads without the right to; InvalidOid: there is none.
inline Oid denied_table(const PlannedStmt* plan) {
  ListCell* cell;
#if PG_VERSION_NUM >= 160000
  foreach (cell, plan->permInfos) {
    RTEPermissionInfo* rights = lfirst_node(RTEPermissionInfo, cell);
#else
  foreach (cell, plan->rtable) {
    RangeTblEntry* rights = lfirst_node(RangeTblEntry, cell);
    if (rights->rtekind != RTE_RELATION) continue;
#endif
    const Oid user = OidIsValid(rights->checkAsUser) ? rights->checkAsUser : GetUserId();
    if ((rights->requiredPerms & ACL_SELECT) == 0 || rights->relid < FirstNormalObjectId ||
        pg_class_aclcheck(rights->relid, user, ACL_SELECT) == ACLCHECK_OK) {
      continue;
    }
#if PG_VERSION_NUM >= 160000
    RangeTblEntry* alone = makeNode(RangeTblEntry);
    alone->rtekind = RTE_RELATION;
    alone->relid = rights->relid;
    alone->perminfoindex = 1;
    const bool may = ExecCheckPermissions(list_make1(alone), list_make1(rights), false);
#else
    const bool may = ExecCheckRTPerms(list_make1(rights), false);
#endif
    if (!may) return rights->relid;
  }
  return InvalidOid;
}

// Since 18 a NOT NULL constraint may be NOT VALID: attnotnull alone promises nothing of old rows.
inline bool has_no_nulls(TupleDesc desc, AttrNumber column) {
#if PG_VERSION_NUM >= 180000
  return TupleDescCompactAttr(desc, column - 1)->attnullability == ATTNULLABLE_VALID;
#else
  return TupleDescAttr(desc, column - 1)->attnotnull;
#endif
}

// Since 17 the planner drops IS NOT NULL of columns that are NOT NULL by now.
inline void forget_not_null(RelOptInfo* table) {
#if PG_VERSION_NUM >= 170000
  table->notnullattnums = NULL;
#else
  (void)table;
#endif
}

// What says so, since 18, and is changed when it is validated; NULL before.
inline HeapTuple not_null_constraint(Oid relation, AttrNumber column) {
#if PG_VERSION_NUM >= 180000
  return findNotNullConstraintAttnum(relation, column);
#else
  (void)relation;
  (void)column;
  return NULL;
#endif
}

// The tree walkers take a function without a prototype before 16, a typed callback since.
using NodeVisitor = bool (*)(Node*, void*);
using NodeMutator = Node* (*)(Node*, void*);
#if PG_VERSION_NUM >= 160000
inline bool walk_expression(Node* node, NodeVisitor visit, void* arg) {
  return expression_tree_walker(node, visit, arg);
}
inline bool walk_query(Query* query, NodeVisitor visit, void* arg) {
  return query_tree_walker(query, visit, arg, 0);
}
inline bool walk_with_entries(Query* query, NodeVisitor visit, void* arg) {
  return query_tree_walker(query, visit, arg, QTW_EXAMINE_RTES_BEFORE);
}
inline bool walk_expressions_of(Query* query, NodeVisitor visit, void* arg) {
  return query_tree_walker(query, visit, arg, QTW_IGNORE_RT_SUBQUERIES | QTW_IGNORE_CTE_SUBQUERIES);
}
inline Query* mutate_query(Query* query, NodeMutator mutate, void* arg) {
  return query_tree_mutator(query, mutate, arg, 0);
}
inline bool walk_raw_expression(Node* node, NodeVisitor visit, void* arg) {
  return raw_expression_tree_walker(node, visit, arg);
}
inline Node* mutate_expression(Node* node, NodeMutator mutate, void* arg) {
  return expression_tree_mutator(node, mutate, arg);
}
#else
template <class Untyped, class Typed>
Untyped without_prototype(Typed callback) {
  return reinterpret_cast<Untyped>(reinterpret_cast<void (*)()>(callback));
}
inline bool walk_expression(Node* node, NodeVisitor visit, void* arg) {
  return expression_tree_walker(node, without_prototype<bool (*)()>(visit), arg);
}
inline bool walk_query(Query* query, NodeVisitor visit, void* arg) {
  return query_tree_walker(query, without_prototype<bool (*)()>(visit), arg, 0);
}
// Each entry of FROM, then what is in it.
inline bool walk_with_entries(Query* query, NodeVisitor visit, void* arg) {
  return query_tree_walker(query, without_prototype<bool (*)()>(visit), arg,
                           QTW_EXAMINE_RTES_BEFORE);
}
// Visits the expressions of a query, without the queries in its FROM and WITH.
inline bool walk_expressions_of(Query* query, NodeVisitor visit, void* arg) {
  return query_tree_walker(query, without_prototype<bool (*)()>(visit), arg,
                           QTW_IGNORE_RT_SUBQUERIES | QTW_IGNORE_CTE_SUBQUERIES);
}
inline Query* mutate_query(Query* query, NodeMutator mutate, void* arg) {
  return query_tree_mutator(query, without_prototype<Node* (*)()>(mutate), arg, 0);
}
inline bool walk_raw_expression(Node* node, NodeVisitor visit, void* arg) {
  return raw_expression_tree_walker(node, without_prototype<bool (*)()>(visit), arg);
}
inline Node* mutate_expression(Node* node, NodeMutator mutate, void* arg) {
  return expression_tree_mutator(node, without_prototype<Node* (*)()>(mutate), arg);
}
#endif

// Since 18 a grouped query names its grouping columns through a range-table entry of its own; this
// puts the columns themselves back into the select list.
inline void inline_group_columns(Query* query) {
#if PG_VERSION_NUM >= 180000
  if (!query->hasGroupRTE) return;
  query->targetList = (List*)flatten_group_exprs(NULL, query, (Node*)query->targetList);
  query->havingQual = flatten_group_exprs(NULL, query, query->havingQual);
  // It is appended last, so no other entry changes its number.
  query->rtable = list_truncate(query->rtable, list_length(query->rtable) - 1);
  query->hasGroupRTE = false;
#else
  (void)query;
#endif
}

// Columns of a join, such as those of USING, become columns of its tables.
inline Node* flatten_join_columns(Query* query, Node* node) {
#if PG_VERSION_NUM >= 160000
  return flatten_join_alias_vars(NULL, query, node);
#else
  return flatten_join_alias_vars(query, node);
#endif
}

// The sequence behind an identity column; an error when there is none. Of the open table since 17.
inline Oid identity_sequence(Relation table, AttrNumber column) {
#if PG_VERSION_NUM >= 170000
  return getIdentitySequence(table, column, false);
#else
  return getIdentitySequence(RelationGetRelid(table), column, false);
#endif
}

// How a sort order reads a comparison: its strategy in B-trees, BTMaxStrategyNumber + 1 for <>, 0
// for none.
inline int comparison_strategy(Oid op) {
#if PG_VERSION_NUM >= 180000
  List* readings = get_op_index_interpretation(op);
  return readings == NIL ? 0 : ((OpIndexInterpretation*)linitial(readings))->cmptype;
#else
  List* readings = get_op_btree_interpretation(op);
  return readings == NIL ? 0 : ((OpBtreeInterpretation*)linitial(readings))->strategy;
#endif
}

// Since 16 each buffer that is read, hit or written is counted for pg_stat_io, which everyone sees;
// since 18 also by backend (pg_stat_get_backend_io). No setting turns that off. Counts wait in the
// process until they are published.
#if PG_VERSION_NUM >= 180000
using IoCounts = PgStat_Backend;
#else
struct IoCounts {};
#endif

// Publishes all counts until now; published: what this backend has published, to be put back.
inline void publish_io_counts(IoCounts* published) {
#if PG_VERSION_NUM >= 160000
  (void)pgstat_flush_io(false);
#endif
#if PG_VERSION_NUM >= 180000
  (void)pgstat_flush_backend(false, PGSTAT_BACKEND_FLUSH_ALL);
  PgStat_EntryRef* own =
      pgstat_get_entry_ref_locked(PGSTAT_KIND_BACKEND, InvalidOid, MyProcNumber, false);
  *published = ((PgStatShared_Backend*)own->shared_stats)->stats;
  pgstat_unlock_entry(own);
#else
  (void)published;
#endif
}

// Everything since: added to a kind of process that no view shows, and forgotten there. An
// assertion of PostgreSQL's forbids that, so servers built with assertions go on counting.
inline void forget_io_counts(const IoCounts* published) {
#if PG_VERSION_NUM >= 160000 && !defined(USE_ASSERT_CHECKING)
  const BackendType own_kind = MyBackendType;
  PgStatShared_IO* shared = &pgStatLocal.shmem->io;
  MyBackendType = B_INVALID;
  (void)pgstat_flush_io(false);
  MyBackendType = own_kind;
  LWLockAcquire(&shared->locks[B_INVALID], LW_EXCLUSIVE);
  memset(&shared->stats.stats[B_INVALID], 0, sizeof shared->stats.stats[B_INVALID]);
  LWLockRelease(&shared->locks[B_INVALID]);
#endif
#if PG_VERSION_NUM >= 180000 && !defined(USE_ASSERT_CHECKING)
  pgstat_create_backend(MyProcNumber);  // begins at zero, without what waited
  PgStat_EntryRef* own =
      pgstat_get_entry_ref_locked(PGSTAT_KIND_BACKEND, InvalidOid, MyProcNumber, false);
  ((PgStatShared_Backend*)own->shared_stats)->stats = *published;
  pgstat_unlock_entry(own);
#else
  (void)published;
#endif
}

}  // namespace dpmix::pg
