#include "pg/catalog/open_protected.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/epoch.hpp"
#include "pg/catalog/opened_tables.hpp"
#include "pg/catalog/protectable.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/catalog/table_row.hpp"
#include "pg/catalog/unique_key.hpp"
#include "pg/catalog/unit_link.hpp"
#include "pg/citus/distribution.hpp"

extern "C" {
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

Statement grants = {
    "SELECT r.oid, a.confined FROM dpmix.access a "
    "JOIN dpmix_internal.bound_role r ON r.number = a.role WHERE a.table_id = $1 "
    "ORDER BY a.confined, a.epsilon DESC NULLS FIRST, r.rolname"};

// Nothing is judged here: whoever asks may have no access.
Statement links = {
    "SELECT 1 FROM dpmix.protected_table WHERE relation = $1 AND active AND link IS NOT NULL"};

[[noreturn]] void refuse_stranger(Oid relation, const char* name, bool owner) {
  if (owner && get_rel_relkind(relation) == RELKIND_VIEW) {
    refuse(ErrorCode::not_protected, psprintf("view %s is not protected: only tables are", name),
           "Queries and releases that take a source are made of views over protected tables; what "
           "was called takes a table.",
           "Name a protected table.");
  }
  if (owner) {
    refuse(ErrorCode::not_protected, psprintf("table %s is not protected", name),
           "Only protected tables have a privacy budget to spend.",
           "Protect it with dpmix.protect().");
  }
  refuse(ErrorCode::not_protected,
         psprintf("table %s is not protected, or you have no access to it", name),
         "Access is given table by table, and follows role membership.",
         "Its owner gives access with dpmix.grant_access().");
}

// The role whose grant gives a user access, if there is one: his own is the one that the owner
// meant, else the widest of his roles. One that is confined to views only where there is no other.
struct Granted {
  bool found, confined;
  Oid role;
};

Granted find_grant(int64 table, Oid user) {
  Granted granted = {};
  as_catalog_owner([&] {
    const uint64 count = read_rows(grants, {table});
    for (uint64 i = 0; i < count && !(granted.found && granted.role == user); i++) {
      const ResultRow row = {i};
      const Oid role = row.oid(1);
      const bool confined = row.truth(2);
      if (granted.found && confined && !granted.confined) break;
      if (role != user && (granted.found || !has_privs_of_role(user, role))) continue;
      granted = {true, confined, role};
    }
  });
  return granted;
}

bool admits(const Granted& granted, Named named) {
  return granted.found && (!granted.confined || named == Named::in_text);
}

AttrNumber label_column(Oid relation, const char* label) {
  if (label == NULL) return InvalidAttrNumber;
  const AttrNumber column = get_attnum(relation, label);
  if (column != InvalidAttrNumber) return column;
  refuse_argument(psprintf("label column \"%s\" of %s is gone", label, qualified_name(relation)),
                  "Neighbours of this table differ in that column alone.",
                  "Add the column again, or protect another table.");
}

// Whose the record is, and who may ask, is told that the name is vacant; nobody else is.
void refuse_if_vacant(const CatalogRow* row, const char* name, Oid user) {
  if (row == NULL || !row->waiting) return;
  const bool owns = OidIsValid(row->owner) && has_privs_of_role(user, row->owner);
  if (owns || find_grant(row->id, user).found) refuse_vacant(name, owns);
}

// All of it, looked up now.
ProtectedTable* look_up_protected(Oid relation, Named named, bool* confined) {
  const char* name = qualified_name(relation);
  const Oid user = GetUserId(), owner = relation_owner(relation);
  if (!OidIsValid(owner)) refuse_stranger(relation, name, false);
  const bool owns = has_privs_of_role(user, owner);
  const CatalogRow* row = find_catalog_row(relation);
  refuse_if_vacant(row, name, user);
  const bool active = row != NULL && row->active;
  const Granted granted = active && !owns ? find_grant(row->id, user) : Granted{};
  if (!active || (!owns && !admits(granted, named))) refuse_stranger(relation, name, owns);
  *confined = granted.confined;
  require_protectable(relation);
  require_in_snapshot(relation);
  const UnitLink* link = find_unit_link(relation, row);
  const bool samples_units =
      link != NULL || require_privacy_unit(relation, row->privacy_unit, row->max_rows_per_unit);
  if (row->population != NULL && link == NULL) {
    require_unit_type(relation, row->privacy_unit, row->unit_type, row->population);
  }
  require_owner_sees_all(relation);

  ProtectedTable* table = (ProtectedTable*)palloc0(sizeof(ProtectedTable));
  *table = {.id = row->id,
            .account = row->account,
            .relation = relation,
            .user = user,
            .owner = owner,
            .name = name,
            .adjacency = *adjacency_of(row->adjacency),
            .accountant = accountant_of(row->accountant).value_or(Accountant::basic),
            .order = row->order,
            .epsilon = row->epsilon,
            .delta = row->delta,
            .label = label_column(relation, row->label),
            .granted_to = granted.role,
            .unit = InvalidAttrNumber,
            .rows_of_unit = row->max_rows_per_unit,
            .samples_units = samples_units,
            .blocks = find_block_column(row->id, relation),
            .always = false,
            .link = link,
            .made = NULL};
  if (row->privacy_unit != NULL) table->unit = get_attnum(relation, row->privacy_unit);
  // Rows that are linked lie where those lie that they name.
  table->always = row->population_blocks && !has_blocks(table->blocks) && link == NULL;
  return table;
}

// The one place that opens tables: who calls this knows of links.
ProtectedTable* open_any(Oid relation, Named named) {
  require_asking_session();
  LockRelationOid(relation, AccessShareLock);
  const uint64 epoch = catalog_epoch();
  ProtectedTable* table = find_opened(relation, GetUserId(), epoch);
  if (table != NULL) {  // the snapshot may be another one, and an older one
    require_in_snapshot(relation);
    table->samples_units =
        table->link != NULL || needs_sampling(relation, table->unit, table->rows_of_unit);
    return table;
  }
  watch_relation(relation);
  bool confined;
  table = look_up_protected(relation, named, &confined);
  // What is attached to a child further down is announced to that child only. What is kept is so
  // wherever it is named.
  if (!has_subclass(relation) && !confined) keep_opened(table, GetUserId(), epoch);
  return table;
}

[[noreturn]] void refuse_linked(const ProtectedTable* table) {
  const UnitLink* link = table->link;
  refuse(
      ErrorCode::query_not_allowed,
      psprintf("the rows of %s belong to people through %s", table->name,
               qualified_name(link->target)),
      psprintf("They name them by %s, and this release reads tables that have a column for the "
               "privacy unit.",
               column_list(table->relation, link->column, link->columns)),
      "Aggregate them in a sub-select that joins or groups them by people, in dpmix.query, plain "
      "SQL or the source of a release.");
}

}  // namespace

void require_asking_session() {
  // Reached only through a function that calls itself PARALLEL SAFE: charges and noise are the
  // leader's.
  PreventCommandIfParallelMode("a private release");
  // Every scan would leave predicate locks in pg_locks, and some come only where a row was met, as
  // on the inner side of a join; a writer then makes the release fail after its charge, or not.
  if (!IsolationIsSerializable()) return;
  refuse(ErrorCode::query_not_allowed,
         "a protected table cannot be asked in a SERIALIZABLE transaction",
         "Its predicate locks, which everybody sees, would tell which rows were met.",
         "Use READ COMMITTED, or REPEATABLE READ.");
}

ProtectedTable* open_protected_units(Oid relation, Named named) {
  ProtectedTable* table = open_any(relation, named);
  if (table->link != NULL) refuse_linked(table);
  return table;
}

ProtectedTable* open_linked(Oid relation, Named named) {
  ProtectedTable* table = open_any(relation, named);
  const ProtectedTable* at = table;
  while (at->link != NULL) {
    CHECK_FOR_INTERRUPTS();
    const ProtectedTable* target = open_any(at->link->target, named);
    if (target->account != table->account) elog(ERROR, "a link leads out of its population");
    require_link(at);
    at = target;
  }
  return table;
}

bool is_linked(Oid relation) {
  const ProtectedTable* known = find_opened(relation, GetUserId(), catalog_epoch());
  if (known != NULL) return known->link != NULL;
  bool found = false;
  as_catalog_owner([&] { found = read_rows(links, {relation}) > 0; });
  return found;
}

ProtectedTable* open_protected(Oid relation) {
  ProtectedTable* table = open_protected_units(relation);
  refuse_several_rows(table);
  return table;
}

void refuse_several_rows(const ProtectedTable* table) {
  if (!table->samples_units) return;
  if (table->made != NULL) {
    refuse(
        ErrorCode::query_not_allowed, "a privacy unit may have several rows in the source",
        psprintf("It has up to %d there; mixtures, copulas and cda are private for one row of "
                 "each unit.",
                 table->rows_of_unit),
        "Make one row a person: GROUP BY the column of the privacy unit alone, or a table of one "
        "row a person with what is known of its other columns; or use dpmix.release_tree or "
        "dpmix.release_regression.");
  }
  const char* unit = get_attname(table->relation, table->unit, false);
  refuse(
      ErrorCode::query_not_allowed,
      psprintf("a privacy unit of %s may have several rows", table->name),
      psprintf(
          "Its privacy unit is column \"%s\", with up to %d rows used of each; mixtures, cubes, "
          "cda, comparisons and models of blocks are private for one row of each unit.",
          unit, table->rows_of_unit),
      is_distributed(table->relation)
          ? "Use dpmix.query, dpmix.release_tree or dpmix.release_regression. Where a unit has one "
            "row, protect the table with max_rows_per_unit => 1: one of each is picked on its "
            "shard."
          : "Use dpmix.query, dpmix.release_tree or dpmix.release_regression, or protect a table "
            "with one row per unit: "
            "max_rows_per_unit => 1 and a NOT NULL column with a unique index.");
}

void require_planned_rows(const ProtectedTable* table) {
  const bool counted = table->unit != InvalidAttrNumber && !table->samples_units;
  if (counted && table->made == NULL) require_parts_in_snapshot(table->relation);
}

}  // namespace dpmix::pg
