#include "pg/units/held_entries.hpp"

#include "pg/border/result_rows.hpp"
#include "pg/process/release_plan.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "nodes/makefuncs.h"
#include "nodes/supportnodes.h"

PG_FUNCTION_INFO_V1(dpmix_held_units);
PG_FUNCTION_INFO_V1(dpmix_rows_of_unit);
PG_FUNCTION_INFO_V1(dpmix_rows_of_unit_size);
}

namespace dpmix::pg {
namespace {

constexpr char kUnits[] = "held_units", kRows[] = "rows_of_unit";

RangeTblEntry* function_entry(FuncExpr* call, const char* name, int columns) {
  call->funcretset = true;
  RangeTblFunction* function = makeNode(RangeTblFunction);
  function->funcexpr = (Node*)call;
  function->funccolcount = columns;
  RangeTblEntry* entry = makeNode(RangeTblEntry);
  entry->rtekind = RTE_FUNCTION;
  entry->functions = list_make1(function);
  entry->eref = makeAlias(name, NIL);
  entry->inFromCl = true;
  return entry;
}

Expr* pointer_to(const HeldUnits* held) {
  return (Expr*)constant(INTERNALOID, InvalidOid, PointerGetDatum(held));
}

}  // namespace

int place_of_rows(const RangeTblEntry* entry) {
  if (entry->rtekind != RTE_FUNCTION) return -1;
  const Node* call = linitial_node(RangeTblFunction, entry->functions)->funcexpr;
  if (!IsA(call, FuncExpr) ||
      ((const FuncExpr*)call)->funcid != dpmix_function(kRows, {INTERNALOID, INT4OID, INT4OID})) {
    return -1;
  }
  return DatumGetInt32(lsecond_node(Const, ((const FuncExpr*)call)->args)->constvalue);
}

RangeTblEntry* units_entry(const HeldUnits* held) {
  FuncExpr* call =
      makeFuncExpr(dpmix_function(kUnits, {INTERNALOID}), INT4OID, list_make1(pointer_to(held)),
                   InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
  RangeTblEntry* entry = function_entry(call, "units", 1);
  entry->eref->colnames = list_make1(makeString(pstrdup("unit")));
  return entry;
}

RangeTblEntry* rows_entry(const HeldUnits* held, int table, Var* unit) {
  Expr* whose = is_public_table(held, table)
                    ? (Expr*)constant(INT4OID, InvalidOid, Int32GetDatum(0))
                    : (Expr*)unit;
  const TupleDesc type = columns_held(held, table);
  List* arguments =
      list_make3(pointer_to(held), constant(INT4OID, InvalidOid, Int32GetDatum(table)), whose);
  FuncExpr* call = makeFuncExpr(dpmix_function(kRows, {INTERNALOID, INT4OID, INT4OID}), RECORDOID,
                                arguments, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
  RangeTblEntry* entry = function_entry(call, "rows", type->natts);
  RangeTblFunction* function = linitial_node(RangeTblFunction, entry->functions);
  for (int i = 0; i < type->natts; i++) {
    const FormData_pg_attribute* column = TupleDescAttr(type, i);
    const Oid held_type = column->attisdropped ? INT4OID : column->atttypid;
    char* name = pstrdup(NameStr(column->attname));
    entry->eref->colnames = lappend(entry->eref->colnames, makeString(name));
    function->funccolnames = lappend(function->funccolnames, makeString(name));
    function->funccoltypes = lappend_oid(function->funccoltypes, held_type);
    function->funccoltypmods = lappend_int(function->funccoltypmods, column->atttypmod);
    function->funccolcollations = lappend_oid(function->funccolcollations, column->attcollation);
  }
  return entry;
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

extern "C" {

Datum dpmix_held_units(PG_FUNCTION_ARGS) {
  require_release_plan(fcinfo);
  HeldUnits* held = (HeldUnits*)PG_GETARG_POINTER(0);
  const ResultRows rows = begin_rows(fcinfo, true);
  const uint32 units = units_held(held);
  for (uint32 unit = 0; unit < units; unit++) {
    Datum value = Int32GetDatum((int32)unit);
    bool null = false;
    tuplestore_putvalues(rows.store, rows.type, &value, &null);
  }
  return (Datum)0;
}

Datum dpmix_rows_of_unit(PG_FUNCTION_ARGS) {
  require_release_plan(fcinfo);
  const HeldUnits* held = (const HeldUnits*)PG_GETARG_POINTER(0);
  const int table = PG_GETARG_INT32(1);
  const auto unit = (uint32)PG_GETARG_INT32(2);
  const ResultRows rows = begin_rows(fcinfo, true);
  TupleTableSlot* slot = MakeSingleTupleTableSlot(rows.type, &TTSOpsMinimalTuple);
  for (const dpmix::UnitRows::Row& row : rows_held(held, table, unit)) {
    ExecStoreMinimalTuple((MinimalTuple)row.data, slot, false);
    tuplestore_puttupleslot(rows.store, slot);
  }
  ExecDropSingleTupleTableSlot(slot);
  return (Datum)0;
}

Datum dpmix_rows_of_unit_size(PG_FUNCTION_ARGS) {
  require_release_plan(fcinfo);
  SupportRequestRows* request = (SupportRequestRows*)PG_GETARG_POINTER(0);
  if (!IsA(request, SupportRequestRows) || !IsA(request->node, FuncExpr)) PG_RETURN_POINTER(NULL);
  const List* arguments = ((const FuncExpr*)request->node)->args;
  const HeldUnits* held =
      (const HeldUnits*)DatumGetPointer(linitial_node(Const, arguments)->constvalue);
  request->rows = usual_rows(held, DatumGetInt32(lsecond_node(Const, arguments)->constvalue));
  PG_RETURN_POINTER(request);
}
}
