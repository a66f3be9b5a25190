#include "pg/units/rows_of_units.hpp"

#include "pg/catalog/open_protected.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/scan/memory.hpp"
#include "pg/scan/table_size.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/units/row_memory.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {

namespace {

// dpmix_internal.row_kept(memory, the share at work, unit)
Expr* is_kept(const ProtectedTable* table, SampledUnits* units) {
  RowMemory* memory = (RowMemory*)palloc0(sizeof(RowMemory));
  memory->units = units;
  Oid type, collation;
  int32 modifier;
  get_atttypetypmodcoll(table->relation, table->unit, &type, &modifier, &collation);
  List* arguments = list_make3(constant(INTERNALOID, InvalidOid, PointerGetDatum(memory)),
                               constant(INT4OID, InvalidOid, Int32GetDatum(kShareAtWork)),
                               makeVar(1, table->unit, type, modifier, collation, 0));
  return (Expr*)makeFuncExpr(dpmix_function("row_kept", {INTERNALOID, INT4OID, ANYOID}), BOOLOID,
                             arguments, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

}  // namespace

void require_sampled_units(const ProtectedTable* table) {
  if (has_blocks(table->blocks) || is_distributed(table->relation)) refuse_several_rows(table);
}

int rows_per_unit(const ProtectedTable* table) {
  return table->samples_units ? table->rows_of_unit : 1;
}

SampledUnits* units_of_rows(const ProtectedTable* table, Expr* condition) {
  if (!table->samples_units) return NULL;
  Oid* type = (Oid*)palloc(sizeof(Oid));
  *type = get_atttype(table->relation, table->unit);
  const char* unit = get_attname(table->relation, table->unit, false);
  const char* sql = psprintf("SELECT r.%s FROM %s AS r", quote_identifier(unit), table->name);
  return sampled_units(
      {.draws = true,
       .most = contribution_of(table->rows_of_unit, std::nullopt),
       .by_group = false,
       .weights = {},
       .units = rows_in(table->relation),
       .pairs = 0,
       .unit_texts = public_size(table->relation),
       .key_texts = 0,
       .counting = plan_scan(sql, table->relation, table->owner, InvalidOid, condition),
       .unit_columns = 1,
       .columns = 1,
       .type = type});
}

Expr* rows_that_count(const ProtectedTable* table, SampledUnits* units, const BlocksRead& blocks) {
  return units == NULL ? scan_condition(table, blocks) : is_kept(table, units);
}

}  // namespace dpmix::pg
