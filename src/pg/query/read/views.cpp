#include "pg/query/read/views.hpp"

#include "pg/border/compat.hpp"
#include "pg/catalog/facade.hpp"
#include "pg/catalog/table_row.hpp"
#include "pg/query/read/view_conditions.hpp"
#include "pg/query/read/view_domains.hpp"
#include "pg/trees/subquery.hpp"

extern "C" {
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

bool is_facade(Oid view) {
  return have_facades() && facade_of_view(view) != NULL;
}

bool is_protected(Oid relation) {
  const CatalogRow* row = find_catalog_row(relation);
  return row != NULL && row->active;
}

bool finds_private(Node* node, void*) {
  check_stack_depth();
  if (node == NULL) return false;
  if (IsA(node, Query)) return walk_with_entries((Query*)node, finds_private, NULL);
  if (!IsA(node, RangeTblEntry)) return walk_expression(node, finds_private, NULL);
  const RangeTblEntry* entry = (const RangeTblEntry*)node;
  if (entry->rtekind != RTE_RELATION) return false;
  if (entry->relkind != RELKIND_VIEW) return is_protected(entry->relid);
  return is_facade(entry->relid) || finds_private((Node*)body_of_view(entry->relid), NULL);
}

bool read_below(Node* node, void* arg) {
  check_stack_depth();
  if (node == NULL) return false;
  if (!IsA(node, Query)) return walk_expression(node, read_below, arg);
  Query* query = (Query*)node;
  int varno = 0;
  ListCell* cell;
  foreach (cell, query->rtable) {
    RangeTblEntry* entry = lfirst_node(RangeTblEntry, cell);
    varno++;
    if (entry->rtekind != RTE_RELATION || !is_private_view(entry->relid)) continue;
    Alias *alias = entry->alias, *names = entry->eref;
    Query* body = body_of_view(entry->relid);
    repeat_block_conditions(query, varno, entry->relid, body);
    become_subquery(entry, within_declared(entry->relid, body));
    entry->alias = alias;
    entry->eref = names;
  }
  return walk_query(query, read_below, arg);
}

}  // namespace

bool is_private_view(Oid relation) {
  if (get_rel_relkind(relation) != RELKIND_VIEW) return false;
  LockRelationOid(relation, AccessShareLock);
  return !is_facade(relation) && finds_private((Node*)body_of_view(relation), NULL);
}

void read_queries_of_views(Query* query) {
  (void)read_below((Node*)query, NULL);
}

}  // namespace dpmix::pg
