#include "pg/owner/arrivals.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/settings.hpp"
#include "pg/border/statement.hpp"
#include "pg/border/subtransaction.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/epoch.hpp"
#include "pg/catalog/exposures.hpp"
#include "pg/catalog/locks.hpp"
#include "pg/catalog/protectable.hpp"
#include "pg/catalog/readers.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/catalog/table_row.hpp"
#include "pg/catalog/tree_locks.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/citus/unit_placement.hpp"
#include "pg/owner/blocks.hpp"
#include "pg/owner/columns_of.hpp"
#include "pg/owner/edition.hpp"
#include "pg/owner/facade_columns.hpp"
#include "pg/owner/follow_links.hpp"
#include "pg/owner/names.hpp"
#include "pg/owner/nesting.hpp"
#include "pg/owner/unit_updates.hpp"

extern "C" {
#include "access/xact.h"
#include "lib/stringinfo.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

Statement any_vacant = {"SELECT FROM dpmix.protected_table WHERE waiting LIMIT 1"};

Statement vacant_name = {
    "SELECT FROM dpmix.protected_table WHERE waiting AND table_name = $1 LIMIT 1"};

// Tables of the record's owner alone, and whatever else of it could be taken for a table.
#define DPMIX_ARRIVALS                                                             \
  "SELECT p.id, c.oid FROM dpmix.protected_table p "                               \
  "JOIN pg_namespace n ON n.nspname = p.schema_name "                              \
  "JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = p.table_name "        \
  "  AND c.relkind IN ('r', 'p', 'v', 'm', 'f') "                                  \
  "JOIN dpmix_internal.bound_role r ON r.number = p.owner AND r.oid = c.relowner " \
  "WHERE p.waiting "

Statement arrivals_of_command = {
    DPMIX_ARRIVALS
    "AND c.oid IN (SELECT coalesce(i.indrelid, d.objid) FROM pg_event_trigger_ddl_commands() d "
    "              LEFT JOIN pg_index i ON i.indexrelid = d.objid "
    "              WHERE d.classid = 'pg_class'::regclass) ORDER BY p.id"};

Statement arrivals_of_schema = {DPMIX_ARRIVALS "AND n.nspname = $1 ORDER BY p.id"};

Statement all_arrivals = {DPMIX_ARRIVALS "ORDER BY p.id"};

// What is declared speaks of these columns; links lead to the last.
Statement unlike_columns = {
    "SELECT d.name, p.column_types ->> d.name, now.types ->> d.name "
    "FROM dpmix.protected_table p CROSS JOIN (SELECT " DPMIX_TYPES_OF("$2")
    " AS types) now CROSS JOIN LATERAL ("
    "  SELECT p.privacy_unit::text UNION SELECT p.label::text UNION SELECT unnest(p.link)::text "
    "  UNION SELECT b.column_name::text FROM dpmix.block_column b WHERE b.table_id = p.id "
    "  UNION SELECT m.column_name::text FROM dpmix.column_domain m WHERE m.table_id = p.id "
    "  UNION SELECT m.by_column::text FROM dpmix.column_domain m WHERE m.table_id = p.id "
    "  UNION SELECT r.name::text FROM dpmix.column_domain m CROSS JOIN LATERAL unnest(m.sum_of || "
    "        ARRAY[m.at_least, m.present_with]) r(name) WHERE m.table_id = p.id "
    "  UNION SELECT unnest(l.target_key)::text FROM dpmix.protected_table l "
    "        WHERE l.unit_through = p.id) d(name) "
    "WHERE p.id = $1 AND d.name IS NOT NULL "
    "AND (p.column_types ->> d.name = now.types ->> d.name) IS NOT TRUE ORDER BY d.name"};

Statement attach = {
    "UPDATE dpmix.protected_table SET relation = $2, active = true, waiting = false, "
    "  column_types = " DPMIX_TYPES_OF("$2") " WHERE id = $1 AND waiting"};

Statement number_domains = {
    "UPDATE dpmix.column_domain d SET attnum = a.attnum FROM pg_attribute a "
    "WHERE d.table_id = $1 AND a.attrelid = $2 AND a.attname = d.column_name AND a.attnum > 0 "
    "AND a.attnum <> d.attnum"};

Statement number_blocks = {
    "UPDATE dpmix.block_column b SET attnum = a.attnum FROM pg_attribute a "
    "WHERE b.table_id = $1 AND a.attrelid = $2 AND a.attname = b.column_name AND a.attnum > 0 "
    "AND a.attnum <> b.attnum"};

struct Arrival {
  int64 record;
  Oid relation;
};

struct Arrivals {
  Arrival* list;
  uint64 count;
};

Arrivals read_arrivals(Statement& statement, std::initializer_list<Value> arguments = {}) {
  Arrivals found = {};
  const MemoryContext caller = CurrentMemoryContext;
  as_catalog_owner([&] {
    found.count = read_rows(statement, arguments);
    found.list = (Arrival*)MemoryContextAlloc(caller, Max(found.count, 1) * sizeof(Arrival));
    for (uint64 i = 0; i < found.count; i++) {
      found.list[i] = {ResultRow{i}.int8(1), ResultRow{i}.oid(2)};
    }
  });
  return found;
}

// The record as it is now that the table is locked; NULL: it does not wait for the table any more.
const CatalogRow* waiting_row(int64 record, Oid relation) {
  if (get_rel_name(relation) == NULL) return NULL;
  const CatalogRow* row = find_catalog_row(relation);
  const bool waits = row != NULL && row->id == record && row->waiting && OidIsValid(row->owner) &&
                     row->owner == relation_owner(relation);
  return waits ? row : NULL;
}

void require_columns(const CatalogRow* row, Oid relation) {
  const uint64 count = read_rows(unlike_columns, {row->id, relation});
  if (count == 0) return;
  StringInfoData list;
  initStringInfo(&list);
  for (uint64 i = 0; i < count; i++) {
    const ResultRow column{i};
    appendStringInfo(&list, "%sColumn \"%s\" was %s%s%s.", i == 0 ? "" : " ", column.text(1),
                     column.is_null(2) ? "of a type that is not on record" : column.text(2),
                     column.is_null(3) ? " and is not there" : " and is ",
                     column.is_null(3) ? "" : column.text(3));
  }
  refuse_argument(psprintf("columns of %s are not those that something is declared of",
                           qualified_name(relation)),
                  list.data, "Give them the names and types that they had.");
}

void require_no_other_record(const CatalogRow* row, Oid relation) {
  const char* other = record_departed_from(relation, row->account);
  if (other == NULL) return;
  refuse_argument(
      psprintf("rows of %s are on record under the name %s", qualified_name(relation), other),
      "A table that left its name, or its tree, has no budget of its own: the record stays.",
      "Load them into a table of their own.");
}

// What protect() asks of a table with these terms.
void require_suitable(const CatalogRow* row, Oid relation, BlockDeclaration* blocks) {
  require_protectable(relation);
  Readers readers = {};
  as_catalog_owner([&] {
    lock_tree_of(relation);
    require_no_other_record(row, relation);
    require_columns(row, relation);
    *blocks = recorded_declaration(row->id);
    if (row->strict) readers = readers_of(relation);
  });
  require_no_readers(qualified_name(relation), readers);
  const BlockGrid grid = blocks->read.grid;
  require_blocks(relation, blocks);
  if (blocks->column != NULL) blocks->read.grid = grid;
  if (row->link != NULL) return;
  const bool several = require_privacy_unit(relation, row->privacy_unit, row->max_rows_per_unit);
  if (several && row->label != NULL) {
    refuse_argument(psprintf("a unit of %s may have several rows", qualified_name(relation)),
                    "Adjacency label protects the label of one row.",
                    "Give the column of the privacy unit NOT NULL and a unique index.");
  }
  if (row->privacy_unit != NULL) {
    require_unit_on_one_shard(relation, get_attnum(relation, row->privacy_unit));
  }
}

void record_attachment(const CatalogRow* row, Oid relation) {
  lock_protection(row->id, AccessExclusiveLock, true);
  if (write_rows(attach, {row->id, relation}) == 0) elog(ERROR, "the record waits no more");
  (void)write_rows(number_domains, {row->id, relation});
  (void)write_rows(number_blocks, {row->id, relation});
  attach_links(row->id);
  settle_table(row->id, relation);
  begin_edition(row->id);
  refuse_nesting();
}

// Where the table is locked by another session, a load does not wait for long.
ErrorData* error_within(const char* lock_timeout, Action body) {
  return error_of([&] {
    const int level = NewGUCNestLevel();
    set_for_now({"lock_timeout", lock_timeout});
    body();
    AtEOXact_GUC(false, level);
  });
}

const char* told(const ErrorData* error) {
  return error->detail == NULL ? psprintf("%s.", error->message)
                               : psprintf("%s. %s", error->message, error->detail);
}

void warn_of_arrival(const Arrival& arrival, const ErrorData* error) {
  if (!has_privs_of_role(GetOuterUserId(), relation_owner(arrival.relation))) return;
  const char* name = qualified_name(arrival.relation);
  const char* quoted = quote_literal_cstr(name);
  ereport(
      WARNING,
      (errmsg("table %s is not protected, though the record of its name waits for a table", name),
       errdetail("Nothing is answered under this name: %s", told(error)),
       errhint("Once it suits: SELECT dpmix.replace_table(%s, %s). To state all terms anew: "
               "dpmix.protect().",
               quoted, quoted)));
}

void try_to_attach(const Arrivals& arrivals) {
  for (uint64 i = 0; i < arrivals.count; i++) {
    const Arrival& arrival = arrivals.list[i];
    const ErrorData* error =
        error_within("3s", [&] { attach_table(arrival.record, arrival.relation); });
    if (error == NULL) continue;
    if (error->sqlerrcode == ERRCODE_QUERY_CANCELED) ReThrowError((ErrorData*)error);
    warn_of_arrival(arrival, error);
  }
}

bool are_any_vacant() {
  static uint64 known = 0;
  static bool vacant = false;
  const uint64 epoch = catalog_epoch();
  if (epoch != 0 && epoch == known) return vacant;
  as_catalog_owner([&] { vacant = read_rows(any_vacant) > 0; });
  known = IsolationUsesXactSnapshot() ? 0 : epoch;  // an older snapshot says nothing of today
  return vacant;
}

}  // namespace

bool is_name_vacant(const char* name) {
  if (!are_any_vacant()) return false;
  bool vacant = name == NULL;
  if (!vacant) as_catalog_owner([&] { vacant = read_rows(vacant_name, {name_value(name)}) > 0; });
  return vacant;
}

void attach_arrivals(const char* schema) {
  try_to_attach(schema == NULL ? read_arrivals(arrivals_of_command)
                               : read_arrivals(arrivals_of_schema, {name_value(schema)}));
}

void attach_all() {
  try_to_attach(read_arrivals(all_arrivals));
}

void attach_table(int64 record, Oid relation) {
  LockRelationOid(relation, AccessExclusiveLock);
  const CatalogRow* row = waiting_row(record, relation);
  if (row == NULL) return;
  BlockDeclaration blocks = {};
  require_suitable(row, relation, &blocks);
  as_catalog_owner([&] { record_attachment(row, relation); });
  install_guard(relation, blocks);
  if (!is_distributed(relation)) {
    const char* const unit[] = {row->privacy_unit};
    watch_unit(relation, row->link != NULL ? row->link->name : unit,
               row->link != NULL ? row->link->columns : row->privacy_unit != NULL, row->guard_unit);
  }
  follow_facades_of(record);
  Readers readers = {};
  as_catalog_owner([&] { readers = readers_of(relation); });
  if (!has_privs_of_role(GetOuterUserId(), row->owner)) return;
  warn_of_readers(qualified_name(relation), readers);
  warn_of_exposures(exposures_of(relation));
}

const char* why_unattached(int64 record, Oid relation) {
  const ErrorData* error = error_within("3s", [&] {
    LockRelationOid(relation, AccessShareLock);
    const CatalogRow* row = waiting_row(record, relation);
    BlockDeclaration blocks = {};
    if (row != NULL) require_suitable(row, relation, &blocks);
  });
  if (error == NULL) return NULL;
  if (error->sqlerrcode == ERRCODE_QUERY_CANCELED) ReThrowError((ErrorData*)error);
  return told(error);
}

}  // namespace dpmix::pg
