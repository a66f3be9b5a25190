#include "pg/units/grouping.hpp"

#include "core/base/int128.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/process/release_plan.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/units/held_store.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(dpmix_groups_of_units);
}

namespace dpmix::pg {
namespace {

constexpr int kOwnWords = 1;  // notes before those of the values: nobody's

int words_of(UnitAggregate how) {
  switch (how) {
    case UnitAggregate::rows:
    case UnitAggregate::values:
      return 1;
    case UnitAggregate::total:
    case UnitAggregate::mean:
      return 3;  // how many, and a sum of 128 bits
    default:
      return 2;  // how many, and the value
  }
}

// In the order of the type, as numbers.
int64 order_of(Oid type, Datum value) {
  switch (type) {
    case INT2OID:
      return DatumGetInt16(value);
    case INT4OID:
    case DATEOID:
      return DatumGetInt32(value);
    case BOOLOID:
      return DatumGetBool(value);
    case FLOAT8OID: {
      const double number = DatumGetFloat8(value);
      if (isnan(number)) return PG_INT64_MAX;
      const double one_zero = number + 0.;  // -0 is 0
      int64 bits;
      memcpy(&bits, &one_zero, sizeof bits);
      return bits < 0 ? bits ^ PG_INT64_MAX : bits;
    }
    default:
      return DatumGetInt64(value);
  }
}

Datum of_order(Oid type, int64 order) {
  switch (type) {
    case INT2OID:
      return Int16GetDatum((int16)order);
    case INT4OID:
    case DATEOID:
      return Int32GetDatum((int32)order);
    case BOOLOID:
      return BoolGetDatum(order != 0);
    case FLOAT8OID: {
      if (order == PG_INT64_MAX) return Float8GetDatum(get_float8_nan());
      const int64 bits = order < 0 ? order ^ PG_INT64_MAX : order;
      double number;
      memcpy(&number, &bits, sizeof number);
      return Float8GetDatum(number);
    }
    default:
      return Int64GetDatum(order);
  }
}

// Its words, one after the other: of one number they are never far apart.
struct Words {
  ValueNumbers* numbers;
  uint32 unit;
  int first;

  uint64& operator[](int i) const { return notes_of(numbers, kOwnWords + first + i)[unit]; }
};

Int128 sum_in(const Words& words) {
  return (Int128)(((UInt128)words[2] << 64) | words[1]);
}

void put_sum(const Words& words, Int128 sum) {
  words[1] = (uint64)sum;
  words[2] = (uint64)((UInt128)sum >> 64);
}

void add_value(const GroupedValue& value, const Words& words, Datum argument) {
  const bool first = words[0]++ == 0;
  if (value.how == UnitAggregate::values) return;
  if (value.how == UnitAggregate::total || value.how == UnitAggregate::mean) {
    put_sum(words, sum_in(words) + DatumGetInt64(argument));
    return;
  }
  const int64 now = order_of(value.type, argument), before = (int64)words[1];
  const bool low = value.how == UnitAggregate::least || value.how == UnitAggregate::all;
  if (first || (low ? now < before : now > before)) words[1] = (uint64)now;
}

Datum value_of(const GroupedValue& value, const Words& words, bool* null) {
  const auto count = (int64)words[0];
  const bool counts = value.how == UnitAggregate::rows || value.how == UnitAggregate::values;
  *null = !counts && count == 0;
  if (*null) return (Datum)0;
  if (counts) return Int64GetDatum(count);
  if (value.how == UnitAggregate::total) return Float8GetDatum(to_double(sum_in(words)));
  if (value.how == UnitAggregate::mean) {
    return Float8GetDatum(to_double(sum_in(words)) / (double)count);
  }
  return of_order(value.type, (int64)words[1]);
}

}  // namespace

bool is_ordered_here(Oid type) {
  switch (type) {
    case INT2OID:
    case INT4OID:
    case INT8OID:
    case FLOAT8OID:
    case DATEOID:
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
      return true;
    default:
      return false;
  }
}

Oid result_type(const GroupedValue& value) {
  switch (value.how) {
    case UnitAggregate::rows:
    case UnitAggregate::values:
      return INT8OID;
    case UnitAggregate::total:
    case UnitAggregate::mean:
      return FLOAT8OID;
    default:
      return value.type;
  }
}

GroupedValues* grouped_values(const List* values) {
  GroupedValues* made = (GroupedValues*)palloc0(offsetof(GroupedValues, value) +
                                                sizeof(GroupedValue) * list_length(values));
  const ListCell* cell;
  foreach (cell, values) {
    GroupedValue& value = made->value[made->count++];
    value = *(const GroupedValue*)lfirst(cell);
    value.place = made->words;
    made->words += words_of(value.how);
    made->arguments += value.argument != NULL;
  }
  return made;
}

List* arguments_of(const GroupedValues* values) {
  List* arguments = NIL;
  for (int i = 0; values != NULL && i < values->count; i++) {
    if (values->value[i].argument == NULL) continue;
    arguments = lappend(arguments, copyObjectImpl(values->value[i].argument));
  }
  return arguments;
}

double bytes_of_group(const GroupedValues* values) {
  constexpr double kRow = 64;  // of a tuplestore, besides its columns
  return sizeof(uint64) * (double)values->words + kRow + sizeof(Datum) * (values->count + 1.);
}

void add_to_group(const GroupedValues* values, ValueNumbers* numbers, uint32 unit,
                  const Datum* arguments, const bool* nulls) {
  int argument = 0;
  for (int i = 0; i < values->count; i++) {
    const GroupedValue& value = values->value[i];
    const Words words = {numbers, unit, value.place};
    if (value.argument == NULL) {
      words[0]++;
      continue;
    }
    if (!nulls[argument]) add_value(value, words, arguments[argument]);
    argument++;
  }
}

RangeTblEntry* groups_entry(const HeldUnits* held, const GroupedValues* values) {
  FuncExpr* call =
      makeFuncExpr(dpmix_function("groups_of_units", {INTERNALOID}), RECORDOID,
                   list_make1(constant(INTERNALOID, InvalidOid, PointerGetDatum(held))), InvalidOid,
                   InvalidOid, COERCE_EXPLICIT_CALL);
  call->funcretset = true;
  RangeTblFunction* function = makeNode(RangeTblFunction);
  function->funcexpr = (Node*)call;
  function->funccolcount = values->count + 1;
  RangeTblEntry* entry = makeNode(RangeTblEntry);
  entry->rtekind = RTE_FUNCTION;
  entry->functions = list_make1(function);
  entry->eref = makeAlias("groups", NIL);
  entry->inFromCl = true;
  for (int i = 0; i <= values->count; i++) {
    char* name = i == 0 ? pstrdup("unit") : psprintf("v%d", i);
    entry->eref->colnames = lappend(entry->eref->colnames, makeString(name));
    function->funccolnames = lappend(function->funccolnames, makeString(name));
    function->funccoltypes =
        lappend_oid(function->funccoltypes, i == 0 ? INT4OID : result_type(values->value[i - 1]));
    function->funccoltypmods = lappend_int(function->funccoltypmods, -1);
    function->funccolcollations = lappend_oid(function->funccolcollations, InvalidOid);
  }
  return entry;
}

}  // namespace dpmix::pg

using namespace dpmix::pg;

extern "C" Datum dpmix_groups_of_units(PG_FUNCTION_ARGS) {
  require_release_plan(fcinfo);
  const HeldUnits* held = (const HeldUnits*)PG_GETARG_POINTER(0);
  const GroupedValues* values = table_at(held, 0)->grouped;
  const ResultRows rows = begin_rows(fcinfo, true);
  Datum* column = (Datum*)palloc(sizeof(Datum) * (values->count + 1));
  bool* null = (bool*)palloc0(sizeof(bool) * (values->count + 1));
  const auto units = (uint32)notes_of(held->numbers).size();
  for (uint32 unit = 0; unit < units; unit++) {
    column[0] = Int32GetDatum((int32)unit);
    for (int i = 0; i < values->count; i++) {
      const GroupedValue& value = values->value[i];
      column[i + 1] = value_of(value, {held->numbers, unit, value.place}, &null[i + 1]);
    }
    tuplestore_putvalues(rows.store, rows.type, column, null);
  }
  return (Datum)0;
}
