#include "pg/owner/names.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/catalog/role_number.hpp"
#include "pg/owner/command_tree.hpp"
#include "pg/owner/nesting.hpp"

extern "C" {
#include "utils/acl.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

// The old name counts as well as the identifier: in a restored database identifiers are those of
// other tables until adopt_ledger(), and must move nothing.
#define DPMIX_LEAVE(tables)                                                                       \
  "WITH moved AS ("                                                                               \
  "  UPDATE dpmix.protected_table p SET relation = 0, active = false, waiting = p.active " tables \
  "  RETURNING p.id, p.schema_name, p.table_name, c.oid, n.nspname, c.relname, c.relowner, "      \
  "    p.waiting AS was_protected), "                                                             \
  "departed AS ("                                                                                 \
  "  INSERT INTO dpmix.departed_table (relation, schema_name, table_name, table_id) "             \
  "  SELECT oid, nspname, relname, id FROM moved "                                                \
  "  WHERE was_protected OR dpmix_internal.is_charged(id)) "                                      \
  "SELECT format('%I.%I', schema_name, table_name), format('%I.%I', nspname, relname), "          \
  "  was_protected, id, relowner FROM moved ORDER BY id"

Statement leave_table_name = {DPMIX_LEAVE(
    "FROM " DPMIX_COMMAND_TABLE
    "WHERE d.classid = 'pg_class'::regclass AND p.relation = c.oid "
    "AND p.table_name = $1 AND (p.schema_name, p.table_name) <> (n.nspname, c.relname)")};

Statement leave_schema_name = {
    DPMIX_LEAVE("FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                "WHERE p.relation = c.oid AND p.table_name = c.relname "
                "AND p.schema_name = $1 AND n.nspname = $2")};

Statement leave_unseen = {
    DPMIX_LEAVE("FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                "WHERE p.relation = c.oid "
                "AND (p.schema_name, p.table_name) <> (n.nspname, c.relname)")};

Statement rename_departed = {
    "UPDATE dpmix.departed_table t SET schema_name = n.nspname, table_name = c.relname "
    "FROM " DPMIX_COMMAND_TABLE
    "WHERE d.classid = 'pg_class'::regclass AND t.relation = c.oid AND t.table_name = $1"};

Statement rename_schema_of_departed = {
    "UPDATE dpmix.departed_table t SET schema_name = n.nspname "
    "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE t.relation = c.oid AND t.table_name = c.relname AND t.schema_name = $1 "
    "AND n.nspname = $2"};

Statement rename_unseen_departed = {
    "UPDATE dpmix.departed_table t SET schema_name = n.nspname, table_name = c.relname "
    "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE t.relation = c.oid "
    "AND (t.schema_name, t.table_name) <> (n.nspname, c.relname)"};

// A table that is back has its record again, if that was not protected when the table left; it is
// not protected now, either.
Statement come_back = {
    "WITH back AS ("
    "  UPDATE dpmix.protected_table p SET relation = c.oid "
    "  FROM dpmix.departed_table t JOIN pg_class c ON c.oid = t.relation "
    "    AND c.relname = t.table_name "
    "  JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = t.schema_name "
    "  JOIN dpmix_internal.bound_role r ON r.oid = c.relowner "
    "  WHERE t.table_id = p.id AND p.relation = 0 AND NOT p.waiting AND r.number = p.owner "
    "  AND (p.schema_name, p.table_name) = (t.schema_name, t.table_name) "
    "  RETURNING p.id, p.relation) "
    "DELETE FROM dpmix.departed_table t USING back "
    "WHERE t.table_id = back.id AND t.relation = back.relation"};

Statement settle = {"DELETE FROM dpmix.departed_table WHERE table_id = $1 AND relation = $2"};

Statement leave_tree = {
    "WITH RECURSIVE up(relation) AS ("
    "  SELECT $1 UNION SELECT inhparent FROM pg_inherits JOIN up ON inhrelid = relation), "
    "above AS (SELECT b.id FROM up JOIN dpmix_internal.budgeted_table b USING (relation)), "
    "departed AS ("
    "  INSERT INTO dpmix.departed_table (relation, schema_name, table_name, table_id) "
    "  SELECT c.oid, n.nspname, c.relname, a.id FROM above a, pg_class c "
    "  JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = $2 "
    "  AND NOT EXISTS (SELECT FROM dpmix.departed_table t "
    "                  WHERE t.relation = c.oid AND t.table_id = a.id)) "
    "SELECT format('%I.%I', p.schema_name, p.table_name) "
    "FROM above a JOIN dpmix.protected_table p ON p.id = a.id ORDER BY a.id LIMIT 1"};

#define DPMIX_MOVE                                                         \
  "UPDATE dpmix.protected_table SET account = $2, renyi_order = coalesce(" \
  "(SELECT q.renyi_order FROM dpmix.population q WHERE q.id = $2), renyi_order) "
Statement move_own = {DPMIX_MOVE "WHERE id = $1"};
Statement move_joined = {DPMIX_MOVE "WHERE account = $1"};  // which follow: refuse_leaving()

Statement forget_domains = {"DELETE FROM dpmix.column_domain WHERE table_id = $1"};
Statement forget_grants = {
    "WITH views AS (DELETE FROM dpmix.granted_view WHERE table_id = $1) "
    "DELETE FROM dpmix.access WHERE table_id = $1"};
Statement forget_auditors = {"DELETE FROM dpmix.auditor WHERE table_id = $1"};

Statement other_owners = {
    "SELECT p.id, c.relowner FROM dpmix.protected_table p "
    "JOIN pg_class c ON c.oid = p.relation AND c.relname = p.table_name "
    "JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = p.schema_name "
    "LEFT JOIN dpmix_internal.bound_role r ON r.number = p.owner "
    "WHERE r.oid IS DISTINCT FROM c.relowner"};

// And of vacant names on the same account, which go along.
Statement set_owner = {
    "UPDATE dpmix.protected_table p SET owner = $2 FROM dpmix.protected_table own "
    "WHERE own.id = $1 AND (p.id = $1 OR p.relation = 0 AND p.owner = own.owner "
    "  AND coalesce(p.account, p.id) = coalesce(own.account, own.id) "
    "  AND NOT EXISTS (SELECT FROM dpmix.population q WHERE q.id = own.account))"};

Statement adopt_departed = {
    "UPDATE dpmix.departed_table "
    "SET relation = coalesce(to_regclass(format('%I.%I', schema_name, table_name))::oid, 0)"};

Statement forget_lost = {"DELETE FROM dpmix.departed_table WHERE relation = 0"};

Statement forget_dropped = {
    "DELETE FROM dpmix.departed_table t USING pg_event_trigger_dropped_objects() o "
    "WHERE o.classid = 'pg_class'::regclass AND o.objsubid = 0 AND t.relation = o.objid "
    "AND t.schema_name = o.schema_name AND t.table_name = o.object_name"};

// The record that a table left, if it is on another account. Found by name too, as long as nobody
// has said where the tables of a restored database are.
Statement departed_from = {
    "SELECT format('%I.%I', p.schema_name, p.table_name) FROM dpmix.departed_table t "
    "JOIN dpmix.protected_table p ON p.id = t.table_id "
    "WHERE (t.relation = $1 OR t.schema_name = $2 AND t.table_name = $3) "
    "AND coalesce(p.account, p.id) <> $4 ORDER BY p.id LIMIT 1"};

// A swap leaves a name each night: that is no warning. Nothing to somebody who renamed a schema
// with tables of others.
void tell_of_leaving(const char* record, const char* table, Oid owner) {
  if (!has_privs_of_role(GetOuterUserId(), owner)) return;
  ereport(NOTICE,
          (errmsg("table %s left its name and is protected no more", table),
           errdetail("Its record, with all charges, grants and declarations, stays with the name "
                     "%s, where nothing is answered until a table of the same owner takes it, with "
                     "the same columns.",
                     record),
           errhint("Where the table was meant to have another name: SELECT dpmix.move_record(%s, "
                   "%s).",
                   quote_literal_cstr(record), quote_literal_cstr(table))));
}

// Columns n and n + 1 of the result: records, and whose they are now.
void give_records(uint64 count, int n) {
  int64* record = (int64*)palloc(Max(count, 1) * sizeof(int64));
  Oid* owner = (Oid*)palloc(Max(count, 1) * sizeof(Oid));
  for (uint64 i = 0; i < count; i++) {
    record[i] = ResultRow{i}.int8(n);
    owner[i] = ResultRow{i}.oid(n + 1);
  }
  for (uint64 i = 0; i < count; i++) {
    (void)write_rows(set_owner, {record[i], role_number(owner[i])});
  }
}

void leave(Statement& statement, std::initializer_list<Value> arguments) {
  const uint64 count = write_rows(statement, arguments);
  int64* record = (int64*)palloc(Max(count, 1) * sizeof(int64));
  for (uint64 i = 0; i < count; i++) {
    const ResultRow row{i};
    record[i] = row.int8(4);
    if (row.truth(3)) tell_of_leaving(row.text(1), row.text(2), row.oid(5));
  }
  give_records(count, 4);
}

void follow_arrivals() {
  if (write_rows(come_back) > 0) refuse_nesting();
}

}  // namespace

void follow_table_name(const char* from) {
  (void)write_rows(rename_departed, {name_value(from)});
  leave(leave_table_name, {name_value(from)});
  follow_arrivals();
}

void follow_schema_name(const char* from, const char* to) {
  (void)write_rows(rename_schema_of_departed, {name_value(from), name_value(to)});
  leave(leave_schema_name, {name_value(from), name_value(to)});
  follow_arrivals();
}

void follow_parting(Oid parent, Oid part) {
  if (write_rows(leave_tree, {parent, part}) == 0) return;
  ereport(WARNING, (errmsg("rows leave the budget of %s", ResultRow{}.text(1)),
                    errdetail("What was charged about them stays on its record."),
                    errhint("The part cannot be protected by itself; it may come back.")));
}

void follow_owners() {
  give_records(read_rows(other_owners), 1);
}

void follow_unseen_names() {
  (void)write_rows(rename_unseen_departed);
  leave(leave_unseen, {});
  follow_arrivals();
}

void adopt_departed_tables() {
  (void)write_rows(adopt_departed);
  (void)write_rows(forget_lost);
}

void forget_departed_tables() {
  (void)write_rows(forget_dropped);
}

const char* record_departed_from(Oid relation, int64 account) {
  const bool found =
      read_rows(departed_from,
                {relation, name_value(get_namespace_name(get_rel_namespace(relation))),
                 name_value(get_rel_name(relation)), account}) > 0;
  return found ? ResultRow{}.text(1) : NULL;
}

void settle_table(int64 record, Oid relation) {
  (void)write_rows(settle, {record, relation});
}

void move_account(int64 record, int64 account) {
  (void)write_rows(move_own, {record, account});
  (void)write_rows(move_joined, {record, account});
}

void forget_declarations(int64 record) {
  (void)write_rows(forget_domains, {record});
  forget_roles(record);
}

void forget_roles(int64 record) {
  (void)write_rows(forget_grants, {record});
  (void)write_rows(forget_auditors, {record});
}

}  // namespace dpmix::pg
