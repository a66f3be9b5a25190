#include "pg/rows/builder.hpp"

#include <cmath>

#include "pg/border/guard.hpp"
#include "pg/border/subtransaction.hpp"
#include "pg/process/worker.hpp"
#include "pg/rows/number_type.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"
}

namespace dpmix::pg {
namespace {

struct NumberColumn {
  int index;  // the attribute's
  double lower, upper;
  NumberCast cast;
  NumberType type;
};

struct CategoryColumn {
  int index;
  int count;
  Datum* values;  // made once
};

}  // namespace

struct RowBuilder {
  ReturnSetInfo* result;
  MemoryContext memory;  // lives as long as the result
  MemoryContext row;     // what one row's values need
  TupleDesc desc;
  Oid relation;
  NumberColumn* numbers;
  CategoryColumn* categories;
  int number_count, category_count;
  bool* taken;    // columns that have a source
  Datum* values;  // the row under construction
  bool* nulls;
  Tuplestorestate* store;
};

namespace {

bool is_constrained(Oid type) {
  return !in_release_process() && DomainHasConstraints(type);
}

// Whether a domain takes a value (or NULL): only its constraints know.
bool domain_takes(Oid domain, Datum value, bool is_null) {
  ErrorData* error = error_of([&] { domain_check(value, is_null, domain, NULL, NULL); });
  if (error == NULL) return true;
  const int code = error->sqlerrcode;
  if (code != ERRCODE_NOT_NULL_VIOLATION && code != ERRCODE_CHECK_VIOLATION) ReThrowError(error);
  return false;
}

// NULL when the type does not take a text.
Datum* category_values(Form_pg_attribute attribute, int count, char* const* categories) {
  Datum* values = (Datum*)palloc(Max(count, 1) * sizeof(Datum));
  Oid input, parameter;
  int32 modifier = attribute->atttypmod;
  const Oid type = in_release_process() ? getBaseTypeAndTypmod(attribute->atttypid, &modifier)
                                        : attribute->atttypid;
  getTypeInputInfo(type, &input, &parameter);
  FmgrInfo function;
  fmgr_info(input, &function);
  ErrorData* error = error_of([&] {
    for (int i = 0; i < count; i++) {
      values[i] = InputFunctionCall(&function, categories[i], parameter, modifier);
    }
  });
  if (error == NULL) return values;
  const int category = ERRCODE_TO_CATEGORY(error->sqlerrcode);
  if (category != ERRCODE_DATA_EXCEPTION && category != ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION) {
    ReThrowError(error);
  }
  return NULL;
}

int find_column(const RowBuilder* rows, const char* column) {  // -1: none
  for (int i = 0; i < rows->desc->natts; i++) {
    Form_pg_attribute attribute = TupleDescAttr(rows->desc, i);
    if (!attribute->attisdropped && strcmp(NameStr(attribute->attname), column) == 0) return i;
  }
  return -1;
}

int require_column(const RowBuilder* rows, const char* column) {
  const int i = find_column(rows, column);
  if (i >= 0) return i;
  refuse_argument(
      psprintf("row type %s has no column \"%s\"", format_type_be(rows->desc->tdtypeid), column),
      "Every feature and the label need a column of the same name.",
      "Add the column, or use the row type of the table that was modelled.");
}

int take_column(RowBuilder* rows, const char* column) {
  const int i = require_column(rows, column);
  if (rows->taken[i]) {
    refuse_argument(psprintf("column \"%s\" is named twice", column),
                    "A column of a row has one source.",
                    "Name each feature once, and the label apart from the features.");
  }
  rows->taken[i] = true;
  rows->nulls[i] = false;
  return i;
}

Oid argument_row_type(FunctionCallInfo fcinfo, int argument) {
  const Oid type = get_fn_expr_argtype(fcinfo->flinfo, argument);
  if (!OidIsValid(type) || get_typtype(type) != TYPTYPE_COMPOSITE) {
    refuse_argument(
        "rows need the row type of a table",
        psprintf("row_type is of type %s.", OidIsValid(type) ? format_type_be(type) : "unknown"),
        "Write NULL::name_of_the_table.");
  }
  return type;
}

}  // namespace

RowBuilder* row_builder(FunctionCallInfo fcinfo, int argument) {
  ReturnSetInfo* result = (ReturnSetInfo*)fcinfo->resultinfo;
  if (result == NULL || !IsA(result, ReturnSetInfo) ||
      (result->allowedModes & SFRM_Materialize) == 0) {
    refuse(ERRCODE_FEATURE_NOT_SUPPORTED, "set of rows requested where none can be returned", NULL,
           "Call the function in FROM.");
  }
  const Oid type = argument_row_type(fcinfo, argument);
  MemoryContext memory = result->econtext->ecxt_per_query_memory;
  MemoryContext outer = MemoryContextSwitchTo(memory);
  RowBuilder* rows = (RowBuilder*)palloc0(sizeof(RowBuilder));
  rows->result = result;
  rows->memory = memory;
  rows->row = AllocSetContextCreate(memory, "dpmix row", ALLOCSET_SMALL_SIZES);
  TupleDesc shared = lookup_rowtype_tupdesc(type, -1);
  rows->desc = CreateTupleDescCopy(shared);
  ReleaseTupleDesc(shared);
  const Oid relation = get_typ_typrelid(type);
  rows->relation = get_rel_relkind(relation) == RELKIND_COMPOSITE_TYPE ? InvalidOid : relation;
  const Size columns = Max(rows->desc->natts, 1);
  rows->numbers = (NumberColumn*)palloc0(columns * sizeof(NumberColumn));
  rows->categories = (CategoryColumn*)palloc0(columns * sizeof(CategoryColumn));
  rows->taken = (bool*)palloc0(columns * sizeof(bool));
  rows->values = (Datum*)palloc0(columns * sizeof(Datum));
  rows->nulls = (bool*)palloc(columns * sizeof(bool));
  memset(rows->nulls, true, columns * sizeof(bool));
  MemoryContextSwitchTo(outer);
  return rows;
}

Oid protected_relation(const RowBuilder* rows) {
  if (!OidIsValid(rows->relation)) {
    refuse_argument("synthetic rows need a protected table", "row_type is a composite type.",
                    "Write NULL::name_of_the_protected_table.");
  }
  return rows->relation;
}

bool has_column(const RowBuilder* rows, const char* column) {
  return find_column(rows, column) >= 0;
}

Oid row_type_of(const RowBuilder* rows, const char* column, int32* typmod) {
  Form_pg_attribute attribute = TupleDescAttr(rows->desc, require_column(rows, column));
  *typmod = attribute->atttypmod;
  return getBaseTypeAndTypmod(attribute->atttypid, typmod);
}

void number_column(RowBuilder* rows, const char* column, double lower, double upper, Oid type) {
  const int index = take_column(rows, column);
  Form_pg_attribute attribute = TupleDescAttr(rows->desc, index);
  NumberColumn* number = &rows->numbers[rows->number_count++];
  number->index = index;
  number->lower = lower;
  number->upper = upper;
  if (OidIsValid(type)) {
    number->cast = cast_between(column, type, attribute->atttypid);
    if (number->cast == NumberCast::date_to_time) {  // whole days inside the bounds
      number->lower = lower = std::ceil(lower);
      number->upper = upper = std::floor(upper);
    }
    lower = cast_number(number->cast, lower);
    upper = cast_number(number->cast, upper);
  }
  number->type = number_type(column, attribute->atttypid, attribute->atttypmod, lower, upper);
  if (is_constrained(attribute->atttypid)) {
    // A domain that refuses an end of the bounds would refuse rows: say so before they are made.
    for (const double end : {lower, upper}) {
      if (domain_takes(attribute->atttypid, number_datum(&number->type, end), false)) continue;
      refuse_argument(
          psprintf("column \"%s\" cannot hold all values within the feature's bounds", column),
          psprintf("Its domain %s refuses %g; the bounds are %g and %g.",
                   format_type_be(attribute->atttypid), end, lower, upper),
          "Use a row type without the constraint.");
    }
  }
}

void category_column(RowBuilder* rows, const char* column, int count, char* const* categories) {
  const int index = take_column(rows, column);
  Form_pg_attribute attribute = TupleDescAttr(rows->desc, index);
  MemoryContext outer = MemoryContextSwitchTo(rows->memory);
  CategoryColumn* category = &rows->categories[rows->category_count++];
  category->index = index;
  category->count = count;
  category->values = category_values(attribute, count, categories);
  MemoryContextSwitchTo(outer);
  if (category->values == NULL) {
    refuse_argument(psprintf("column \"%s\" cannot hold all declared categories", column),
                    psprintf("It is of type %s.",
                             format_type_with_typemod(attribute->atttypid, attribute->atttypmod)),
                    "Use a row type whose column is of the modelled column's type, and declare "
                    "categories that it takes.");
  }
}

void may_be_null(RowBuilder* rows, const char* column) {
  Form_pg_attribute attribute = TupleDescAttr(rows->desc, find_column(rows, column));
  if (!is_constrained(attribute->atttypid) || domain_takes(attribute->atttypid, (Datum)0, true)) {
    return;
  }
  refuse_argument(psprintf("column \"%s\" cannot be NULL", column),
                  psprintf("Some of its values are missing, and its domain %s forbids NULL.",
                           format_type_be(attribute->atttypid)),
                  "Use a row type without the constraint.");
}

void start_rows(RowBuilder* rows) {
  for (int i = 0; i < rows->desc->natts; i++) {
    Form_pg_attribute attribute = TupleDescAttr(rows->desc, i);
    if (attribute->attisdropped || rows->taken[i]) continue;
    if (!is_constrained(attribute->atttypid) || domain_takes(attribute->atttypid, (Datum)0, true)) {
      continue;
    }
    refuse_argument(
        psprintf("column \"%s\" cannot be NULL", NameStr(attribute->attname)),
        psprintf("It is neither a feature nor the label, and its domain %s forbids NULL.",
                 format_type_be(attribute->atttypid)),
        "Make it a feature, or use a row type without this column.");
  }
  // The tuplestore keeps its tuples in the context it is made in. Here they lie one after the
  // other, not rounded up to powers of two: narrow ones take two thirds of the memory.
  MemoryContext tuples =
      GenerationContextCreate(rows->memory, "dpmix rows", ALLOCSET_DEFAULT_SIZES);
  MemoryContext outer = MemoryContextSwitchTo(tuples);
  rows->store = tuplestore_begin_heap((rows->result->allowedModes & SFRM_Materialize_Random) != 0,
                                      false, work_mem);
  rows->result->returnMode = SFRM_Materialize;
  rows->result->setResult = rows->store;
  rows->result->setDesc = rows->desc;
  MemoryContextSwitchTo(outer);
}

ResultRows row_store(const RowBuilder* rows) {
  return {rows->store, rows->desc};
}

void put_row(RowBuilder* rows, const double* numbers, const int* categories) {
  MemoryContext outer = MemoryContextSwitchTo(rows->row);
  for (int i = 0; i < rows->number_count; i++) {
    NumberColumn* number = &rows->numbers[i];
    rows->nulls[number->index] = std::isnan(numbers[i]);
    if (rows->nulls[number->index]) continue;
    // What lies outside the bounds is not a value of the feature: clamped before it is cast.
    const double inside = clamped(numbers[i], number->lower, number->upper);
    const Datum value = number_datum(&number->type, cast_number(number->cast, inside));
    rows->values[number->index] = value;
  }
  for (int i = 0; i < rows->category_count; i++) {
    const CategoryColumn* category = &rows->categories[i];
    Assert(categories[i] >= -1 && categories[i] < category->count);
    rows->nulls[category->index] = categories[i] < 0;
    if (categories[i] >= 0) rows->values[category->index] = category->values[categories[i]];
  }
  tuplestore_putvalues(rows->store, rows->desc, rows->values, rows->nulls);
  MemoryContextSwitchTo(outer);
  MemoryContextReset(rows->row);
}

}  // namespace dpmix::pg
