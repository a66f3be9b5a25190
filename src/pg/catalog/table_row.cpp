#include "pg/catalog/table_row.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/relation.hpp"

extern "C" {
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

Statement rows_by_oid_or_name = {
    "SELECT p.id, p.relation, p.active, p.adjacency, p.accountant, p.renyi_order, p.privacy_unit, "
    "       p.max_rows_per_unit, p.label, b.epsilon, b.delta, "
    "       p.schema_name = $2 AND p.table_name = $3, "
    "       coalesce(p.account, p.id), q.name, q.unit_type::oid, r.oid, p.unit_through, "
    "       quote_ident(t.schema_name) || '.' || quote_ident(t.table_name), p.through_relation, "
    "       CASE WHEN t.active THEN t.relation END, p.link, p.link_attnums::oid[], p.target_key, "
    "       p.target_attnums::oid[], p.waiting, p.guard_unit, p.strict, q.width IS NOT NULL "
    "FROM dpmix.protected_table p "
    "LEFT JOIN dpmix_internal.bound_role r ON r.number = p.owner "
    "LEFT JOIN dpmix.population q ON q.id = p.account "
    "LEFT JOIN dpmix.protected_table t ON t.id = p.unit_through "
    "JOIN LATERAL (SELECT c.epsilon, c.delta FROM dpmix.budget_change c "
    "              WHERE c.table_id = coalesce(p.account, p.id) "
    "              ORDER BY c.id DESC LIMIT 1) b ON true "
    "WHERE p.relation = $1 OR (p.schema_name = $2 AND p.table_name = $3)"};

AttrNumber* attribute_numbers(const ResultRow& row, int column) {
  int count;
  const Oid* number = row.oids(column, &count);
  AttrNumber* list = (AttrNumber*)SPI_palloc(sizeof(AttrNumber) * count);
  for (int i = 0; i < count; i++) list[i] = (AttrNumber)number[i];
  return list;
}

const LinkTerms* link_terms(const ResultRow& row) {
  if (row.is_null(17)) return NULL;
  LinkTerms* link = (LinkTerms*)SPI_palloc(sizeof(LinkTerms));
  *link = {.record = row.int8(17),
           .through = row.text(18),
           .declared = row.oid(19),
           .present = row.oid(20),
           .columns = 0,
           .name = NULL,
           .column = attribute_numbers(row, 22),
           .target_name = NULL,
           .target_column = attribute_numbers(row, 24)};
  link->name = row.texts(21, &link->columns);
  link->target_name = row.texts(23, &link->columns);
  return link;
}

CatalogRow* read_catalog_row(Oid relation) {
  const uint64 count = read_rows(
      rows_by_oid_or_name, {relation, name_value(get_namespace_name(get_rel_namespace(relation))),
                            name_value(get_rel_name(relation))});
  CatalogRow* found = NULL;
  for (uint64 i = 0; i < count; i++) {
    const ResultRow row = {i};
    const Oid recorded = row.oid(2);
    const bool same_name = row.truth(12);
    if (!same_name || (OidIsValid(recorded) && recorded != relation)) {
      refuse(ErrorCode::ledger_unavailable,
             psprintf("the privacy catalog does not recognise table %s", qualified_name(relation)),
             "Its name and its object identifier belong to different records, as after a restore "
             "or a copy of the database.",
             "The database owner continues the ledger with dpmix.adopt_ledger(reason).");
    }
    found = (CatalogRow*)SPI_palloc(sizeof(CatalogRow));
    *found = {.id = row.int8(1),
              .relation = recorded,
              .owner = OidIsValid(recorded) ? relation_owner(relation) : row.oid(16),
              .active = row.truth(3),
              .waiting = row.truth(25),
              .guard_unit = row.truth(26),
              .strict = row.truth(27),
              .adjacency = row.text(4),
              .accountant = row.text(5),
              .order = row.float8(6),
              .privacy_unit = row.text(7),
              .max_rows_per_unit = row.int4(8),
              .label = row.text(9),
              .epsilon = row.text(10),
              .delta = row.text(11),
              .account = row.int8(13),
              .population = row.text(14),
              .unit_type = row.oid(15),
              .population_blocks = row.truth(28),
              .link = link_terms(row)};
  }
  return found;
}

}  // namespace

void refuse_vacant(const char* name, bool owner) {
  const char* quoted = quote_literal_cstr(name);
  refuse(ErrorCode::not_protected, psprintf("the name %s is vacant", name),
         "Its table left it, and the one that has the name now was not attached to the record: its "
         "owner or its columns are others.",
         owner ? psprintf("SELECT dpmix.replace_table(%s, %s) attaches it, or says why not.",
                          quoted, quoted)
               : "Its owner brings a table that suits, as a load does.");
}

CatalogRow* find_catalog_row(Oid relation) {
  CatalogRow* row = NULL;
  as_catalog_owner([&] { row = read_catalog_row(relation); });
  return row;
}

}  // namespace dpmix::pg
