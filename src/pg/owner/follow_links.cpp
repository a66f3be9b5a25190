#include "pg/owner/follow_links.hpp"

#include "pg/border/statement.hpp"
#include "pg/owner/command_tree.hpp"

namespace dpmix::pg {
namespace {

// SQL: table c is one of the command's, and has no column of the old name any more, but one of the
// new.
#define DPMIX_RENAMED                                                                  \
  "c.oid IN (SELECT relation FROM tree) "                                              \
  "AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = $1) " \
  "AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = $2)"

Statement rename_link = {
    DPMIX_COMMAND_TREE
    "UPDATE dpmix.protected_table p SET link = array_replace(p.link, $1, $2) FROM pg_class c "
    "WHERE c.oid = p.relation AND c.relname = p.table_name AND $1 = ANY (p.link) "
    "AND " DPMIX_RENAMED};

Statement rename_key = {
    DPMIX_COMMAND_TREE
    "UPDATE dpmix.protected_table p SET target_key = array_replace(p.target_key, $1, $2) "
    "FROM dpmix.protected_table t, pg_class c "
    "WHERE t.id = p.unit_through AND t.relation = p.through_relation "
    "AND c.oid = t.relation AND c.relname = t.table_name AND $1 = ANY (p.target_key) "
    "AND " DPMIX_RENAMED};

Statement linked_tables = {
    "SELECT string_agg(format('%I.%I', p.schema_name, p.table_name), ', ' ORDER BY p.id), "
    "  min(format('%I.%I', t.schema_name, t.table_name)) "
    "FROM dpmix.protected_table p JOIN dpmix.protected_table t ON t.id = p.unit_through "
    "WHERE p.unit_through = $1 AND p.active"};

Statement forget_target = {
    "UPDATE dpmix.protected_table SET through_relation = 0 WHERE unit_through = $1"};

// Another table had the target's record, or none, when the database was copied.
Statement forget_targets = {
    "UPDATE dpmix.protected_table p SET through_relation = 0 FROM dpmix.protected_table t "
    "WHERE t.id = p.unit_through AND t.relation <> p.through_relation"};

Statement adopt_targets = {
    "UPDATE dpmix.protected_table p SET through_relation = t.relation "
    "FROM dpmix.protected_table t WHERE t.id = p.unit_through AND p.through_relation <> 0"};

// A column that is not here keeps its number, which no column of that name has.
#define DPMIX_NUMBERS(relation, names, numbers)                               \
  "ARRAY(SELECT coalesce(a.attnum, n.attnum) FROM unnest(" names ", " numbers \
  ") WITH ORDINALITY AS n(attname, attnum, place) LEFT JOIN pg_attribute a "  \
  "ON a.attrelid = " relation " AND a.attname = n.attname AND a.attnum > 0 ORDER BY n.place)"

Statement adopt_numbers = {
    "UPDATE dpmix.protected_table p SET "
    "link_attnums = " DPMIX_NUMBERS("p.relation", "p.link", "p.link_attnums")
    ", target_attnums = " DPMIX_NUMBERS("p.through_relation", "p.target_key", "p.target_attnums")
    " WHERE p.unit_through IS NOT NULL"};

// Finds columns again by name: of the record's own link, and below of links that lead to its table.
Statement attach_own = {
    "UPDATE dpmix.protected_table p SET "
    "link_attnums = " DPMIX_NUMBERS(
        "p.relation", "p.link",
        "p.link_attnums") " WHERE p.id = $1 AND p.unit_through IS NOT NULL"};

Statement attach_others = {
    "UPDATE dpmix.protected_table p SET through_relation = t.relation, "
    "target_attnums = " DPMIX_NUMBERS("t.relation", "p.target_key", "p.target_attnums")
    " FROM dpmix.protected_table t WHERE t.id = $1 AND p.unit_through = t.id"};

}  // namespace

void rename_link_columns(const char* from, const char* to) {
  (void)write_rows(rename_link, {name_value(from), name_value(to)});
  (void)write_rows(rename_key, {name_value(from), name_value(to)});
}

void warn_of_links(int64 record) {
  (void)read_rows(linked_tables, {record});
  const ResultRow row;
  if (row.is_null(1)) return;
  ereport(
      WARNING,
      (errmsg("whose rows those of %s are was said by %s", row.text(1), row.text(2)),
       errdetail("Releases about them are refused until a table is protected under that name "
                 "again."),
       errhint("A table of the same owner that takes its name, with the same columns, takes its "
               "place.")));
}

void end_links(int64 record) {
  warn_of_links(record);
  (void)write_rows(forget_target, {record});
}

void attach_links(int64 record) {
  (void)write_rows(attach_own, {record});
  (void)write_rows(attach_others, {record});
}

void end_vacant_links() {
  (void)write_rows(forget_targets);
}

void adopt_links(bool same_tables) {
  if (!same_tables) (void)write_rows(adopt_targets);
  (void)write_rows(adopt_numbers);
}

}  // namespace dpmix::pg
