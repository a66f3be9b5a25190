#include "pg/units/rows_of_units.hpp"

#include "pg/catalog/asked_columns.hpp"
#include "pg/catalog/made_rows.hpp"
#include "pg/catalog/open_protected.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/citus/unit_placement.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/scan/memory.hpp"
#include "pg/scan/table_size.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/subquery.hpp"
#include "pg/units/row_memory.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {

namespace {

// The column with a row's unit: in made rows that are held, a number.
Var* unit_of(const ProtectedTable* table) {
  if (table->made != NULL) return column_of(table->made->query, table->unit);
  Oid type, collation;
  int32 modifier;
  get_atttypetypmodcoll(table->relation, table->unit, &type, &modifier, &collation);
  return makeVar(1, table->unit, type, modifier, collation, 0);
}

// dpmix_internal.row_kept(memory, the share at work, unit)
Expr* is_kept(const ProtectedTable* table, SampledUnits* units) {
  RowMemory* memory = (RowMemory*)palloc0(sizeof(RowMemory));
  memory->units = units;
  List* arguments =
      list_make3(constant(INTERNALOID, InvalidOid, PointerGetDatum(memory)),
                 constant(INT4OID, InvalidOid, Int32GetDatum(kShareAtWork)), unit_of(table));
  return (Expr*)makeFuncExpr(dpmix_function("row_kept", {INTERNALOID, INT4OID, ANYOID}), BOOLOID,
                             arguments, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

// Or made of such tables there.
bool is_on_shards(const ProtectedTable* table) {
  return has_shards(table->relation) && (table->made == NULL || table->made->held == NULL);
}

// Where the rows of each unit lie on one shard, as many of them are picked there as may count.
bool picks_rows(const ProtectedTable* table) {
  return table->samples_units && is_on_shards(table) && !has_blocks(table->blocks);
}

PickedRows picked_of(const ProtectedTable* table) {
  if (!picks_rows(table)) return {};
  const PlacedTable placed = {table->relation, table->unit};
  if (table->made == NULL) require_units_together(&placed, 1);
  return {unit_of(table), table->rows_of_unit};
}

}  // namespace

void require_sampled_units(const ProtectedTable* table) {
  if (picks_rows(table)) return;
  if (has_blocks(table->blocks) || is_distributed(table->relation)) refuse_several_rows(table);
}

bool has_several_rows(const ProtectedTable* table) {
  return table->samples_units && !(picks_rows(table) && table->rows_of_unit == 1);
}

void require_one_row(const ProtectedTable* table) {
  if (has_several_rows(table)) refuse_several_rows(table);
}

int rows_per_unit(const ProtectedTable* table) {
  return table->samples_units ? table->rows_of_unit : 1;
}

namespace {

// An estimate of the rows of a table, or of all tables that rows are made of.
double rows_asked(const ProtectedTable* table) {
  if (table->made == NULL) return rows_in(table->relation);
  double rows = 0;
  const ListCell* cell;
  foreach (cell, table->made->tables) {
    rows += rows_in(((const ProtectedTable*)lfirst(cell))->relation);
  }
  return rows;
}

SilentScan* plan_made(const MadeRows* made, const char* sql, Oid owner, Oid parameter,
                      Expr* condition, const PickedRows& picked) {
  SilentScan* scan = plan_scan(sql, made->query, owner, parameter, condition, picked);
  need_rows_at_work(made->held, scan);
  return scan;
}

SilentScan* plan_on(const ProtectedTable* table, const char* sql, Oid parameter, Expr* condition,
                    const PickedRows& picked) {
  if (table->made != NULL) {
    return plan_made(table->made, sql, table->owner, parameter, condition, picked);
  }
  SilentScan* scan = plan_scan(sql, table->relation, table->owner, parameter, condition, picked);
  require_planned_rows(table);
  return scan;
}

}  // namespace

SampledUnits* units_of_rows(const ProtectedTable* table, Expr* condition) {
  if (!table->samples_units) return NULL;
  const bool made = table->made != NULL;
  Oid* type = (Oid*)palloc(sizeof(Oid));
  *type = unit_of(table)->vartype;
  const char* unit = made ? kMadeUnit : get_attname(table->relation, table->unit, false);
  const char* sql = psprintf("SELECT r.%s FROM %s AS r", quote_identifier(unit), asked_from(table));
  return sampled_units({.draws = true,
                        .most = contribution_of(table->rows_of_unit, std::nullopt),
                        .by_group = false,
                        .weights = {},
                        .units = rows_asked(table),
                        .pairs = 0,
                        .unit_texts = made ? 0 : public_size(table->relation),
                        .key_texts = 0,
                        .counting = plan_on(table, sql, InvalidOid, condition, {}),
                        .unit_columns = 1,
                        .columns = 1,
                        .type = type});
}

ReadRows read_rows_of(const ProtectedTable* table, bool may_share) {
  ReadRows rows = {};
  if (table->made != NULL) {
    rows.held = table->made->held;
    need_memory(table->made->row_bytes);
    plan_held_units(rows.held, may_share);
  }
  if (!picks_rows(table)) rows.units = units_of_rows(table);
  return rows;
}

SilentScan* plan_scan_of(const ProtectedTable* table, const ReadRows& rows,
                         const BlocksRead& blocks, const char* sql, Oid parameter) {
  return plan_on(table, sql, parameter,
                 rows.units == NULL ? scan_condition(table, blocks) : is_kept(table, rows.units),
                 picked_of(table));
}

// Units of a share of those that are held have numbers of their own: they are counted anew.
int shares_of(const ReadRows& rows) {
  return shares_of(rows.held) * shares_of(rows.units);
}

void begin_share(const ReadRows& rows, int share) {
  const int sampled = shares_of(rows.units);
  read_held_units(rows.held, share / sampled);
  count_share(rows.units, share % sampled);
}

}  // namespace dpmix::pg
