#include "pg/query/statistics/shards.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/citus/shard_places.hpp"
#include "pg/citus/unit_placement.hpp"
#include "pg/query/read/sources.hpp"

extern "C" {
#include "access/xact.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

[[noreturn]] void refuse_query(const char* message, const char* detail, const char* hint) {
  refuse(ErrorCode::query_not_allowed, message, detail, hint);
}

// Of the tables of all sources, and those that layers read.
List* relations_read(const QuerySources* sources) {
  List* relations = NIL;
  for (int i = 0; i < sources->count; i++) {
    relations = list_concat(relations, relations_of(&sources->source[i]));
  }
  return relations;
}

void require_placed_by_unit(const QuerySources* sources) {
  const int most = list_length(relations_read(sources));
  PlacedTable* tables = (PlacedTable*)palloc(sizeof(PlacedTable) * (Size)most);
  int count = 0;
  for (int i = 0; i < sources->count; i++) {
    const QuerySource& source = sources->source[i];
    const ProtectedTable** is_private;
    const int privates = tables_of(&source, &is_private);
    for (int j = 0; j < privates; j++) {
      tables[count++] = {is_private[j]->relation, is_private[j]->unit};
    }
    const ListCell* cell;
    foreach (cell, source.layer != NULL ? source.layer->publics : NIL) {
      tables[count++] = {lfirst_oid(cell), InvalidAttrNumber};
    }
    if (source.layer == NULL && source.table == NULL) {
      tables[count++] = {source.relation, InvalidAttrNumber};
    }
  }
  require_units_together(tables, count);
}

bool has_layers(const QuerySources* sources) {
  return sources->count == 1 && sources->source[0].layer != NULL;
}

// What is sent to other nodes is text, and an implicit cast to another collation is written without
// it: the column's own would be taken there, which may be one that no query accepts.
Node* name_collation(Node* node, void* arg) {
  if (node == NULL) return NULL;
  Node* made = mutate_expression(node, name_collation, arg);
  if (!IsA(made, RelabelType)) return made;
  RelabelType* relabel = (RelabelType*)made;
  const Oid wanted = relabel->resultcollid, own = exprCollation((Node*)relabel->arg);
  if (!OidIsValid(wanted) || wanted == own) return made;
  relabel->resultcollid = OidIsValid(own) ? own : get_typcollation(relabel->resulttype);
  CollateExpr* collate = makeNode(CollateExpr);
  collate->arg = (Expr*)relabel;
  collate->collOid = wanted;
  collate->location = -1;
  return (Node*)collate;
}

// EXISTS, IN, and that there is none: joins, too.
bool is_link(const Node* condition) {
  const BoolExpr* no = IsA(condition, BoolExpr) ? (const BoolExpr*)condition : NULL;
  if (no != NULL && no->boolop == NOT_EXPR) condition = (const Node*)linitial(no->args);
  return IsA(condition, SubLink);
}

bool compares_columns(const Node* condition) {
  return IsA(condition, OpExpr) && list_length(((const OpExpr*)condition)->args) == 2 &&
         IsA(linitial(((const OpExpr*)condition)->args), Var) &&
         IsA(lsecond(((const OpExpr*)condition)->args), Var);
}

Node* hidden(Node* condition) {
  BooleanTest* test = makeNode(BooleanTest);
  test->arg = (Expr*)condition;
  test->booltesttype = IS_TRUE;
  test->location = -1;
  return (Node*)test;
}

// Conditions as one that no index answers and that names no shard: how much other nodes read shows
// there, to whoever may look, and the settings of this session do not reach them. But for those by
// which tables are joined.
Node* hidden_conditions(Node* conditions) {
  List *joining = NIL, *others = NIL;
  ListCell* cell;
  foreach (cell, make_ands_implicit((Expr*)conditions)) {
    Node* condition = (Node*)lfirst(cell);
    if (compares_columns(condition) || is_link(condition)) {
      joining = lappend(joining, condition);
    } else {
      others = lappend(others, condition);
    }
  }
  if (others != NIL) joining = lappend(joining, hidden((Node*)make_ands_explicit(others)));
  return joining != NIL ? (Node*)make_ands_explicit(joining) : NULL;
}

void hide_conditions(Node* node) {
  if (IsA(node, RangeTblRef)) return;
  if (IsA(node, JoinExpr)) {
    JoinExpr* join = (JoinExpr*)node;
    hide_conditions(join->larg);
    hide_conditions(join->rarg);
    join->quals = hidden_conditions(join->quals);
    return;
  }
  FromExpr* from = castNode(FromExpr, node);
  ListCell* cell;
  foreach (cell, from->fromlist) hide_conditions((Node*)lfirst(cell));
  from->quals = hidden_conditions(from->quals);
}

}  // namespace

bool any_distributed(const QuerySources* sources) {
  const ListCell* cell;
  foreach (cell, relations_read(sources)) {
    if (is_distributed(lfirst_oid(cell))) return true;
  }
  return false;
}

bool reads_shards(const QuerySources* sources) {
  for (int i = 0; i < sources->count; i++) {
    if (has_shards(sources->source[i].relation)) return true;
  }
  return false;
}

const char* tasks_text(const QuerySources* sources) {
  for (int i = 0; i < sources->count; i++) {
    const Oid relation = sources->source[i].relation;
    if (!has_shards(relation)) continue;
    const ShardPlaces places = shard_places(relation);
    return psprintf("in %d task%s on %d node%s", places.shards, places.shards == 1 ? "" : "s",
                    places.nodes, places.nodes == 1 ? "" : "s");
  }
  return NULL;
}

void require_distributable(const RowScope* scope, const QueryShape* shape) {
  const QuerySources* sources = scope->sources;
  if (!any_distributed(sources)) return;
  if (shape->joined.sampled || has_layers(sources)) require_placed_by_unit(sources);
  if ((sources->count > 1 || has_layers(sources)) && have_several_owners(sources)) {
    refuse_query(
        "distributed tables of several owners are not read in one query",
        "The shards are read with the rights of one owner, and what planning evaluates on other "
        "nodes, such as expressions of indexes, would run with them.",
        "Let one role own all tables of the query.");
  }
  if (sources->count > 1 && !shape->joined.sampled && IsolationUsesXactSnapshot()) {
    refuse_query("joins of distributed tables need the isolation level READ COMMITTED",
                 "An old snapshot may show rows that a unique index of a shard excludes by now.",
                 "Ask in a transaction that is READ COMMITTED, as is the default.");
  }
}

void write_for_shards(Query* query, const QuerySources* sources) {
  if (!any_distributed(sources)) return;
  if (contain_mutable_functions((Node*)query->targetList) ||
      contain_mutable_functions((Node*)query->jointree) ||
      contain_mutable_functions(query->havingQual)) {
    refuse_query("the time zone of the session decides on an expression of this query",
                 "The rows are distributed; other nodes have a time zone of their own.",
                 "Let the owner store a column of type date or timestamp.");
  }
  query->targetList = (List*)name_collation((Node*)query->targetList, NULL);
  query->jointree = (FromExpr*)name_collation((Node*)query->jointree, NULL);
  query->havingQual = name_collation(query->havingQual, NULL);
  hide_conditions((Node*)query->jointree);
}

namespace {

bool write_links(Node* node, void* arg) {
  if (node == NULL) return false;
  if (IsA(node, SubLink)) {
    Query* query = castNode(Query, ((SubLink*)node)->subselect);
    write_for_shards(query, (const QuerySources*)arg);
    (void)write_links((Node*)query->targetList, arg);
    (void)write_links((Node*)query->jointree, arg);
  }
  return walk_expression(node, write_links, arg);
}

}  // namespace

void write_layers_for_shards(Query* query, const QuerySources* sources) {
  if (!has_layers(sources) || !any_distributed(sources)) return;
  const ListCell* cell;
  foreach (cell, query->rtable) {
    const RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    if (entry->rtekind != RTE_SUBQUERY) continue;
    write_for_shards(entry->subquery, sources);
    (void)write_links((Node*)entry->subquery->targetList, (void*)sources);
    (void)write_links((Node*)entry->subquery->jointree, (void*)sources);
    (void)write_links(entry->subquery->havingQual, (void*)sources);
    write_layers_for_shards(entry->subquery, sources);
  }
}

}  // namespace dpmix::pg
