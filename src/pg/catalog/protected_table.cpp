#include "pg/catalog/protected_table.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

#include "pg/catalog/epoch.hpp"
#include "pg/catalog/table_row.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/border/guard.hpp"
#include "pg/catalog/opened_tables.hpp"
#include "pg/border/settings.hpp"
#include "pg/border/statement.hpp"

namespace dpmix::pg {
namespace {

Statement rows_by_oid_or_name = {
    "SELECT p.id, p.relation, p.active, p.adjacency, p.accountant, p.renyi_order, p.privacy_unit, "
    "       p.max_rows_per_unit, p.label, b.epsilon, b.delta, "
    "       p.schema_name = $2 AND p.table_name = $3 "
    "FROM dpmix.protected_table p "
    "JOIN LATERAL (SELECT c.epsilon, c.delta FROM dpmix.budget_change c WHERE c.table_id = p.id "
    "              ORDER BY c.id DESC LIMIT 1) b ON true "
    "WHERE p.relation = $1 OR (p.schema_name = $2 AND p.table_name = $3)",
    3,
    {OIDOID, NAMEOID, NAMEOID},
    NULL};

// Grants of roles that still are who they were: a role made anew under an old name has no access.
Statement grants = {
    "SELECT r.oid FROM dpmix.access a JOIN pg_roles r ON r.oid = a.role_oid AND r.rolname = a.role "
    "WHERE a.table_id = $1 ORDER BY a.epsilon DESC NULLS FIRST, a.role",
    1,
    {INT8OID},
    NULL};

Statement domain = {
    "SELECT lower, upper, categories FROM dpmix.column_domain "
    "WHERE table_id = $1 AND attnum = $2 AND column_name = $3",
    3,
    {INT8OID, INT2OID, NAMEOID},
    NULL};

[[noreturn]] void refuse_stranger(const char* name, bool owner) {
  if (owner) {
    ereport(ERROR,
            (errcode(DPMIX_SQLSTATE(not_protected)), errmsg("table %s is not protected", name),
             errdetail("Only protected tables have a privacy budget to spend."),
             errhint("Protect it with dpmix.protect().")));
  }
  ereport(ERROR, (errcode(DPMIX_SQLSTATE(not_protected)),
                  errmsg("table %s is not protected, or you have no access to it", name),
                  errdetail("Access is given table by table, and follows role membership."),
                  errhint("Its owner gives access with dpmix.grant_access().")));
}

struct Opening {  // what open_protected looks for
  Oid relation;
  Oid user;
  Oid owner;
  MemoryContext context;
  CatalogRow* row;
  bool access;
  Oid granted_to;
};

void find_access(Opening* opening) {
  if (has_privs_of_role(opening->user, opening->owner)) {
    opening->access = true;
    return;
  }
  Datum id = Int64GetDatum(opening->row->id);
  uint64 count = read_rows(grants, &id);
  for (uint64 i = 0; i < count; i++) {
    bool null;
    Oid role = DatumGetObjectId(result_datum(i, 1, &null));
    // The user's own grant is the one the owner meant; else the widest of its roles.
    bool own = role == opening->user;
    if (own || (!opening->access && has_privs_of_role(opening->user, role))) {
      opening->access = true;
      opening->granted_to = role;
      if (own) return;
    }
  }
}

void find_opening(void* arg) {
  Opening* opening = (Opening*)arg;
  opening->row = find_catalog_row(opening->relation);
  if (opening->row != NULL && opening->row->active) find_access(opening);
}

struct DomainLookup {
  const ProtectedTable* table;
  AttrNumber column;
  MemoryContext context;
  ColumnDomain found;
};

void find_domain(void* arg) {
  DomainLookup* lookup = (DomainLookup*)arg;
  char* name = get_attname(lookup->table->relation, lookup->column, true);
  if (name == NULL) return;
  NameData column;
  namestrcpy(&column, name);
  Datum values[] = {Int64GetDatum(lookup->table->id), Int16GetDatum(lookup->column),
                    NameGetDatum(&column)};
  if (read_rows(domain, values) == 0) return;

  bool null;
  ColumnDomain* found = &lookup->found;
  Datum lower = result_datum(0, 1, &null);
  found->has_bounds = !null;
  if (found->has_bounds) {
    found->lower = DatumGetFloat8(lower);
    found->upper = DatumGetFloat8(result_datum(0, 2, &null));
  }
  Datum categories = result_datum(0, 3, &null);
  if (null) return;
  MemoryContext old = MemoryContextSwitchTo(lookup->context);
  Datum* elements;
  deconstruct_array(DatumGetArrayTypeP(categories), TEXTOID, -1, false, TYPALIGN_INT, &elements,
                    NULL, &found->categories);
  found->category = (char**)palloc(sizeof(char*) * Max(found->categories, 1));
  for (int i = 0; i < found->categories; i++) found->category[i] = TextDatumGetCString(elements[i]);
  MemoryContextSwitchTo(old);
}

[[noreturn]] void domain_missing(const ProtectedTable* table, AttrNumber column, const char* what,
                                 const char* call) {
  const char* name = get_attname(table->relation, column, false);
  ereport(ERROR,
          (errcode(DPMIX_SQLSTATE(domain_missing)),
           errmsg("%s of column \"%s\" are not declared", what, name),
           errdetail("dpmix never derives them from the rows of %s.", table->name),
           errhint("The owner states them: SELECT dpmix.%s;",
                   psprintf(call, quote_literal_cstr(table->name), quote_literal_cstr(name)))));
}

}  // namespace

Oid relation_owner(Oid relation) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
  if (!HeapTupleIsValid(tuple)) return InvalidOid;
  const Oid owner = ((Form_pg_class)GETSTRUCT(tuple))->relowner;
  ReleaseSysCache(tuple);
  return owner;
}

Oid catalog_table(const char* name) {
  const Oid schema = get_namespace_oid("dpmix", true);
  return OidIsValid(schema) ? get_relname_relid(name, schema) : InvalidOid;
}

Oid catalog_owner() {
  const Oid owner = relation_owner(catalog_table("protected_table"));
  if (!OidIsValid(owner)) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(ledger_unavailable)),
                    errmsg("the privacy catalog is missing in this database"),
                    errdetail("There is no table dpmix.protected_table."),
                    errhint("Run CREATE EXTENSION dpmix.")));
  }
  return owner;
}

void as_catalog_owner(void (*body)(void* arg), void* arg) {
  Oid user;
  int security;
  GetUserIdAndSecContext(&user, &security);
  Oid owner = catalog_owner();
  int level = NewGUCNestLevel();
  set_for_now({"search_path", "pg_catalog, pg_temp"});
  SetUserIdAndSecContext(owner,
                         security | SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
  if (SPI_connect() != SPI_OK_CONNECT) elog(ERROR, "could not connect to SPI");
  body(arg);
  SPI_finish();
  AtEOXact_GUC(false, level);
  SetUserIdAndSecContext(user, security);
}

const char* qualified_name(Oid relation) {
  char* name = get_rel_name(relation);
  if (name == NULL) return psprintf("%u", relation);
  return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)), name);
}

CatalogRow* find_catalog_row(Oid relation) {
  NameData schema, table;
  namestrcpy(&schema, get_namespace_name(get_rel_namespace(relation)));
  namestrcpy(&table, get_rel_name(relation));
  Datum values[] = {ObjectIdGetDatum(relation), NameGetDatum(&schema), NameGetDatum(&table)};
  uint64 count = read_rows(rows_by_oid_or_name, values);
  CatalogRow* found = NULL;
  for (uint64 i = 0; i < count; i++) {
    bool null;
    Oid recorded = DatumGetObjectId(result_datum(i, 2, &null));
    bool same_name = DatumGetBool(result_datum(i, 12, &null));
    if (!same_name || (OidIsValid(recorded) && recorded != relation)) {
      ereport(ERROR,
              (errcode(DPMIX_SQLSTATE(ledger_unavailable)),
               errmsg("the privacy catalog does not recognise table %s", qualified_name(relation)),
               errdetail("Its name and its object identifier belong to different records, "
                         "as after a restore or a copy of the database."),
               errhint("The database owner continues the ledger with "
                       "dpmix.adopt_ledger(reason).")));
    }
    found = (CatalogRow*)SPI_palloc(sizeof(CatalogRow));
    found->id = DatumGetInt64(result_datum(i, 1, &null));
    found->relation = recorded;
    found->active = DatumGetBool(result_datum(i, 3, &null));
    found->adjacency = result_text(i, 4);
    found->accountant = result_text(i, 5);
    Datum order = result_datum(i, 6, &null);
    found->order = null ? 0 : DatumGetFloat8(order);
    found->privacy_unit = result_text(i, 7);
    found->max_rows_per_unit = DatumGetInt32(result_datum(i, 8, &null));
    found->label = result_text(i, 9);
    found->epsilon = result_text(i, 10);
    found->delta = result_text(i, 11);
  }
  return found;
}

CatalogRow* look_up_catalog_row(Oid relation) {
  struct {
    Oid relation;
    CatalogRow* row;
  } lookup = {relation, NULL};
  using Lookup = decltype(lookup);
  as_catalog_owner(
      [](void* arg) { ((Lookup*)arg)->row = find_catalog_row(((Lookup*)arg)->relation); }, &lookup);
  return lookup.row;
}

namespace {

// All of it, looked up now.
ProtectedTable* look_up_protected(Oid relation, bool* has_children) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
  if (!HeapTupleIsValid(tuple)) refuse_stranger(qualified_name(relation), false);
  Opening opening = {};
  opening.relation = relation;
  opening.user = GetUserId();
  opening.owner = ((Form_pg_class)GETSTRUCT(tuple))->relowner;
  *has_children = ((Form_pg_class)GETSTRUCT(tuple))->relhassubclass;
  ReleaseSysCache(tuple);

  as_catalog_owner(find_opening, &opening);
  const char* name = qualified_name(relation);
  const CatalogRow* row = opening.row;
  if (!opening.access) refuse_stranger(name, has_privs_of_role(opening.user, opening.owner));
  require_protectable(relation);
  const bool samples_units =
      require_privacy_unit(relation, row->privacy_unit, row->max_rows_per_unit);
  require_owner_sees_all(relation);

  ProtectedTable* table = (ProtectedTable*)palloc0(sizeof(ProtectedTable));
  table->id = row->id;
  table->relation = relation;
  table->user = opening.user;
  table->owner = opening.owner;
  table->name = name;
  table->adjacency = *adjacency_of(row->adjacency);
  table->accountant = accountant_of(row->accountant).value_or(Accountant::basic);
  table->order = row->order;
  table->epsilon = row->epsilon;
  table->delta = row->delta;
  table->granted_to = opening.granted_to;
  if (row->privacy_unit != NULL) table->unit = get_attnum(relation, row->privacy_unit);
  table->rows_of_unit = row->max_rows_per_unit;
  table->samples_units = samples_units;
  if (row->label != NULL) {
    table->label = get_attnum(relation, row->label);
    if (table->label == InvalidAttrNumber) {
      ereport(ERROR, (errcode(DPMIX_SQLSTATE(invalid_parameter)),
                      errmsg("label column \"%s\" of %s is gone", row->label, name),
                      errdetail("Neighbours of this table differ in that column alone."),
                      errhint("Add the column again, or protect another table.")));
    }
  }
  return table;
}

}  // namespace

ProtectedTable* open_protected_units(Oid relation) {
  // Reached only through a function that calls itself PARALLEL SAFE: charges and noise are the
  // leader's.
  PreventCommandIfParallelMode("a private release");
  LockRelationOid(relation, AccessShareLock);
  const uint64 epoch = catalog_epoch();
  ProtectedTable* table = find_opened(relation, GetUserId(), epoch);
  if (table != NULL) {  // the snapshot may be another one, and an older one
    table->samples_units = needs_sampling(relation, table->unit, table->rows_of_unit);
    return table;
  }
  watch_relation(relation);
  bool has_children;
  table = look_up_protected(relation, &has_children);
  // What is attached to a child further down is announced to that child only.
  if (!has_children) keep_opened(table, GetUserId(), epoch);
  return table;
}

ProtectedTable* open_protected(Oid relation) {
  ProtectedTable* table = open_protected_units(relation);
  if (!table->samples_units) return table;
  const char* unit = get_attname(relation, table->unit, false);
  ereport(
      ERROR,
      (errcode(DPMIX_SQLSTATE(query_not_allowed)),
       errmsg("a privacy unit of %s may have several rows", table->name),
       errdetail("Its privacy unit is column \"%s\", with up to %d rows used of each; models, "
                 "synthetic tables and comparisons are private for one row of each unit.",
                 unit, table->rows_of_unit),
       is_distributed(relation)
           ? errhint("Use dpmix.query. Of a distributed table no index says that a unit has one "
                     "row: where that is so, protect it without a privacy_unit.")
           : errhint("Use dpmix.query, or protect a table with one row per unit: "
                     "max_rows_per_unit => 1 and a NOT NULL column with a unique index.")));
}

ColumnDomain column_domain(const ProtectedTable* table, AttrNumber column) {
  DomainLookup lookup = {};
  lookup.table = table;
  lookup.column = column;
  lookup.context = CurrentMemoryContext;
  as_catalog_owner(find_domain, &lookup);
  return lookup.found;
}

ColumnDomain require_bounds(const ProtectedTable* table, AttrNumber column) {
  ColumnDomain found = column_domain(table, column);
  if (!found.has_bounds)
    domain_missing(table, column, "bounds", "set_bounds(%s, %s, lower, upper)");
  return found;
}

ColumnDomain require_categories(const ProtectedTable* table, AttrNumber column) {
  ColumnDomain found = column_domain(table, column);
  if (found.categories == 0) {
    domain_missing(table, column, "categories", "set_categories(%s, %s, '{...}')");
  }
  return found;
}

}  // namespace dpmix::pg
