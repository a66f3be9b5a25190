// What a stored regression expects of a row. Free: post-processing.
#include <cmath>
#include <limits>

#include "pg/border/guard.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/domains.hpp"
#include "pg/query/keys/probe.hpp"
#include "pg/query/read/text.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/regression/store.hpp"
#include "pg/release/loaded_model.hpp"
#include "pg/rows/named_columns.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(dpmix_predict);
}

namespace dpmix::pg {
namespace {

struct Predictor {
  StoredRegression stored;
  NamedColumns row;  // what the rest is for: rows of its type
  int columns;
  int* attribute;   // each column's, from 0
  KeyProbe* probe;  // a row's class, then its numbers
  Datum* values;    // each column's
  bool* nulls;
};

void load(const char* name, Predictor* predictor) {
  *predictor = {};
  predictor->stored = load_regression(name);
  predictor->row = named_columns();
}

bool is_text(Oid type) {
  return type == TEXTOID || type == VARCHAROID || type == BPCHAROID;
}

[[noreturn]] void refuse_type(const char* name, const char* why) {
  refuse_argument(psprintf("column \"%s\" is of another kind than the model's", name), why,
                  "Pass a row whose columns are of the modelled columns' types.");
}

void require_type(const char* name, Oid type, Oid modelled) {
  const bool same = type == modelled || (is_number(type) && is_number(modelled)) ||
                    (is_text(type) && is_text(modelled));
  if (same) return;
  refuse_type(name, psprintf("It is of type %s, the model's of type %s.", format_type_be(type),
                             format_type_be(modelled)));
}

// Texts of classes are read as values of the row's type, with the rights of the extension's owner:
// reading one must not run code of others.
void require_label_type(const char* name, Oid type) {
  if (has_trusted_text(type)) return;
  refuse_type(name, psprintf("It is of type %s, which no label is of.", format_type_be(type)));
}

const char* sql_type(Oid type) {
  return format_type_extended(type, -1, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);
}

// The class and the numbers of a row whose columns are those of r.
const char* numbers_sql(const Predictor* predictor, const char* const* columns) {
  const StoredRegression& stored = predictor->stored;
  StringInfoData sql;
  initStringInfo(&sql);
  appendStringInfoString(&sql, "SELECT dpmix_internal.row_vector(");
  if (stored.row.label != NULL) {
    const int label = predictor->attribute[stored.row.features];
    const char* type = sql_type(column_type(predictor->row, label));
    appendStringInfoString(&sql, "dpmix_internal.class_number(ARRAY[");
    for (int k = 0; k < stored.row.label_count; k++) {
      appendStringInfo(&sql, "%s%s::%s", k > 0 ? ", " : "",
                       quote_literal_cstr(stored.row.labels[k]), type);
    }
    appendStringInfo(&sql, "], r.%s::%s)::pg_catalog.float8", quote_identifier(stored.row.label),
                     type);
  } else {
    appendStringInfoString(&sql, "0::pg_catalog.float8");
  }
  for (Size i = 0; i < stored.model->design.terms.size(); i++) {
    if (stored.sql[i][0] != '\0') appendStringInfo(&sql, ", %s", stored.sql[i]);
  }
  appendStringInfoString(&sql, ") FROM (SELECT ");
  for (int i = 0; i < predictor->columns; i++) {
    appendStringInfo(&sql, "%sNULL::%s AS %s", i > 0 ? ", " : "",
                     sql_type(column_type(predictor->row, predictor->attribute[i])),
                     quote_identifier(columns[i]));
  }
  appendStringInfoString(&sql, ") AS r");
  return sql.data;
}

// dpmix's own text over columns of the row: read as the extension's owner, who may call what is in
// it.
void make_probe(Predictor* predictor, const char* sql) {
  MemoryContext context = CurrentMemoryContext;
  as_catalog_owner([&] {
    MemoryContext outer = MemoryContextSwitchTo(context);
    const Query* query = analyse_query_text(sql, NULL);
    const RangeTblEntry* given = linitial_node(RangeTblEntry, query->rtable);
    Var** columns = (Var**)palloc(sizeof(Var*) * predictor->columns);
    for (int i = 0; i < predictor->columns; i++) {
      const TargetEntry* entry = list_nth_node(TargetEntry, given->subquery->targetList, i);
      columns[i] = makeVarFromTargetEntry(1, (TargetEntry*)entry);
    }
    predictor->probe =
        probe_of(linitial_node(TargetEntry, query->targetList)->expr, predictor->columns, columns);
    MemoryContextSwitchTo(outer);
  });
}

void find_columns(Predictor* predictor) {
  const FoundRelease& row = predictor->stored.row;
  predictor->columns = row.features + (row.label != NULL ? 1 : 0);
  const char** names = (const char**)palloc(sizeof(char*) * predictor->columns);
  predictor->attribute = (int*)palloc(sizeof(int) * predictor->columns);
  for (int i = 0; i < predictor->columns; i++) {
    names[i] = i < row.features ? row.feature[i] : row.label;
    predictor->attribute[i] = required_column(predictor->row, names[i], row.name);
    const Oid type = column_type(predictor->row, predictor->attribute[i]);
    if (i < row.features) {
      require_type(names[i], type, row.types[i]);
    } else {
      require_label_type(names[i], type);
    }
  }
  make_probe(predictor, numbers_sql(predictor, names));
  predictor->values = (Datum*)palloc(predictor->columns * sizeof(Datum));
  predictor->nulls = (bool*)palloc(predictor->columns * sizeof(bool));
}

// NaN where something is missing.
double prediction(Predictor* predictor, HeapTupleHeader row) {
  read_named(&predictor->row, row, [&] { find_columns(predictor); });
  for (int i = 0; i < predictor->columns; i++) {
    predictor->values[i] = predictor->row.values[predictor->attribute[i]];
    predictor->nulls[i] = predictor->row.nulls[predictor->attribute[i]];
  }
  bool missing;
  const Datum numbers =
      evaluate_probe(predictor->probe, predictor->values, predictor->nulls, &missing);
  if (missing) return std::numeric_limits<double>::quiet_NaN();
  ArrayType* array = DatumGetArrayTypeP(numbers);
  const double* x = (const double*)ARR_DATA_PTR(array);
  const double y = predictor->stored.model->predict((Size)x[0], x + 1);
  pfree(array);
  return y;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_predict(PG_FUNCTION_ARGS) {
  Predictor* predictor = loaded_model<Predictor>(fcinfo, load);
  const double y = prediction(predictor, PG_GETARG_HEAPTUPLEHEADER(1));
  if (std::isnan(y)) PG_RETURN_NULL();
  const bool probability =
      predictor->stored.model->kind == RegressionKind::logistic && !PG_GETARG_BOOL(2);
  PG_RETURN_FLOAT8(probability ? 1 / (1 + std::exp(-y)) : y);
}
