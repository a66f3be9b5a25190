#include "pg/tree_model/density.hpp"

#include <limits>
#include <vector>

#include "core/tree_model/law.hpp"
#include "pg/border/context_object.hpp"
#include "pg/release/loaded_model.hpp"
#include "pg/rows/named_columns.hpp"
#include "pg/tree_model/store.hpp"
#include "pg/trees/category.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "utils/lsyscache.h"
#include "utils/typcache.h"

PG_FUNCTION_INFO_V1(dpmix_tree_probability);
}

namespace dpmix::pg {
namespace {

struct CategoryColumn {
  int column = -1;          // that of the rows; -1: none
  FmgrInfo number_of = {};  // dpmix_internal.class_number, as in the scan
  Oid collation = InvalidOid;
  Datum categories = 0;  // an array
};

// Where a column of the model is in the rows that are asked about.
struct Source {
  RowNumber number;         // an ordered column
  CategoryColumn category;  // any other
};

}  // namespace

struct LoadedTree {
  StoredTree tree;
  const TreeLaw* law;
  int* codes;                 // room for one of each column
  double *of_row, *measured;  // room for a row, and what is measured of it
  double within;              // the probability of the row's cells, given their codes
  double* of_classes;         // room for one of each class
  NamedColumns columns;
  Source* sources;
  CategoryColumn label;
};

namespace {

// Texts of categories are compared as values of the row's own type.
CategoryColumn category_in(const NamedColumns& columns, int column, const char* name, int count,
                           char* const* texts) {
  CategoryColumn source = {.column = column};
  const Oid type = column_type(columns, column);
  source.collation = TupleDescAttr(columns.desc, column)->attcollation;
  Datum* values = (Datum*)palloc(Max(count, 1) * sizeof(Datum));
  Oid input, parameter;
  getTypeInputInfo(type, &input, &parameter);
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
                             format_type_be(type)),
                    "Pass a row whose columns are of the modelled columns' types.");
  }
  source.categories = category_array(type, source.collation, values, count)->constvalue;
  fmgr_info(dpmix_function("class_number", {ANYARRAYOID, ANYELEMENTOID}), &source.number_of);
  return source;
}

void find_columns(LoadedTree* loaded) {
  const FoundRelease& row = loaded->tree.row;
  const NamedColumns& columns = loaded->columns;
  loaded->sources = (Source*)palloc0(row.features * sizeof(Source));
  for (int i = 0; i < row.features; i++) {
    const char* name = row.feature[i];
    const CutColumn* modelled = loaded->tree.column(i);
    if (modelled == NULL) continue;  // a sum tells nothing that its parts do not
    const int column = required_column(columns, name, row.name);
    if (modelled->ordered()) {
      loaded->sources[i].number = number_in(columns, column, name, row.types[i]);
    } else {
      loaded->sources[i].category = category_in(columns, column, name, modelled->values.categories,
                                                loaded->tree.categories(i));
    }
  }
  loaded->label = {};
  const int label = row.label != NULL ? column_named(columns, row.label) : -1;
  if (label >= 0) {
    loaded->label = category_in(columns, label, row.label, row.label_count, row.labels);
  }
}

int category_of(const NamedColumns& columns, CategoryColumn* source) {  // -1: none
  if (columns.nulls[source->column]) return -1;
  LOCAL_FCINFO(call, 2);
  InitFunctionCallInfoData(*call, &source->number_of, 2, source->collation, NULL, NULL);
  call->args[0] = {.value = source->categories, .isnull = false};
  call->args[1] = {.value = columns.values[source->column], .isnull = false};
  const Datum number = FunctionCallInvoke(call);
  return call->isnull ? -1 : DatumGetInt32(number);
}

// Codes of the row's values, what share of their codes its cells are, and each class together with
// the codes.
void read(LoadedTree* loaded, HeapTupleHeader row) {
  read_named(&loaded->columns, row, [&] { find_columns(loaded); });
  loaded->within = 1;
  const TreeModel& model = *loaded->tree.model;
  const int columns = (int)model.columns.size();
  for (int m = 0; m < columns; m++) {
    const int i = model.row_column(m);
    Source* source = &loaded->sources[i];
    loaded->of_row[i] = model.columns[(Size)m].ordered()
                            ? number_of(loaded->columns, source->number)
                        : loaded->columns.nulls[source->category.column]
                            ? std::numeric_limits<double>::quiet_NaN()
                            : category_of(loaded->columns, &source->category);
  }
  const double* measured = loaded->of_row;
  if (!model.rules.empty()) {
    model.rules.measure({loaded->of_row, (Size)model.row_columns()},
                        {loaded->measured, (Size)columns});
    measured = loaded->measured;
  }
  for (int m = 0; m < columns; m++) {
    const CutColumn& modelled = model.columns[(Size)m];
    const auto cell = (Size)modelled.cells.cell(measured[m]);
    loaded->codes[m] = modelled.cells.code[cell];
    loaded->within *= loaded->law->cells(m)[cell];
  }
  const int classes = model.tables.class_count();
  const std::span<const int> codes(loaded->codes, (Size)columns);
  for (int k = 0; k < classes; k++) loaded->of_classes[k] = loaded->law->probability(k, codes);
}

}  // namespace

LoadedTree* loaded_tree(const FoundRelease& found) {
  LoadedTree* loaded = (LoadedTree*)palloc0(sizeof(LoadedTree));
  loaded->tree = load_tree(found);
  loaded->law = context_object<TreeLaw>([&] { return new TreeLaw(*loaded->tree.model); });
  const int features = loaded->tree.row.features,
            classes = loaded->tree.model->tables.class_count();
  loaded->codes = (int*)palloc(features * sizeof(int));
  loaded->of_row = (double*)palloc0(features * sizeof(double));
  loaded->measured = (double*)palloc(features * sizeof(double));
  loaded->of_classes = (double*)palloc(classes * sizeof(double));
  loaded->columns = named_columns();
  return loaded;
}

const char* class_by_tree(LoadedTree* loaded, HeapTupleHeader of) {
  const FoundRelease& row = loaded->tree.row;
  if (row.label == NULL) {
    refuse_argument("a tree without a label has no classes", "It was released with label => NULL.",
                    "Release one with a label.");
  }
  read(loaded, of);
  int best = 0;
  for (int k = 1; k < row.label_count; k++) {
    if (loaded->of_classes[k] > loaded->of_classes[best]) best = k;
  }
  return row.labels[best];
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_tree_probability(PG_FUNCTION_ARGS) {
  LoadedTree* loaded = *loaded_model<LoadedTree*>(fcinfo, [](const char* name, LoadedTree** kept) {
    *kept = loaded_tree(usable_release(name, "tree"));
  });
  read(loaded, PG_GETARG_HEAPTUPLEHEADER(1));
  if (loaded->label.column >= 0 && !loaded->columns.nulls[loaded->label.column]) {
    const int k = category_of(loaded->columns, &loaded->label);
    PG_RETURN_FLOAT8(k < 0 ? 0 : loaded->of_classes[k] * loaded->within);
  }
  double sum = 0;
  for (int k = 0; k < loaded->tree.model->tables.class_count(); k++) sum += loaded->of_classes[k];
  PG_RETURN_FLOAT8(sum * loaded->within);
}
