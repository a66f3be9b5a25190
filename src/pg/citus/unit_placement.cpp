#include "pg/citus/unit_placement.hpp"

#include "pg/border/guard.hpp"
#include "pg/citus/distribution.hpp"

extern "C" {
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

const char* name_of(Oid relation) {
  return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)),
                                    get_rel_name(relation));
}

const char* literal(const char* text) {
  return quote_literal_cstr(text);
}

const char* column_of_table(const PlacedTable& table) {
  return get_attname(table.relation, table.unit, false);
}

bool lies_by_unit(const PlacedTable& table, const Distribution& placed) {
  return placed.placement == Placement::shards && placed.column == table.unit;
}

// What makes rows of its units lie together, and with those of another table; NULL: of none.
const char* statement_for(const PlacedTable& table, const Distribution& placed,
                          const PlacedTable* other) {
  const char* with =
      other == NULL ? "" : psprintf(", colocate_with => %s", literal(name_of(other->relation)));
  const char* name = literal(name_of(table.relation));
  if (placed.placement == Placement::here) {
    return psprintf("SELECT create_distributed_table(%s, %s%s);", name,
                    literal(column_of_table(table)), with);
  }
  const char* by = lies_by_unit(table, placed)
                       ? ""
                       : psprintf(", distribution_column => %s", literal(column_of_table(table)));
  return psprintf("SELECT alter_distributed_table(%s%s%s);", name, by, with);
}

// What to run to move a protected table. Citus spreads none that has triggers.
const char* move_protected(const PlacedTable& table, const Distribution& placed,
                           const PlacedTable* other) {
  return placed.placement == Placement::here
             ? psprintf("Drop its triggers, then: %s Protect it again: its record goes on.",
                        statement_for(table, placed, other))
             : psprintf(
                   "%s That is a new table of this name: protect it again, and its record "
                   "goes on.",
                   statement_for(table, placed, other));
}

[[noreturn]] void refuse_place(const PlacedTable& table, const Distribution& placed,
                               const PlacedTable* other) {
  refuse(ErrorCode::query_not_allowed,
         psprintf("rows of one privacy unit of %s do not lie together on one shard",
                  name_of(table.relation)),
         "Citus has to spread the tables of a query by the column of their privacy unit, and to "
         "keep equal values of all of them on one node (colocated).",
         move_protected(table, placed, other));
}

[[noreturn]] void refuse_public(Oid relation) {
  const char* name = name_of(relation);
  refuse(ErrorCode::query_not_allowed, psprintf("public table %s is not on every node", name),
         "Rows of a distributed table meet those of public reference tables alone.",
         psprintf("SELECT create_reference_table(%s);", literal(name)));
}

}  // namespace

void require_unit_on_one_shard(Oid relation, AttrNumber unit) {
  const PlacedTable table = {relation, unit};
  const Distribution placed = distribution_of(relation);
  if (placed.placement == Placement::here || lies_by_unit(table, placed)) return;
  refuse_argument(
      psprintf("%s is distributed, but not by its privacy unit", name_of(relation)),
      psprintf("All rows of one unit, which column \"%s\" names, have to lie on one shard.",
               column_of_table(table)),
      statement_for(table, placed, NULL));
}

void require_units_together(const PlacedTable* tables, int count) {
  const PlacedTable* first = NULL;
  int32 together = 0;
  for (int i = 0; i < count; i++) {
    if (tables[i].unit == InvalidAttrNumber) continue;
    const Distribution placed = distribution_of(tables[i].relation);
    if (!lies_by_unit(tables[i], placed)) continue;
    first = &tables[i];
    together = placed.together;
    break;
  }
  for (int i = 0; i < count; i++) {
    const PlacedTable& table = tables[i];
    const Distribution placed = distribution_of(table.relation);
    if (table.unit == InvalidAttrNumber) {
      if (placed.placement != Placement::whole || !placed.copied) refuse_public(table.relation);
    } else if (!lies_by_unit(table, placed) ||
               (&table != first && (together == 0 || placed.together != together))) {
      refuse_place(table, placed, first);
    }
  }
}

void refuse_several_owners() {
  refuse(ErrorCode::query_not_allowed,
         "distributed tables of several owners are not read in one query",
         "The shards are read with the rights of one owner, and what planning evaluates on other "
         "nodes, such as expressions of indexes, would run with them.",
         "Let one role own all tables of the query.");
}

}  // namespace dpmix::pg
