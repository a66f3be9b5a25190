// records, move_record, replace_table, unprotect_name, hand_over, join_records: what an owner, or a
// superuser, does with records of names whose tables have gone elsewhere.
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/locks.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/catalog/role_number.hpp"
#include "pg/catalog/table_row.hpp"
#include "pg/owner/arrivals.hpp"
#include "pg/owner/blocks.hpp"
#include "pg/owner/names.hpp"
#include "pg/owner/nesting.hpp"
#include "pg/owner/owned.hpp"
#include "pg/process/release.hpp"

extern "C" {
#include "catalog/namespace.h"
#include "commands/defrem.h"
#include "executor/spi.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/varlena.h"

PG_FUNCTION_INFO_V1(dpmix_records);
PG_FUNCTION_INFO_V1(dpmix_move_record);
PG_FUNCTION_INFO_V1(dpmix_replace_table);
PG_FUNCTION_INFO_V1(dpmix_unprotect_name);
PG_FUNCTION_INFO_V1(dpmix_hand_over);
PG_FUNCTION_INFO_V1(dpmix_join_records);
}

namespace dpmix::pg {
namespace {

#define DPMIX_OF_TABLE(column)                                      \
  "(SELECT c." column                                               \
  " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace " \
  " WHERE c.oid = p.relation AND (n.nspname, c.relname) = (p.schema_name, p.table_name))"
// SQL: the owner of the table that has the record, whoever it was given to; otherwise the record's.
#define DPMIX_OWNER "coalesce(" DPMIX_OF_TABLE("relowner") ", r.oid)"

Statement find = {
    "SELECT p.id, p.relation, " DPMIX_OWNER
    ", coalesce(p.account, p.id), q.name IS NOT NULL, "
    "  format('%I.%I', p.schema_name, p.table_name), "
    "  concat_ws(', ', p.accountant, p.renyi_order, p.adjacency, "
    "            coalesce('unit ' || quote_ident(p.privacy_unit), "
    "              'unit through ' || p.unit_through || p.link::text || p.target_key::text, "
    "              'a row'), quote_ident(p.label)), "
    "  p.schema_name::text, p.table_name::text "
    "FROM dpmix.protected_table p LEFT JOIN dpmix_internal.bound_role r ON r.number = p.owner "
    "LEFT JOIN dpmix.population q ON q.id = p.account "
    "WHERE p.schema_name = $1 AND p.table_name = $2"};

Statement list = {
    "SELECT format('%I.%I', p.schema_name, p.table_name), "
    "  coalesce((SELECT rolname FROM pg_roles WHERE oid = w.owner), o.name), "
    "  " DPMIX_OF_TABLE("oid") ", p.active, "
    "  (SELECT coalesce(sum(t.charges), 0)::bigint FROM dpmix_internal.charge_total t "
    "   WHERE t.table_id = p.id), "
    "  ARRAY(SELECT c.oid FROM dpmix.departed_table t JOIN pg_class c ON c.oid = t.relation "
    "        AND c.relname = t.table_name WHERE t.table_id = p.id ORDER BY 1) "
    "FROM dpmix.protected_table p JOIN dpmix_internal.named_role o ON o.number = p.owner "
    "LEFT JOIN dpmix_internal.bound_role r ON r.number = p.owner "
    "CROSS JOIN LATERAL (SELECT " DPMIX_OWNER
    " AS owner) w "
    "WHERE $1 OR pg_has_role($2, w.owner, 'USAGE') ORDER BY 1"};

Statement set_owner = {
    "UPDATE dpmix.protected_table SET owner = $2, waiting = waiting AND $3 WHERE id = $1"};

Statement end_waiting = {
    "UPDATE dpmix.protected_table SET waiting = false WHERE id = $1 AND waiting"};

Statement has_departed = {
    "SELECT FROM dpmix.departed_table t JOIN pg_class c ON c.oid = t.relation "
    "AND c.relname = t.table_name WHERE t.table_id = $1 AND t.relation = $2"};

// The old name stays, on the same account.
Statement keep_name = {
    "INSERT INTO dpmix.protected_table (relation, schema_name, table_name, active, adjacency, "
    "  accountant, renyi_order, privacy_unit, max_rows_per_unit, label, account, owner, "
    "  unit_through, through_relation, link, link_attnums, target_key, target_attnums) "
    "SELECT 0, $2, $3, false, adjacency, accountant, renyi_order, privacy_unit, "
    "  max_rows_per_unit, label, coalesce(account, id), owner, unit_through, through_relation, "
    "  link, link_attnums, target_key, target_attnums "
    "FROM dpmix.protected_table WHERE id = $1"};

// Two records of one account change names: by way of one that no table can have.
Statement put_aside = {"UPDATE dpmix.protected_table SET table_name = '' WHERE id = $1"};

Statement set_name = {
    "UPDATE dpmix.protected_table SET schema_name = $2, table_name = $3 WHERE id = $1"};

Statement give = {
    "UPDATE dpmix.protected_table SET relation = CASE WHEN waiting THEN 0 ELSE $2 END, owner = $3 "
    "WHERE id = $1 RETURNING waiting"};

struct Name {
  const char *schema, *table;
};

struct Record {
  int64 id;
  Oid relation, owner;  // InvalidOid: vacant; nobody here
  int64 account;
  bool in_population;
  const char *name, *terms;  // printed
  Name is;
};

bool read_record(const Name& name, Record* record) {
  if (read_rows(find, {name_value(name.schema), name_value(name.table)}) == 0) return false;
  const ResultRow row;
  *record = {.id = row.int8(1),
             .relation = row.oid(2),
             .owner = row.oid(3),
             .account = row.int8(4),
             .in_population = row.truth(5),
             .name = row.text(6),
             .terms = row.text(7),
             .is = {row.text(8), row.text(9)}};
  return true;
}

// Finds a record as a table is found by its name; the table need not be there. path: the caller's.
bool look_up(const RangeVar* name, const List* path, Record* record) {
  if (name->schemaname != NULL) return read_record({name->schemaname, name->relname}, record);
  ListCell* cell;
  foreach (cell, path) {
    const char* schema = get_namespace_name(lfirst_oid(cell));
    if (schema != NULL && read_record({schema, name->relname}, record)) return true;
  }
  return false;
}

// PV006 where there is none, and where it is not the caller's.
Record open_record(FunctionCallInfo fcinfo, int argument) {
  const char* told = text_argument(fcinfo, argument);
  const RangeVar* name =
      makeRangeVarFromNameList(textToQualifiedNameList(PG_GETARG_TEXT_PP(argument)));
  const List* path = fetch_search_path(false);
  Record record = {};
  bool found = false;
  as_catalog_owner([&] { found = look_up(name, path, &record); });
  const bool own = OidIsValid(record.owner) && has_privs_of_role(GetUserId(), record.owner);
  if (!found || !(own || superuser())) {
    refuse(ErrorCode::not_protected, psprintf("you have no record under the name %s", told),
           "A record belongs to a name and its owner.", "dpmix.records() lists yours.");
  }
  return record;
}

void require_vacant(const Record& record) {
  if (!OidIsValid(record.relation)) return;
  refuse_argument(
      psprintf("a table has the record %s", record.name),
      "Only a vacant record can be moved, handed over or ended; a table that has its record "
      "gives it along: ALTER TABLE OWNER.",
      "dpmix.records() lists yours, with the tables that have them.");
}

// The record as committed, now that it is locked and nobody else can change it.
Record locked(const Record& record, int64 lock) {
  lock_protection(lock, AccessExclusiveLock, true);
  Record now = {};
  if (read_record(record.is, &now) && now.id == record.id && now.account == record.account) {
    return now;
  }
  refuse(ErrorCode::ledger_unavailable, psprintf("record %s has just changed", record.name),
         "Somebody else moved or joined it.", "Look at dpmix.records() again.");
}

void rename_record(int64 id, const Name& to) {
  (void)write_rows(set_name, {id, name_value(to.schema), name_value(to.table)});
}

void move_name(const Record& record, const Name& to) {
  Record other = {};
  if (!read_record(to, &other)) {
    rename_record(record.id, to);
    (void)write_rows(keep_name,
                     {record.id, name_value(record.is.schema), name_value(record.is.table)});
    return;
  }
  if (other.account != record.account || OidIsValid(other.relation)) {
    refuse_argument(psprintf("%s has another record", other.name),
                    "Charges under that name stay there.", "Rename the table first.");
  }
  (void)write_rows(put_aside, {other.id});
  rename_record(record.id, to);
  rename_record(other.id, record.is);
}

// Whether the record waits for the table.
bool move_record(const Record& record, Oid relation) {
  const char* table = qualified_name(relation);
  if (read_rows(has_departed, {record.id, relation}) == 0) {
    refuse_argument(psprintf("%s did not leave the name %s", table, record.name),
                    "A record moves to a table that had it, and to no other.",
                    "A table that takes a vacant name is protected with dpmix.protect().");
  }
  require_vacant(locked(record, record.id));
  move_name(record, {get_namespace_name(get_rel_namespace(relation)), get_rel_name(relation)});
  (void)write_rows(give, {record.id, relation, role_number(relation_owner(relation))});
  const bool waits = ResultRow{}.truth(1);
  settle_table(record.id, relation);
  refuse_nesting();
  return waits;
}

// Sums of both are sums of one neighbour relation, counted in one way.
void require_one_account(const Record& record, const Record& into) {
  const char* differs = NULL;
  if (record.account == into.account) {
    differs = "They are one account.";
  } else if (record.in_population) {
    differs = "The first is in a population, where it stays.";
  } else if (has_recorded_blocks(record.id) || has_recorded_blocks(into.id)) {
    differs = "A table with blocks has a budget for each of them.";
  } else if (strcmp(record.terms, into.terms) != 0) {
    differs = psprintf("The first counts by %s; the second by %s.", record.terms, into.terms);
  }
  if (differs == NULL) return;
  refuse_argument(psprintf("records %s and %s cannot be joined", record.name, into.name), differs,
                  "dpmix.records() lists all; lower the second budget with dpmix.set_budget() "
                  "where the first cannot count.");
}

void join_records(const Record& record, const Record& into) {
  require_one_account(record, into);
  (void)locked(record, record.account);
  (void)locked(into, into.account);
  move_account(record.account, into.account);
}

// The table that has the name, where its record waits for it.
void attach_if_there(const Record& record) {
  const Oid schema = get_namespace_oid(record.is.schema, true);
  const Oid table = OidIsValid(schema) ? get_relname_relid(record.is.table, schema) : InvalidOid;
  if (OidIsValid(table)) attach_table(record.id, table);
}

// Runs a statement as the caller, so that event triggers follow.
void run_for_caller(const char* statement) {
  SPI_connect();
  run_text(statement, SPI_OK_UTILITY);
  SPI_finish();
}

void give_name(const Record& record, Oid relation) {
  if (strcmp(get_namespace_name(get_rel_namespace(relation)), record.is.schema) != 0) {
    run_for_caller(psprintf("ALTER TABLE %s SET SCHEMA %s", qualified_name(relation),
                            quote_identifier(record.is.schema)));
  }
  if (strcmp(get_rel_name(relation), record.is.table) != 0) {
    run_for_caller(psprintf("ALTER TABLE %s RENAME TO %s", qualified_name(relation),
                            quote_identifier(record.is.table)));
  }
}

void require_attached(const Record& record, Oid relation) {
  const CatalogRow* row = find_catalog_row(relation);
  if (row != NULL && row->id == record.id && row->active) return;
  refuse_argument(psprintf("%s cannot have the record %s", qualified_name(relation), record.name),
                  "It waits for a table of the role that the record belongs to, that was protected "
                  "when it left the name.",
                  "Look at dpmix.records(). A record that was not protected is resumed by "
                  "dpmix.protect().");
}

void add_records(const ResultRows& out, Oid user, bool all) {
  const uint64 count = read_rows(list, {all, user});
  for (uint64 i = 0; i < count; i++) {
    const ResultRow row{i};
    int departed = 0;
    const Oid* left = row.oids(6, &departed);
    add_row(out, {row.text(1), name_value(row.text(2)),
                  Value(REGCLASSOID, ObjectIdGetDatum(row.oid(3)), !OidIsValid(row.oid(3))),
                  row.truth(4), row.int8(5), oid_array(left, departed, REGCLASSOID)});
  }
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_records(PG_FUNCTION_ARGS) {
  const ResultRows out = begin_rows(fcinfo);
  const Oid user = GetUserId();
  const bool all = superuser();
  as_catalog_owner([&] { add_records(out, user, all); });
  return (Datum)0;
}

Datum dpmix_move_record(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 2);
  const Oid relation = PG_GETARG_OID(1);
  lock_owned(relation, AccessExclusiveLock);
  const Record record = open_record(fcinfo, 0);
  require_vacant(record);
  bool waits = false;
  as_catalog_owner([&] { waits = move_record(record, relation); });
  if (waits) attach_table(record.id, relation);
  PG_RETURN_VOID();
}

Datum dpmix_replace_table(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 2);
  const Oid relation = PG_GETARG_OID(1);
  const Record record = open_record(fcinfo, 0);
  if (OidIsValid(record.relation) && record.relation != relation) {
    lock_owned(record.relation, AccessExclusiveLock);
    const char* old = name_argument(fcinfo, 2);
    if (old == NULL) old = makeObjectName(record.is.table, NULL, "old");
    run_for_caller(psprintf("ALTER TABLE %s RENAME TO %s", record.name, quote_identifier(old)));
  }
  lock_owned(relation, AccessExclusiveLock);
  give_name(record, relation);
  attach_table(record.id, relation);
  require_attached(record, relation);
  PG_RETURN_VOID();
}

Datum dpmix_unprotect_name(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 1);
  require_primary();
  const Record record = open_record(fcinfo, 0);
  require_vacant(record);
  bool waited = false;
  as_catalog_owner([&] {
    require_vacant(locked(record, record.id));
    waited = write_rows(end_waiting, {record.id}) > 0;
    if (waited) forget_roles(record.id);
  });
  if (!waited) {
    refuse_argument(psprintf("the name %s waits for no table", record.name),
                    "Its table was not protected when it left the name.",
                    "dpmix.protect() resumes its charges for a table that has the name.");
  }
  PG_RETURN_VOID();
}

Datum dpmix_hand_over(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 2);
  require_primary();
  const Oid role = PG_GETARG_OID(1);
  (void)require_role(role, "A record belongs to a role.");
  const Record record = open_record(fcinfo, 0);
  require_vacant(record);
  // Nobody's table comes to be asked by those whom another role let ask.
  const bool both = has_privs_of_role(GetUserId(), role);
  as_catalog_owner([&] {
    require_vacant(locked(record, record.id));  // protect() may have resumed it meanwhile
    (void)write_rows(set_owner, {record.id, role_number(role), both});
    if (!both) forget_roles(record.id);
  });
  if (both) attach_if_there(record);
  PG_RETURN_VOID();
}

Datum dpmix_join_records(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 2);
  require_primary();
  if (!superuser()) {
    refuse(ERRCODE_INSUFFICIENT_PRIVILEGE, "only a superuser joins records",
           "Records that are joined share a budget for ever.", "Ask a superuser.");
  }
  const Record record = open_record(fcinfo, 0), into = open_record(fcinfo, 1);
  as_catalog_owner([&] { join_records(record, into); });
  PG_RETURN_VOID();
}
