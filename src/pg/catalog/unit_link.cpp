#include "pg/catalog/unit_link.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/epoch.hpp"
#include "pg/catalog/protectable.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/catalog/unique_key.hpp"
#include "pg/citus/distribution.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace dpmix::pg {
namespace {

bool is_whole_number(Oid type) {
  return type == INT2OID || type == INT4OID || type == INT8OID;
}

// The family of operators that a type is sorted and compared with unless something else is said.
Oid default_family(Oid type) {
  return lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
}

Statement links_to = {
    "SELECT 1 FROM dpmix.protected_table WHERE active AND through_relation = $1 AND "
    "target_attnums = ARRAY[$2]::smallint[]"};

Statement keys_of_target = {
    "SELECT DISTINCT target_attnums::oid[] FROM dpmix.protected_table "
    "WHERE active AND through_relation = $1"};

// The same columns as were declared, under the names that they have by now.
bool are_there(Oid relation, char* const* name, const AttrNumber* column, int count) {
  for (int i = 0; i < count; i++) {
    if (get_attnum(relation, name[i]) != column[i]) return false;
  }
  return true;
}

bool names_column(const UnitLink& link, AttrNumber column, Oid family) {
  for (int i = 0; i < link.columns; i++) {
    if (link.target_column[i] != column) continue;
    return default_family(get_atttype(link.target, column)) == family;
  }
  return false;
}

}  // namespace

bool is_key_of_link(Oid relation, AttrNumber column) {
  bool found = false;
  as_catalog_owner([&] { found = read_rows(links_to, {relation, (int32)column}) > 0; });
  return found;
}

List* keys_of_links(Oid relation) {
  List* keys = NIL;
  as_catalog_owner([&] {
    const uint64 count = read_rows(keys_of_target, {relation});
    for (uint64 number = 0; number < count; number++) {
      UnitLink* key = (UnitLink*)SPI_palloc(sizeof(UnitLink));
      *key = {};
      key->target = relation;
      const Oid* column = ResultRow{number}.oids(1, &key->columns);
      for (int i = 0; i < key->columns; i++) key->target_column[i] = (AttrNumber)column[i];
      const MemoryContext inside = MemoryContextSwitchTo(GetMemoryChunkContext(key));
      keys = lappend(keys, key);
      MemoryContextSwitchTo(inside);
    }
  });
  return keys;
}

const char* vacant_link(Oid relation, const LinkTerms* terms) {
  if (!OidIsValid(terms->present)) {
    return psprintf("They belong to units through %s, and no protected table has that name.",
                    terms->through);
  }
  if (terms->present != terms->declared) {
    return psprintf("They belonged to units through a table %s; it is another table now.",
                    terms->through);
  }
  LockRelationOid(terms->present, AccessShareLock);
  watch_relation(terms->present);
  if (are_there(relation, terms->name, terms->column, terms->columns) &&
      are_there(terms->present, terms->target_name, terms->target_column, terms->columns)) {
    return NULL;
  }
  return psprintf("A column of their link through %s is gone.", terms->through);
}

UnitLink* find_unit_link(Oid relation, const CatalogRow* row) {
  const LinkTerms* terms = row->link;
  if (terms == NULL) return NULL;
  if (const char* why = vacant_link(relation, terms)) {
    refuse(ErrorCode::ledger_unavailable,
           psprintf("nobody knows any more whose rows those of %s are", qualified_name(relation)),
           why,
           "Its owner links it anew: unprotect the table, and protect it with the same "
           "population, unit_through, link and target_key.");
  }
  UnitLink* link = (UnitLink*)palloc0(sizeof(UnitLink));
  link->target = terms->present;
  link->columns = terms->columns;
  memcpy(link->column, terms->column, sizeof(AttrNumber) * terms->columns);
  memcpy(link->target_column, terms->target_column, sizeof(AttrNumber) * terms->columns);
  for (int i = 0; i < link->columns; i++) {
    const char* defect =
        link_defect(relation, link->column[i], link->target, link->target_column[i]);
    if (defect == NULL) continue;
    refuse_argument(
        psprintf("%s of %s cannot name a row of %s", column_list(relation, &link->column[i], 1),
                 qualified_name(relation), terms->through),
        defect, "Give both columns the type that they had when the table was linked.");
  }
  return link;
}

void require_link(const ProtectedTable* table) {
  const UnitLink* link = table->link;
  const bool here = !is_distributed(table->relation);
  if (here && has_key_of(*link, unique_keys(link->target))) return;
  const char* target = qualified_name(link->target);
  const char* key = column_list(link->target, link->target_column, link->columns);
  refuse(ErrorCode::query_not_allowed,
         psprintf("no unique index shows whose rows those of %s are", table->name),
         here ? psprintf("They belong to units through %s %s, which needs a unique index that is "
                         "valid, immediate and not partial, older than this transaction's "
                         "snapshot, while this transaction wrote no row of that table.",
                         target, key)
              : "Citus distributes a table by a column of its own.",
         here ? psprintf("CREATE UNIQUE INDEX ON %s %s; or ask again, in a new transaction.",
                         target, key)
              : "Put the unit into a column of the table, and protect it with a privacy_unit.");
}

bool has_key_of(const UnitLink& link, const List* keys) {
  const ListCell* cell;
  foreach (cell, keys) {
    const UniqueKey* key = (const UniqueKey*)lfirst(cell);
    bool same = key->columns == link.columns;
    for (int i = 0; same && i < key->columns; i++) {
      same = names_column(link, key->column[i], key->family[i]);
    }
    if (same) return true;
  }
  return false;
}

const char* link_defect(Oid relation, AttrNumber column, Oid target, AttrNumber target_column) {
  const char* defect = unit_defect(relation, column);
  if (defect == NULL) defect = unit_defect(target, target_column);
  if (defect != NULL) return defect;
  const Oid type = get_atttype(relation, column), other = get_atttype(target, target_column);
  if (type == other || (is_whole_number(type) && is_whole_number(other))) return NULL;
  return psprintf("Its type is %s; that of the key's column is %s.", format_type_be(type),
                  format_type_be(other));
}

const char* column_list(Oid relation, const AttrNumber* column, int count) {
  StringInfoData list;
  initStringInfo(&list);
  for (int i = 0; i < count; i++) {
    appendStringInfo(&list, "%s%s", i == 0 ? "(" : ", ",
                     quote_identifier(get_attname(relation, column[i], false)));
  }
  appendStringInfoChar(&list, ')');
  return list.data;
}

}  // namespace dpmix::pg
