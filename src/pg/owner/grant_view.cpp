#include "pg/owner/grant_view.hpp"

#include "pg/border/compat.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/facade.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/catalog/role_number.hpp"
#include "pg/catalog/table_row.hpp"
#include "pg/catalog/unit_link.hpp"
#include "pg/owner/facades.hpp"
#include "pg/owner/owned.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace dpmix::pg {
namespace {

Statement update_confined = {
    "UPDATE dpmix.access SET epsilon = $3::numeric, min_epsilon = $4::numeric, "
    "  max_charges_per_minute = $5, share = $6::numeric "
    "WHERE table_id = $1 AND confined AND role = " DPMIX_NUMBERS_OF("$2")};

// Not where the role may ask the table itself.
Statement insert_confined = {
    "INSERT INTO dpmix.access "
    "  (table_id, role, epsilon, min_epsilon, max_charges_per_minute, share, confined) "
    "SELECT $1, $7, $3::numeric, $4::numeric, $5, $6::numeric, true WHERE NOT EXISTS ("
    "  SELECT FROM dpmix.access WHERE table_id = $1 AND role = " DPMIX_NUMBERS_OF("$2") ")"};

Statement insert_view = {
    "INSERT INTO dpmix.granted_view (table_id, role, schema_name, view_name) "
    "SELECT a.table_id, a.role, $3, $4 FROM dpmix.access a "
    "WHERE a.table_id = $1 AND a.confined AND a.role = " DPMIX_NUMBERS_OF(
        "$2") " ON CONFLICT DO NOTHING"};

Statement delete_view = {
    "DELETE FROM dpmix.granted_view WHERE schema_name = $2 AND view_name = $3 "
    "AND role = " DPMIX_NUMBERS_OF("$1")};

// Grants that are left without a view.
Statement
    delete_confined = {"DELETE FROM dpmix.access a WHERE a.confined AND a.role = " DPMIX_NUMBERS_OF(
        "$1") " AND NOT EXISTS (SELECT FROM dpmix.granted_view v "
              "                 WHERE v.table_id = a.table_id AND v.role = a.role)"};

struct Below {   // what a view reads
  List* tables;  // oids of protected tables
  List* views;   // and of views that were looked at
};

void add_table(Oid relation, Below* below) {
  if (list_member_oid(below->tables, relation)) return;
  const CatalogRow* row = find_catalog_row(relation);
  if (row == NULL || !row->active) return;
  below->tables = lappend_oid(below->tables, relation);
  if (row->link != NULL && OidIsValid(row->link->present)) add_table(row->link->present, below);
}

void add_below(Oid view, Below* below);

bool collect(Node* node, void* below) {
  check_stack_depth();
  if (node == NULL) return false;
  if (IsA(node, Query)) return walk_with_entries((Query*)node, collect, below);
  if (!IsA(node, RangeTblEntry)) return walk_expression(node, collect, below);
  const RangeTblEntry* entry = (const RangeTblEntry*)node;
  if (entry->rtekind != RTE_RELATION) return false;
  if (entry->relkind == RELKIND_VIEW) {
    add_below(entry->relid, (Below*)below);
  } else {
    add_table(entry->relid, (Below*)below);
  }
  return false;
}

// A view may read itself, by a facade of it.
void add_below(Oid view, Below* below) {
  if (list_member_oid(below->views, view)) return;
  below->views = lappend_oid(below->views, view);
  const Facade* facade = have_facades() ? facade_of_view(view) : NULL;
  if (facade == NULL) {
    (void)collect((Node*)body_of_view(view), below);
  } else if (facade->table_id == 0) {
    add_below(facade->relation, below);
  } else {
    add_table(facade->relation, below);
  }
}

struct ViewName {
  Value schema, name;
};

ViewName name_of(Oid view) {
  return {name_value(get_namespace_name(get_rel_namespace(view))), name_value(get_rel_name(view))};
}

bool is_read_by_invoker(Oid view) {
  Relation opened = table_open(view, NoLock);
  const bool by_invoker = RelationHasSecurityInvoker(opened);
  table_close(opened, NoLock);
  return by_invoker;
}

}  // namespace

List* tables_below(Oid view) {
  if (get_rel_relkind(view) != RELKIND_VIEW) return NIL;
  if (have_facades() && facade_of_view(view) != NULL) return NIL;
  Below below = {NIL, NIL};
  add_below(view, &below);
  return below.tables;
}

void require_owned_view(Oid view, const List* tables) {
  lock_owned(view, ShareUpdateExclusiveLock);
  if (get_rel_persistence(view) == RELPERSISTENCE_TEMP) {
    refuse_argument(psprintf("view %s is temporary", qualified_name(view)),
                    "What is said of a view belongs to a name that stays.",
                    "Make the view in a schema.");
  }
  if (is_read_by_invoker(view)) {
    refuse_argument(psprintf("view %s has security_invoker", qualified_name(view)),
                    "It means to read with the rights of whoever asks, who has none on the tables.",
                    psprintf("ALTER VIEW %s RESET (security_invoker).", qualified_name(view)));
  }
  const Oid owner = relation_owner(view);
  const ListCell* cell;
  foreach (cell, tables) {
    const Oid table = lfirst_oid(cell);
    const CatalogRow* row = open_owned(table, ShareUpdateExclusiveLock);
    if (row->privacy_unit == NULL && row->link == NULL) {
      refuse_argument(psprintf("rows of %s are privacy units of their own", qualified_name(table)),
                      "Views are asked about people: of tables that have a privacy_unit or a link.",
                      "Grant access to the table, or protect it with the column that says whose a "
                      "row is.");
    }
    if (has_privs_of_role(owner, relation_owner(table))) continue;
    refuse_argument(psprintf("view %s does not belong to the owner of %s", qualified_name(view),
                             qualified_name(table)),
                    "Who owns the view decides what may be asked of the tables below.",
                    "ALTER VIEW ... OWNER TO that role, or to one that is a member of it.");
  }
}

void tell_of_public_text(Oid view) {
  ereport(NOTICE, (errmsg("everybody can read the text of view %s", qualified_name(view)),
                   errdetail("Views are no secret in PostgreSQL's catalog."),
                   errhint("Let it hold no private constants, such as names of people.")));
}

void grant_view(Oid view, const List* tables, Oid role, const GrantTerms& terms) {
  require_owned_view(view, tables);
  const ViewName view_name = name_of(view);
  const ListCell* cell;
  foreach (cell, tables) {
    const Oid table = lfirst_oid(cell);
    const int64 id = find_catalog_row(table)->id;
    bool confined = true;
    as_catalog_owner([&] {
      if (write_rows(update_confined,
                     {id, role, terms.epsilon, terms.least, terms.most, terms.share}) == 0) {
        confined = write_rows(insert_confined, {id, role, terms.epsilon, terms.least, terms.most,
                                                terms.share, role_number(role)}) > 0;
      }
      (void)write_rows(insert_view, {id, role, view_name.schema, view_name.name});
    });
    if (confined) continue;
    ereport(NOTICE, (errmsg("role \"%s\" has access to %s itself", GetUserNameFromId(role, false),
                            qualified_name(table)),
                     errdetail("That grant stays as it is, and is not confined to the view."),
                     errhint("Take it back first: dpmix.revoke_access(%s, %s).",
                             quote_literal_cstr(qualified_name(table)),
                             quote_literal_cstr(GetUserNameFromId(role, false)))));
  }
  FacadeViews views = {};
  as_catalog_owner([&] { views = facades_of_view(view); });
  show_facades(views, role);
  tell_of_public_text(view);
}

bool revoke_view(Oid view, Oid role) {
  lock_owned(view, ShareUpdateExclusiveLock);
  const ViewName view_name = name_of(view);
  bool found = false;
  FacadeViews views = {};
  as_catalog_owner([&] {
    found = write_rows(delete_view, {role, view_name.schema, view_name.name}) > 0;
    (void)write_rows(delete_confined, {role});
    views = facades_of_view(view);
  });
  conceal_facades(views, role);
  return found;
}

}  // namespace dpmix::pg
