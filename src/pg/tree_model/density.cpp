// How likely a stored tree model makes a row, and which class it belongs to. Free: post-processing.
#include <vector>

#include "core/tree_model/law.hpp"
#include "pg/border/context_object.hpp"
#include "pg/border/row_type.hpp"
#include "pg/mixture/loaded_model.hpp"
#include "pg/rows/number_type.hpp"
#include "pg/rows/to_float8.hpp"
#include "pg/tree_model/store.hpp"
#include "pg/trees/category.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "access/htup_details.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

PG_FUNCTION_INFO_V1(dpmix_tree_probability);
PG_FUNCTION_INFO_V1(dpmix_tree_classify);
}

namespace dpmix::pg {
namespace {

// Where a column of the model is in the rows that are asked about.
struct Source {
  int attribute = -1;     // from 0; -1: none
  Oid type = InvalidOid;  // below domains
  NumberCast cast = NumberCast::none;
  FmgrInfo number_of = {};  // of categories: dpmix_internal.class_number, as in the scan
  Oid collation = InvalidOid;
  Datum categories = 0;  // an array
};

struct LoadedLaw {
  StoredTree tree;
  const TreeLaw* law;
  const char* name;
  int* codes;          // room for one of each column
  double within;       // the probability of the row's cells, given their codes
  double* of_classes;  // room for one of each class
  MemoryContext row;   // of the rest, for rows of
  uint64 row_type;     // this type, by its number; 0: none yet
  TupleDesc desc;
  Source *columns, label;
  Datum* values;
  bool* nulls;
};

void load(const char* name, LoadedLaw* loaded) {
  *loaded = {};
  loaded->tree = load_tree(name);
  loaded->name = name;
  loaded->law = context_object<TreeLaw>([&] { return new TreeLaw(*loaded->tree.model); });
  const int features = loaded->tree.row.features,
            classes = loaded->tree.model->tables.class_count();
  loaded->codes = (int*)palloc(features * sizeof(int));
  loaded->of_classes = (double*)palloc(classes * sizeof(double));
  loaded->row = AllocSetContextCreate(CurrentMemoryContext, "dpmix row", ALLOCSET_SMALL_SIZES);
}

int attribute_named(TupleDesc desc, const char* name) {
  for (int i = 0; i < desc->natts; i++) {
    const Form_pg_attribute attribute = TupleDescAttr(desc, i);
    if (!attribute->attisdropped && strcmp(NameStr(attribute->attname), name) == 0) return i;
  }
  return -1;
}

Source number_source(TupleDesc desc, int attribute, const char* name, Oid modelled) {
  const Oid type = getBaseType(TupleDescAttr(desc, attribute)->atttypid);
  if (!holds_numbers(type)) {
    refuse_argument(psprintf("column \"%s\" is of another kind than the model's", name),
                    psprintf("It is of type %s, the model's of type %s.", format_type_be(type),
                             format_type_be(modelled)),
                    "Pass a row whose columns are of the modelled columns' types.");
  }
  (void)cast_between(name, modelled, type);  // refuses, and names them as they are
  return {.attribute = attribute, .type = type, .cast = cast_between(name, type, modelled)};
}

// Texts of categories are compared as values of the row's own type.
Source category_source(TupleDesc desc, int attribute, const char* name, int count,
                       char* const* texts) {
  Source source = {.attribute = attribute};
  source.type = getBaseType(TupleDescAttr(desc, attribute)->atttypid);
  source.collation = TupleDescAttr(desc, attribute)->attcollation;
  Datum* values = (Datum*)palloc(Max(count, 1) * sizeof(Datum));
  Oid input, parameter;
  getTypeInputInfo(source.type, &input, &parameter);
  MemoryContext context = CurrentMemoryContext;
  volatile bool held = true;
  PG_TRY();
  {
    for (int k = 0; k < count; k++) {
      values[k] = OidInputFunctionCall(input, texts[k], parameter, -1);
    }
  }
  PG_CATCH();
  {
    MemoryContextSwitchTo(context);
    if (ERRCODE_TO_CATEGORY(geterrcode()) != ERRCODE_DATA_EXCEPTION) PG_RE_THROW();
    FlushErrorState();
    held = false;
  }
  PG_END_TRY();
  if (!held) {
    refuse_argument(psprintf("column \"%s\" is of another kind than the model's", name),
                    psprintf("It is of type %s, which cannot hold all categories of the model.",
                             format_type_be(source.type)),
                    "Pass a row whose columns are of the modelled columns' types.");
  }
  source.categories = category_array(source.type, source.collation, values, count)->constvalue;
  fmgr_info(dpmix_function("class_number", {ANYARRAYOID, ANYELEMENTOID}), &source.number_of);
  return source;
}

void find_columns(LoadedLaw* loaded, HeapTupleHeader of) {
  const uint64 number = row_type_number(of);
  loaded->row_type = 0;
  MemoryContextReset(loaded->row);
  TupleDesc shared =
      lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(of), HeapTupleHeaderGetTypMod(of));
  loaded->desc = CreateTupleDescCopy(shared);
  ReleaseTupleDesc(shared);
  const FoundRelease& row = loaded->tree.row;
  loaded->columns = (Source*)palloc(row.features * sizeof(Source));
  for (int i = 0; i < row.features; i++) {
    const char* name = row.feature[i];
    const CutColumn& column = loaded->tree.model->columns[(Size)i];
    const int attribute = attribute_named(loaded->desc, name);
    if (attribute < 0) {
      refuse_argument(psprintf("the row has no column \"%s\"", name),
                      psprintf("Release \"%s\" is of it.", loaded->name),
                      "Pass a row that has all columns of the model.");
    }
    loaded->columns[i] =
        column.ordered() ? number_source(loaded->desc, attribute, name, row.types[i])
                         : category_source(loaded->desc, attribute, name, column.values.categories,
                                           loaded->tree.categories(i));
  }
  loaded->label = {};
  const int label = row.label != NULL ? attribute_named(loaded->desc, row.label) : -1;
  if (label >= 0) {
    loaded->label = category_source(loaded->desc, label, row.label, row.label_count, row.labels);
  }
  loaded->values = (Datum*)palloc(Max(loaded->desc->natts, 1) * sizeof(Datum));
  loaded->nulls = (bool*)palloc(Max(loaded->desc->natts, 1) * sizeof(bool));
  loaded->row_type = number;
}

int category_of(Source* source, Datum value) {  // -1: none
  LOCAL_FCINFO(call, 2);
  InitFunctionCallInfoData(*call, &source->number_of, 2, source->collation, NULL, NULL);
  call->args[0] = {.value = source->categories, .isnull = false};
  call->args[1] = {.value = value, .isnull = false};
  const Datum number = FunctionCallInvoke(call);
  return call->isnull ? -1 : DatumGetInt32(number);
}

// Codes of the row's values, and what share of their codes its cells are.
void code_row(LoadedLaw* loaded, HeapTupleHeader row) {
  if (loaded->row_type != row_type_number(row)) {
    MemoryContext outer = MemoryContextSwitchTo(loaded->row);
    find_columns(loaded, row);
    MemoryContextSwitchTo(outer);
  }
  read_row(row, loaded->desc, loaded->values, loaded->nulls);
  loaded->within = 1;
  for (int i = 0; i < loaded->tree.row.features; i++) {
    Source* source = &loaded->columns[i];
    const CutColumn& column = loaded->tree.model->columns[(Size)i];
    double x = std::numeric_limits<double>::quiet_NaN();
    const Datum value = loaded->values[source->attribute];
    if (!loaded->nulls[source->attribute]) {
      x = column.ordered() ? cast_number(source->cast, value_float8(source->type, value))
                           : category_of(source, value);
    }
    const auto cell = (Size)column.cells.cell(x);
    loaded->codes[i] = column.cells.code[cell];
    loaded->within *= loaded->law->cells(i)[cell];
  }
}

// Of each class together with the codes of the row.
LoadedLaw* class_probabilities(FunctionCallInfo fcinfo) {
  LoadedLaw* loaded = loaded_model<LoadedLaw>(fcinfo, load);
  code_row(loaded, PG_GETARG_HEAPTUPLEHEADER(1));
  const int classes = loaded->tree.model->tables.class_count();
  const std::span<const int> codes(loaded->codes, (Size)loaded->tree.row.features);
  for (int k = 0; k < classes; k++) loaded->of_classes[k] = loaded->law->probability(k, codes);
  return loaded;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_tree_probability(PG_FUNCTION_ARGS) {
  LoadedLaw* loaded = class_probabilities(fcinfo);
  const int label = loaded->label.attribute;
  if (label >= 0 && !loaded->nulls[label]) {
    const int k = category_of(&loaded->label, loaded->values[label]);
    PG_RETURN_FLOAT8(k < 0 ? 0 : loaded->of_classes[k] * loaded->within);
  }
  double sum = 0;
  for (int k = 0; k < loaded->tree.model->tables.class_count(); k++) sum += loaded->of_classes[k];
  PG_RETURN_FLOAT8(sum * loaded->within);
}

Datum dpmix_tree_classify(PG_FUNCTION_ARGS) {
  LoadedLaw* loaded = class_probabilities(fcinfo);
  const FoundRelease& row = loaded->tree.row;
  if (row.label == NULL) {
    refuse_argument("a tree without a label has no classes", "It was released with label => NULL.",
                    "Release one with a label.");
  }
  int best = 0;
  for (int k = 1; k < row.label_count; k++) {
    if (loaded->of_classes[k] > loaded->of_classes[best]) best = k;
  }
  PG_RETURN_TEXT_P(cstring_to_text(row.labels[best]));
}
