// declare_public, undeclare_public, and what keeps the declarations true.
#include "pg/owner/public_table.hpp"

#include "pg/catalog/protected_table.hpp"
#include "pg/border/guard.hpp"
#include "pg/owner/owned.hpp"
#include "pg/border/statement.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(dpmix_declare_public);
PG_FUNCTION_INFO_V1(dpmix_undeclare_public);
}

namespace dpmix::pg {
namespace {

// Identifier and name together: in a restored database the identifiers are those of other tables.
Statement find = {
    "SELECT FROM dpmix.public_table "
    "WHERE relation = $1 AND schema_name = $2 AND table_name = $3",
    3,
    {OIDOID, NAMEOID, NAMEOID},
    NULL};

Statement insert = {
    "INSERT INTO dpmix.public_table (relation, schema_name, table_name, role) "
    "VALUES ($1, $2, $3, $4) ON CONFLICT (schema_name, table_name) "
    "DO UPDATE SET relation = excluded.relation, role = excluded.role, at = excluded.at",
    4,
    {OIDOID, NAMEOID, NAMEOID, NAMEOID},
    NULL};

Statement remove = {
    "DELETE FROM dpmix.public_table "
    "WHERE relation = $1 AND schema_name = $2 AND table_name = $3",
    3,
    {OIDOID, NAMEOID, NAMEOID},
    NULL};

// Of one tree of inheritance or partitions; charges stay about the rows of a table that is
// protected no more.
Statement shared_rows = {
    "WITH RECURSIVE declared AS ("
    "  SELECT p.relation FROM dpmix.public_table p "
    "  JOIN pg_class c ON c.oid = p.relation AND c.relname = p.table_name "
    "  JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = p.schema_name), "
    "up(declared, relation) AS ("
    "  SELECT relation, relation FROM declared UNION "
    "  SELECT up.declared, i.inhparent FROM up JOIN pg_inherits i ON i.inhrelid = up.relation), "
    "down(declared, relation) AS ("
    "  SELECT relation, relation FROM declared UNION "
    "  SELECT down.declared, i.inhrelid FROM down "
    "  JOIN pg_inherits i ON i.inhparent = down.relation) "
    "SELECT t.declared::regclass::text, q.relation::regclass::text "
    "FROM (SELECT * FROM up UNION SELECT * FROM down) t "
    "JOIN dpmix.protected_table q ON q.relation = t.relation "
    "JOIN pg_class c ON c.oid = q.relation AND c.relname = q.table_name "
    "JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = q.schema_name "
    "WHERE q.active OR EXISTS (SELECT FROM dpmix.charge g WHERE g.table_id = q.id) LIMIT 1",
    0,
    {},
    NULL};

Statement drop_homonyms_of_schema = {
    "DELETE FROM dpmix.public_table q USING dpmix.public_table p "
    "WHERE p.schema_name = $1 AND q.schema_name = $2 AND q.table_name = p.table_name",
    2,
    {NAMEOID, NAMEOID},
    NULL};

Statement rename_schema = {"UPDATE dpmix.public_table SET schema_name = $2 WHERE schema_name = $1",
                           2,
                           {NAMEOID, NAMEOID},
                           NULL};

#define DPMIX_COMMAND_TABLE                                               \
  "pg_event_trigger_ddl_commands() d JOIN pg_class c ON c.oid = d.objid " \
  "JOIN pg_namespace n ON n.oid = c.relnamespace "

Statement drop_homonyms_of_table = {
    "DELETE FROM dpmix.public_table q USING " DPMIX_COMMAND_TABLE
    "WHERE d.classid = 'pg_class'::regclass AND q.relation <> c.oid "
    "AND q.schema_name = n.nspname AND q.table_name = c.relname",
    0,
    {},
    NULL};

Statement rename_table = {
    "UPDATE dpmix.public_table p SET schema_name = n.nspname, table_name = c.relname "
    "FROM " DPMIX_COMMAND_TABLE
    "WHERE d.classid = 'pg_class'::regclass AND p.relation = c.oid AND p.table_name = $1",
    1,
    {NAMEOID},
    NULL};

Statement forget = {
    "DELETE FROM dpmix.public_table p USING pg_event_trigger_dropped_objects() o "
    "WHERE o.classid = 'pg_class'::regclass AND o.objsubid = 0 AND p.relation = o.objid "
    "AND p.schema_name = o.schema_name AND p.table_name = o.object_name",
    0,
    {},
    NULL};

Statement adopt = {
    "UPDATE dpmix.public_table SET "
    "  relation = coalesce(to_regclass(format('%I.%I', schema_name, table_name))::oid, 0)",
    0,
    {},
    NULL};

// Not in a database whose SQL objects are of 0.5.0 or before.
bool has_declarations() {
  return OidIsValid(catalog_table("public_table"));
}

struct Declaration {
  Oid relation;
  NameData schema, table, role;
  bool found;
};

Declaration declaration_of(Oid relation) {
  Declaration declaration = {};
  declaration.relation = relation;
  namestrcpy(&declaration.schema, get_namespace_name(get_rel_namespace(relation)));
  namestrcpy(&declaration.table, get_rel_name(relation));
  return declaration;
}

void look_up(void* arg) {
  Declaration* declaration = (Declaration*)arg;
  if (!has_declarations()) return;
  Datum values[] = {ObjectIdGetDatum(declaration->relation), NameGetDatum(&declaration->schema),
                    NameGetDatum(&declaration->table)};
  declaration->found = read_rows(find, values) > 0;
}

void declare(void* arg) {
  Declaration* declaration = (Declaration*)arg;
  lock_trees(AccessExclusiveLock);
  Datum values[] = {ObjectIdGetDatum(declaration->relation), NameGetDatum(&declaration->schema),
                    NameGetDatum(&declaration->table), NameGetDatum(&declaration->role)};
  write_rows(insert, values);
  const char* other;
  const char* name = public_and_protected(&other);
  if (name == NULL) return;
  ereport(ERROR,
          (errcode(DPMIX_SQLSTATE(invalid_parameter)),
           errmsg("%s shares rows with %s, which is protected or charged", name, other),
           errdetail("Rows with a privacy budget are not public, nor are rows that charges are "
                     "about."),
           errhint("Declare a table without them public.")));
}

void undeclare(void* arg) {
  Declaration* declaration = (Declaration*)arg;
  Datum values[] = {ObjectIdGetDatum(declaration->relation), NameGetDatum(&declaration->schema),
                    NameGetDatum(&declaration->table)};
  declaration->found = write_rows(remove, values) > 0;
}

bool has_row_security(Oid relation) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for relation %u", relation);
  const bool secured = ((Form_pg_class)GETSTRUCT(tuple))->relrowsecurity;
  ReleaseSysCache(tuple);
  return secured;
}

void refuse_kind(Oid relation, const char* kind) {
  ereport(
      ERROR,
      (errcode(DPMIX_SQLSTATE(invalid_parameter)),
       errmsg("%s cannot be declared public", qualified_name(relation)), errdetail("It %s.", kind),
       errhint("Declare an ordinary or partitioned table public, of which every reader sees "
               "all rows; copy what is public into one.")));
}

void require_kind(Oid relation) {
  const char* kind = unprotectable_kind(relation);
  if (kind != NULL) refuse_kind(relation, kind);
}

void rename(Statement& homonyms, Statement& statement, const char* from, const char* to) {
  if (!has_declarations()) return;
  NameData old_name, new_name;
  namestrcpy(&old_name, from);
  namestrcpy(&new_name, to);
  Datum values[] = {NameGetDatum(&old_name), NameGetDatum(&new_name)};
  write_rows(homonyms, values);  // left behind while nobody followed: their tables are gone
  write_rows(statement, values);
}

}  // namespace

bool is_declared_public(Oid relation) {
  Declaration declaration = declaration_of(relation);
  as_catalog_owner(look_up, &declaration);
  if (!declaration.found) return false;
  require_kind(relation);  // it may have got a foreign child since
  if (!has_row_security(relation)) return true;
  ereport(ERROR,
          (errcode(DPMIX_SQLSTATE(query_not_allowed)),
           errmsg("public table %s has row-level security", qualified_name(relation)),
           errdetail("A private query reads a public table as its owner, who may see other rows."),
           errhint("Its owner writes ALTER TABLE %s DISABLE ROW LEVEL SECURITY, or declares a "
                   "copy public.",
                   qualified_name(relation))));
}

const char* public_and_protected(const char** other) {
  if (!has_declarations() || read_rows(shared_rows, NULL) == 0) return NULL;
  *other = result_text(0, 2);
  return result_text(0, 1);
}

void rename_public_schema(const char* from, const char* to) {
  rename(drop_homonyms_of_schema, rename_schema, from, to);
}

void rename_public_table(const char* from) {
  rename(drop_homonyms_of_table, rename_table, from, from);
}

void forget_public_tables() {
  if (has_declarations()) write_rows(forget, NULL);
}

void adopt_public_tables() {
  if (has_declarations()) write_rows(adopt, NULL);
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_declare_public(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 1);
  const Oid relation = PG_GETARG_OID(0);
  lock_owned(relation, ShareUpdateExclusiveLock);
  require_kind(relation);
  if (has_row_security(relation)) refuse_kind(relation, "has row-level security");
  Declaration declaration = declaration_of(relation);
  namestrcpy(&declaration.role, GetUserNameFromId(GetUserId(), false));
  as_catalog_owner(declare, &declaration);
  PG_RETURN_VOID();
}

Datum dpmix_undeclare_public(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 1);
  lock_owned(PG_GETARG_OID(0), ShareUpdateExclusiveLock);
  Declaration declaration = declaration_of(PG_GETARG_OID(0));
  as_catalog_owner(undeclare, &declaration);
  if (!declaration.found) {
    ereport(ERROR, (errcode(DPMIX_SQLSTATE(not_protected)),
                    errmsg("table %s is not declared public", qualified_name(declaration.relation)),
                    errdetail("The view dpmix.public_tables lists those that are."),
                    errhint("Nothing is to be taken back.")));
  }
  PG_RETURN_VOID();
}
