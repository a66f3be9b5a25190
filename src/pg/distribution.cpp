#include "pg/distribution.hpp"

#include "pg/compat.hpp"
#include "pg/expression_trees.hpp"
#include "pg/guard.hpp"
#include "pg/query_sources.hpp"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_func.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace dpmix::pg {
namespace {

// A table of Citus's catalog; InvalidOid without Citus, which PostgreSQL keeps in mind.
Oid citus_table(const char* name) {
  return get_relname_relid(name, PG_CATALOG_NAMESPACE);
}

Datum attribute(HeapTuple tuple, TupleDesc columns, const char* name, bool* null) {
  for (int i = 0; i < columns->natts; i++) {
    if (strcmp(NameStr(TupleDescAttr(columns, i)->attname), name) == 0) {
      return heap_getattr(tuple, i + 1, columns, null);
    }
  }
  *null = true;  // another Citus than dpmix knows
  return (Datum)0;
}

// The key is kept as PostgreSQL keeps expressions: a Var of the relation.
AttrNumber hash_column(Datum key) {
  const Node* node = (const Node*)stringToNode(TextDatumGetCString(key));
  return node != NULL && IsA(node, Var) ? ((const Var*)node)->varattno : InvalidAttrNumber;
}

Distribution read_distribution(HeapTuple tuple, TupleDesc columns) {
  Distribution found;
  bool null;
  const char method = DatumGetChar(attribute(tuple, columns, "partmethod", &null));
  found.placement = Placement::other;
  if (null) return found;
  if (method == 'n') found.placement = Placement::whole;
  if (method == 'h') {
    const Datum key = attribute(tuple, columns, "partkey", &null);
    if (!null) found.column = hash_column(key);
    if (found.column > 0) found.placement = Placement::shards;
  }
  return found;
}

// 0: the coordinator, and any server that is in no cluster.
int32 node_group() {
  const Oid catalog = citus_table("pg_dist_local_group");
  if (!OidIsValid(catalog)) return 0;
  Relation table = table_open(catalog, AccessShareLock);
  SysScanDesc scan = systable_beginscan(table, InvalidOid, false, NULL, 0, NULL);
  HeapTuple tuple = systable_getnext(scan);
  bool null = true;
  Datum group = (Datum)0;
  if (HeapTupleIsValid(tuple)) group = attribute(tuple, RelationGetDescr(table), "groupid", &null);
  systable_endscan(scan);
  table_close(table, AccessShareLock);
  return null ? 0 : DatumGetInt32(group);
}

bool is_shard(Oid relation) {
  const Oid types[] = {REGCLASSOID};
  const Oid function = LookupFuncName(list_make2(makeString(pstrdup("pg_catalog")),
                                                 makeString(pstrdup("relation_is_a_known_shard"))),
                                      lengthof(types), types, true);
  if (!OidIsValid(function)) return false;
  return DatumGetBool(OidFunctionCall1(function, ObjectIdGetDatum(relation)));
}

[[noreturn]] void refuse(const char* message, const char* detail, const char* hint) {
  ereport(ERROR, (errcode(DPMIX_SQLSTATE(query_not_allowed)), errmsg("%s", message),
                  errdetail("%s", detail), errhint("%s", hint)));
  pg_unreachable();
}

// A unit's rows are counted and drawn where they lie, so they must lie together.
void require_units_together(const RowScope* scope) {
  const ProtectedTable* first = scope->sources->first;
  for (int i = 0; i < scope->sources->count; i++) {
    const QuerySource* source = &scope->sources->source[i];
    const Distribution where = distribution_of(source->relation);
    if (where.placement != Placement::shards) continue;
    if (source->table == NULL || source->table->unit == where.column) continue;
    refuse(psprintf("rows of one privacy unit of %s may lie in several shards", first->name),
           psprintf("%s is distributed by column \"%s\"; its privacy unit is column \"%s\", and a "
                    "unit may have several rows.",
                    source->table->name, get_attname(source->relation, where.column, false),
                    get_attname(source->relation, source->table->unit, false)),
           "Distribute the table by its privacy unit.");
  }
}

bool is_strange(Oid function, void*) {
  if (function < FirstNormalObjectId || is_dpmix_function(function)) return false;
  const Oid extension = getExtensionOfObject(ProcedureRelationId, function);
  return !OidIsValid(extension) || extension != get_extension_oid("citus", true);
}

bool find_strange(Node* node, void* found) {
  if (node == NULL) return false;
  if (check_functions_in_node(node, is_strange, NULL)) return true;
  return walk_expression(node, find_strange, found);
}

bool calls_strangers(const Plan* plan) {
  if (plan == NULL) return false;
  return find_strange((Node*)plan->targetlist, NULL) || find_strange((Node*)plan->qual, NULL) ||
         calls_strangers(plan->lefttree) || calls_strangers(plan->righttree);
}

}  // namespace

Distribution distribution_of(Oid relation) {
  Distribution found;
  const Oid catalog = citus_table("pg_dist_partition");
  if (!OidIsValid(catalog)) return found;
  Relation table = table_open(catalog, AccessShareLock);
  ScanKeyData key;
  ScanKeyInit(&key, 1, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation));
  SysScanDesc scan = systable_beginscan(table, citus_table("pg_dist_partition_logical_relid_index"),
                                        true, NULL, 1, &key);
  HeapTuple tuple = systable_getnext(scan);
  if (HeapTupleIsValid(tuple)) found = read_distribution(tuple, RelationGetDescr(table));
  systable_endscan(scan);
  table_close(table, AccessShareLock);
  return found;
}

const char* undistributable_kind(Oid relation) {
  if (!OidIsValid(citus_table("pg_dist_partition"))) return NULL;
  if (is_shard(relation)) return "is a shard of a distributed table, whose rows have one budget";
  const Placement placement = distribution_of(relation).placement;
  if (placement == Placement::here) return NULL;
  if (placement == Placement::other) return "is distributed, but not by hash";
  if (node_group() != 0) return "has its ledger on the coordinator of this Citus cluster";
  return NULL;
}

void require_distributable(const RowScope* scope, const QueryShape* shape) {
  const QuerySources* sources = scope->sources;
  bool found = false;
  for (int i = 0; i < sources->count; i++) {
    found = found || is_distributed(sources->source[i].relation);
  }
  if (!found) return;
  if (sources->count > 1 && have_several_owners(sources)) {
    refuse("distributed tables of several owners are not read in one query",
           "The shards are read with the rights of one owner, and what planning evaluates on other "
           "nodes, such as expressions of indexes, would run with them.",
           "Let one role own all tables of the query.");
  }
  if (sources->count > 1 && IsolationUsesXactSnapshot()) {
    refuse("joins of distributed tables need the isolation level READ COMMITTED",
           "An old snapshot may show rows that a unique index of a shard excludes by now.",
           "Ask in a transaction that is READ COMMITTED, as is the default.");
  }
  if (shape->joined.sampled) require_units_together(scope);
}

void refuse_distributed(Oid relation, const char* what) {
  if (!is_distributed(relation)) return;
  refuse(psprintf("%s needs a table that is not distributed", what),
         "It reads single records, which would all be brought here and kept on disk.",
         "Use dpmix.query, dpmix.release_gmm or dpmix.compare_private, of which exact sums are all "
         "that leaves a shard.");
}

bool reads_distributed(const Query* query) {
  ListCell* cell;
  foreach (cell, query->rtable) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    if (entry->rtekind == RTE_RELATION && is_distributed(entry->relid)) return true;
    if (entry->rtekind == RTE_SUBQUERY && reads_distributed(entry->subquery)) return true;
  }
  return false;
}

void require_known_functions(const PlannedStmt* plan) {
  bool found = calls_strangers(plan->planTree);
  ListCell* cell;
  foreach (cell, plan->subplans) found = found || calls_strangers((const Plan*)lfirst(cell));
  if (!found) return;
  refuse("a function of this database stands in for one that joins what shards computed",
         "Citus finds such aggregates by name and argument, in every schema.",
         "Drop aggregates of users named sum or array_cat_agg that take anyelement or a state of "
         "dpmix.");
}

}  // namespace dpmix::pg
