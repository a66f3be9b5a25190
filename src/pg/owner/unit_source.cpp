#include "pg/owner/unit_source.hpp"

#include "pg/catalog/relation.hpp"
#include "pg/catalog/unique_key.hpp"
#include "pg/catalog/unit_link.hpp"
#include "pg/owner/unit_updates.hpp"

extern "C" {
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

const char* column_of(int table, Oid relation, AttrNumber column) {
  return psprintf("t%d.%s", table, quote_identifier(get_attname(relation, column, false)));
}

// The target as one more table.
const char* joined(const char* from, int table, Oid relation, const UnitLink& link) {
  StringInfoData text;
  initStringInfo(&text);
  appendStringInfo(&text, "%s LEFT JOIN %s AS t%d ON ", from, qualified_name(link.target),
                   table + 1);
  for (int i = 0; i < link.columns; i++) {
    appendStringInfo(&text, "%s%s = %s", i == 0 ? "" : " AND ",
                     column_of(table, relation, link.column[i]),
                     column_of(table + 1, link.target, link.target_column[i]));
  }
  return text.data;
}

// Indexes as they are now: exact statements read rows as they are now.
const char* defect_of(Oid relation, const CatalogRow* row, Oid reader) {
  const char* vacant = vacant_link(relation, row->link);
  if (vacant != NULL) return vacant;
  const UnitLink* link = find_unit_link(relation, row);
  const char* target = qualified_name(link->target);
  if (!has_key_of(*link, declared_unique_keys(link->target))) {
    return psprintf("no unique index shows that a row of %s is meant: CREATE UNIQUE INDEX ON %s %s",
                    target, target, column_list(link->target, link->target_column, link->columns));
  }
  if (pg_class_aclcheck(link->target, reader, ACL_SELECT) == ACLCHECK_OK) return NULL;
  return psprintf("units are not counted here: role \"%s\" may not read %s",
                  GetUserNameFromId(reader, false), target);
}

}  // namespace

UnitSource unit_source(Oid relation, const CatalogRow* row) {
  const Oid reader = relation_owner(relation);
  UnitSource source = {psprintf("%s AS t0", qualified_name(relation)), NULL, unit_updates(row->id),
                       NULL};
  for (int table = 0; row->link != NULL; table++) {
    source.defect = defect_of(relation, row, reader);
    if (source.defect != NULL) return source;
    const UnitLink* link = find_unit_link(relation, row);
    source.from = joined(source.from, table, relation, *link);
    relation = link->target;
    row = find_catalog_row(relation);
    source.updates += unit_updates(row->id);
    if (row->privacy_unit == NULL) continue;
    source.unit = psprintf("t%d.%s", table + 1, quote_identifier(row->privacy_unit));
  }
  if (source.unit == NULL) source.unit = quote_identifier(row->privacy_unit);
  return source;
}

}  // namespace dpmix::pg
