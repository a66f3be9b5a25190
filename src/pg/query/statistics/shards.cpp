#include "pg/query/statistics/shards.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/query/read/sources.hpp"

extern "C" {
#include "access/xact.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

[[noreturn]] void refuse_query(const char* message, const char* detail, const char* hint) {
  refuse(ErrorCode::query_not_allowed, message, detail, hint);
}

[[noreturn]] void refuse_sampled(const RowScope* scope) {
  refuse_query(psprintf("a privacy unit of %s may have several rows", scope->sources->first->name),
               "The table is distributed by Citus: its rows lie on other nodes, where they are not "
               "sampled.",
               "Protect the table without privacy_unit where each row is a unit; undistribute it "
               "otherwise.");
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

// WHERE as one condition that no index answers and that names no shard: how much other nodes read
// shows there, to whoever may look, and the settings of this session do not reach them.
void hide_condition(Query* query) {
  if (query->jointree->quals == NULL) return;
  BooleanTest* test = makeNode(BooleanTest);
  test->arg = (Expr*)query->jointree->quals;
  test->booltesttype = IS_TRUE;
  test->location = -1;
  query->jointree->quals = (Node*)test;
}

}  // namespace

bool any_distributed(const QuerySources* sources) {
  for (int i = 0; i < sources->count; i++) {
    if (is_distributed(sources->source[i].relation)) return true;
  }
  return false;
}

void require_distributable(const RowScope* scope, const QueryShape* shape) {
  const QuerySources* sources = scope->sources;
  if (!any_distributed(sources)) return;
  if (shape->joined.sampled) refuse_sampled(scope);
  if (sources->count > 1 && have_several_owners(sources)) {
    refuse_query(
        "distributed tables of several owners are not read in one query",
        "The shards are read with the rights of one owner, and what planning evaluates on other "
        "nodes, such as expressions of indexes, would run with them.",
        "Let one role own all tables of the query.");
  }
  if (sources->count > 1 && IsolationUsesXactSnapshot()) {
    refuse_query("joins of distributed tables need the isolation level READ COMMITTED",
                 "An old snapshot may show rows that a unique index of a shard excludes by now.",
                 "Ask in a transaction that is READ COMMITTED, as is the default.");
  }
}

void write_for_shards(Query* query, const QuerySources* sources) {
  if (!any_distributed(sources)) return;
  if (contain_mutable_functions((Node*)query->targetList) ||
      contain_mutable_functions((Node*)query->jointree)) {
    refuse_query("the time zone of the session decides on an expression of this query",
                 "The rows are distributed; other nodes have a time zone of their own.",
                 "Let the owner store a column of type date or timestamp.");
  }
  query->targetList = (List*)name_collation((Node*)query->targetList, NULL);
  query->jointree = (FromExpr*)name_collation((Node*)query->jointree, NULL);
  if (sources->count == 1) hide_condition(query);
}

}  // namespace dpmix::pg
