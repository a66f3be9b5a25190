#include "pg/report/seen_table.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/relation.hpp"

namespace dpmix::pg {
namespace {

// What the views known_table and known_grant show, for the role $2.
Statement table_of_viewer = {
    "SELECT t.id, coalesce(t.account, t.id), t.active, t.audited, t.accountant, "
    "       coalesce(t.renyi_order, 0), b.epsilon, b.delta "
    "FROM (SELECT p.*, pg_has_role($2, c.relowner, 'USAGE') OR p.active AND EXISTS ("
    "        SELECT FROM dpmix.auditor a "
    "        JOIN dpmix_internal.bound_role r ON r.number = a.role "
    "        WHERE a.table_id = p.id AND pg_has_role($2, r.oid, 'USAGE')) AS audited "
    "      FROM dpmix.protected_table p "
    "      JOIN pg_class c ON c.oid = p.relation AND c.relname = p.table_name "
    "      JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = p.schema_name "
    "      WHERE p.relation = $1) t, "
    "LATERAL (SELECT h.epsilon, h.delta FROM dpmix.budget_change h "
    "         WHERE h.table_id = coalesce(t.account, t.id) ORDER BY h.id DESC LIMIT 1) b "
    "WHERE t.audited OR (t.active AND EXISTS ("
    "  SELECT FROM dpmix.access a JOIN dpmix_internal.bound_role r ON r.number = a.role "
    "  WHERE a.table_id = t.id AND NOT a.confined AND pg_has_role($2, r.oid, 'USAGE')))"};

}  // namespace

bool find_seen_table(Oid relation, Oid viewer, SeenTable* found) {
  if (read_rows(table_of_viewer, {relation, viewer}) == 0) return false;
  const ResultRow row;
  *found = {row.int8(1), row.int8(2),   row.truth(3), row.truth(4),
            row.text(5), row.float8(6), row.text(7),  row.text(8)};
  return true;
}

bool audits(Oid relation) {
  const Oid viewer = GetUserId();
  SeenTable seen = {};
  bool visible = false;
  as_catalog_owner([&] { visible = find_seen_table(relation, viewer, &seen); });
  return visible && seen.audited;
}

const CatalogRow* require_seen_budget(Oid relation) {
  const Oid viewer = GetUserId();
  SeenTable seen = {};
  bool visible = false;
  as_catalog_owner([&] { visible = find_seen_table(relation, viewer, &seen) && seen.active; });
  const CatalogRow* row = visible ? find_catalog_row(relation) : NULL;
  if (row == NULL) {
    refuse(ErrorCode::not_protected,
           psprintf("there is no budget of table %s, or it is not yours to see",
                    qualified_name(relation)),
           "A budget is shown to the owner and auditors of its table and to roles with access.",
           "The tables whose budgets you may see are in dpmix.budget.");
  }
  return row;
}

}  // namespace dpmix::pg
