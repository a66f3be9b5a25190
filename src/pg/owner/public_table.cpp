// declare_public, undeclare_public, and what keeps the declarations true.
#include "pg/owner/public_table.hpp"

#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/exposures.hpp"
#include "pg/catalog/protectable.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/catalog/tree_locks.hpp"
#include "pg/owner/command_tree.hpp"
#include "pg/owner/owned.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(dpmix_declare_public);
PG_FUNCTION_INFO_V1(dpmix_undeclare_public);
}

namespace dpmix::pg {
namespace {

// Identifier and name together: in a restored database the identifiers are those of other tables.
Statement find_declaration = {
    "SELECT FROM dpmix.public_table "
    "WHERE relation = $1 AND schema_name = $2 AND table_name = $3"};

Statement upsert_declaration = {
    "INSERT INTO dpmix.public_table (relation, schema_name, table_name, role) "
    "VALUES ($1, $2, $3, $4) ON CONFLICT (schema_name, table_name) "
    "DO UPDATE SET relation = excluded.relation, role = excluded.role, at = excluded.at"};

Statement delete_declaration = {
    "DELETE FROM dpmix.public_table "
    "WHERE relation = $1 AND schema_name = $2 AND table_name = $3"};

// A public table and a budgeted one in the same tree of inheritance or partitions. Charges stay
// about the rows of a table that is protected no more.
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
    "JOIN dpmix_internal.budgeted_table q ON q.relation = t.relation LIMIT 1"};

Statement drop_homonyms_of_schema = {
    "DELETE FROM dpmix.public_table q USING dpmix.public_table p "
    "WHERE p.schema_name = $1 AND q.schema_name = $2 AND q.table_name = p.table_name"};

Statement rename_schema = {"UPDATE dpmix.public_table SET schema_name = $2 WHERE schema_name = $1"};

Statement drop_homonyms_of_table = {
    "DELETE FROM dpmix.public_table q USING " DPMIX_COMMAND_TABLE
    "WHERE d.classid = 'pg_class'::regclass AND q.relation <> c.oid "
    "AND q.schema_name = n.nspname AND q.table_name = c.relname"};

Statement rename_table = {
    "UPDATE dpmix.public_table p SET schema_name = n.nspname, table_name = c.relname "
    "FROM " DPMIX_COMMAND_TABLE
    "WHERE d.classid = 'pg_class'::regclass AND p.relation = c.oid AND p.table_name = $1"};

Statement forget_dropped = {
    "DELETE FROM dpmix.public_table p USING pg_event_trigger_dropped_objects() o "
    "WHERE o.classid = 'pg_class'::regclass AND o.objsubid = 0 AND p.relation = o.objid "
    "AND p.schema_name = o.schema_name AND p.table_name = o.object_name"};

Statement adopt_declarations = {
    "UPDATE dpmix.public_table SET "
    "  relation = coalesce(to_regclass(format('%I.%I', schema_name, table_name))::oid, 0)"};

struct Names {
  Oid relation;
  const char *schema, *table;
};

Names names_of(Oid relation) {
  return {relation, get_namespace_name(get_rel_namespace(relation)), get_rel_name(relation)};
}

void refuse_protected() {
  const char* other;
  const char* name = public_and_protected(&other);
  if (name == NULL) return;
  refuse_argument(psprintf("%s shares rows with %s, which is protected or charged", name, other),
                  "Rows with a privacy budget are not public, nor are rows that charges are about.",
                  "Declare a table without them public.");
}

bool has_row_security(Oid relation) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for relation %u", relation);
  const bool secured = ((Form_pg_class)GETSTRUCT(tuple))->relrowsecurity;
  ReleaseSysCache(tuple);
  return secured;
}

void refuse_kind(Oid relation, const char* kind) {
  refuse_argument(psprintf("%s cannot be declared public", qualified_name(relation)),
                  psprintf("It %s.", kind),
                  "Declare an ordinary or partitioned table public, of which every reader sees all "
                  "rows; copy what is public into one.");
}

void require_kind(Oid relation) {
  const char* kind = unprotectable_kind(relation);
  if (kind != NULL) refuse_kind(relation, kind);
}

// First what was left behind while nobody followed: its tables are gone.
void rename_rows(Statement& homonyms, Statement& statement, const char* from, const char* to) {
  (void)write_rows(homonyms, {name_value(from), name_value(to)});
  (void)write_rows(statement, {name_value(from), name_value(to)});
}

}  // namespace

bool is_declared_public(Oid relation) {
  const Names names = names_of(relation);
  bool found = false;
  as_catalog_owner([&] {
    found = read_rows(find_declaration,
                      {names.relation, name_value(names.schema), name_value(names.table)}) > 0;
  });
  if (!found) return false;
  require_kind(relation);  // it may have got a foreign child since
  if (!has_row_security(relation)) return true;
  refuse(
      ErrorCode::query_not_allowed,
      psprintf("public table %s has row-level security", qualified_name(relation)),
      "A private query reads a public table as its owner, who may see other rows.",
      psprintf(
          "Its owner writes ALTER TABLE %s DISABLE ROW LEVEL SECURITY, or declares a copy public.",
          qualified_name(relation)));
}

const char* public_and_protected(const char** other) {
  if (read_rows(shared_rows) == 0) return NULL;
  const ResultRow row;
  *other = row.text(2);
  return row.text(1);
}

void rename_public_schema(const char* from, const char* to) {
  rename_rows(drop_homonyms_of_schema, rename_schema, from, to);
}

void rename_public_table(const char* from) {
  rename_rows(drop_homonyms_of_table, rename_table, from, from);
}

void forget_public_tables() {
  (void)write_rows(forget_dropped);
}

void adopt_public_tables() {
  (void)write_rows(adopt_declarations);
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_declare_public(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 1);
  const Oid relation = PG_GETARG_OID(0);
  lock_owned(relation, ShareUpdateExclusiveLock);
  require_kind(relation);
  if (has_row_security(relation)) refuse_kind(relation, "has row-level security");
  const Names names = names_of(relation);
  const char* role = GetUserNameFromId(GetUserId(), false);
  as_catalog_owner([&] {
    lock_tree_of(relation);
    (void)write_rows(upsert_declaration, {names.relation, name_value(names.schema),
                                          name_value(names.table), name_value(role)});
    refuse_protected();
  });
  warn_of_exposures(exposures_of(InvalidOid, relation));
  PG_RETURN_VOID();
}

Datum dpmix_undeclare_public(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 1);
  lock_owned(PG_GETARG_OID(0), ShareUpdateExclusiveLock);
  const Names names = names_of(PG_GETARG_OID(0));
  bool found = false;
  as_catalog_owner([&] {
    found = write_rows(delete_declaration,
                       {names.relation, name_value(names.schema), name_value(names.table)}) > 0;
  });
  if (!found) {
    refuse(dpmix::ErrorCode::not_protected,
           psprintf("table %s is not declared public", qualified_name(names.relation)),
           "The view dpmix.public_tables lists those that are.", "Nothing is to be taken back.");
  }
  PG_RETURN_VOID();
}
