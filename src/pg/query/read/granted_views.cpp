#include "pg/query/read/granted_views.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/epoch.hpp"
#include "pg/catalog/facade.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/query/read/views.hpp"

extern "C" {
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

// Of the table $1, for the user $2: where he has no other access, the views that he may ask it
// through. A view of a granted name is that view while its owner has the rights of the table's.
Statement confined_to = {
    "SELECT array_agg(quote_ident(v.schema_name) || '.' || quote_ident(v.view_name)), "
    "  coalesce(array_agg(c.oid) FILTER (WHERE c.oid IS NOT NULL), '{}') "
    "FROM dpmix.protected_table p JOIN pg_class t ON t.oid = p.relation "
    "JOIN dpmix.access a ON a.table_id = p.id AND a.confined "
    "JOIN dpmix_internal.bound_role r ON r.number = a.role AND pg_has_role($2, r.oid, 'USAGE') "
    "JOIN dpmix.granted_view v ON v.table_id = a.table_id AND v.role = a.role "
    "LEFT JOIN pg_namespace n ON n.nspname = v.schema_name "
    "LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = v.view_name "
    "  AND c.relkind = 'v' AND pg_has_role(c.relowner, t.relowner, 'USAGE') "
    "WHERE p.relation = $1 AND p.active AND NOT pg_has_role($2, t.relowner, 'USAGE') "
    "AND NOT EXISTS (SELECT FROM dpmix.access o JOIN dpmix_internal.bound_role w ON w.number = "
    "  o.role WHERE o.table_id = p.id AND NOT o.confined AND pg_has_role($2, w.oid, 'USAGE')) "
    "HAVING count(*) > 0"};

Statement any_confined = {"SELECT FROM dpmix.access WHERE confined LIMIT 1"};

struct Path {   // to what is looked at
  List* views;  // oids, the outermost first
};

void require_granted(Oid relation, const Path* path) {
  char** names = NULL;
  int named = 0;
  bool confined = false, granted = false;
  const Oid user = GetUserId();
  as_catalog_owner([&] {
    confined = read_rows(confined_to, {relation, user}) > 0;
    if (!confined) return;
    const ResultRow row;
    int count;
    const Oid* views = row.oids(2, &count);
    for (int i = 0; i < count; i++) granted = granted || list_member_oid(path->views, views[i]);
    names = row.texts(1, &named);
  });
  if (!confined || granted) return;
  const char* all = "";
  for (int i = 0; i < named; i++) all = psprintf("%s%s%s", all, i > 0 ? ", " : "", names[i]);
  refuse(ErrorCode::not_protected,
         psprintf("you have access to %s through views alone", qualified_name(relation)),
         psprintf("You may ask %s.", all), "Name such a view in the text in place of the table.");
}

bool look_at(Node* node, void* arg);

// A facade of a view is that view.
void look_at_entry(const RangeTblEntry* entry, Path* path) {
  if (entry->rtekind != RTE_RELATION) return;
  const bool named_as_view = entry->relkind == RELKIND_VIEW && have_facades();
  const Facade* facade = named_as_view ? facade_of_view(entry->relid) : NULL;
  const Oid relation = facade != NULL ? facade->relation : entry->relid;
  if (get_rel_relkind(relation) != RELKIND_VIEW) {
    require_granted(relation, path);
    return;
  }
  if (list_member_oid(path->views, relation)) return;  // it reads itself, by a facade
  if (!is_private_view(relation)) return;
  List* before = path->views;
  path->views = lappend_oid(list_copy(before), relation);
  (void)look_at((Node*)body_of_view(relation), path);
  path->views = before;
}

bool look_at(Node* node, void* arg) {
  check_stack_depth();
  if (node == NULL) return false;
  if (!IsA(node, Query)) return walk_expression(node, look_at, arg);
  const ListCell* cell;
  foreach (cell, ((Query*)node)->rtable) {
    look_at_entry(lfirst_node(RangeTblEntry, cell), (Path*)arg);
  }
  return walk_query((Query*)node, look_at, arg);
}

// Most databases have no grant on a view. Believed while the catalog's epoch lasts.
bool have_confined_grants() {
  static uint64 known_epoch = 0;
  static bool any = false;
  const uint64 epoch = catalog_epoch();
  if (epoch != 0 && epoch == known_epoch) return any;
  known_epoch = 0;
  as_catalog_owner([&] { any = read_rows(any_confined) > 0; });
  if (catalog_epoch() == epoch) known_epoch = epoch;
  return any;
}

}  // namespace

void require_granted_views(Query* query) {
  if (!have_confined_grants()) return;
  Path path = {NIL};
  (void)look_at((Node*)query, &path);
}

}  // namespace dpmix::pg
