#include "pg/synthetic/request.hpp"

#include "core/synthetic/demix.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/catalog/open_protected.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/ledger/parameters.hpp"
#include "pg/ledger/request.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
}

namespace dpmix::pg {
namespace {

enum Argument {
  kRowType,
  kFeatures,
  kLabel,
  kRows,
  kEpsilon,
  kDelta,
  kMix,
  kDemix,
  kClassRows,
  kClip,
};

}  // namespace

RecordCode record_code(const CdaCall* call) {
  const ModelColumns* columns = call->columns;
  RecordCode code(call->clip);
  for (int j = 0; j < columns->features; j++) {
    if (columns->categories[j] > 0) {
      code.add_categories(columns->categories[j]);
    } else if (columns->type[j] == BOOLOID) {
      code.add_boolean();
    } else {
      code.add_number(columns->lower[j], columns->upper[j]);
    }
  }
  code.check();
  return code;
}

namespace {

// In the order in which RecordCode::decode tells numbers and categories, the label last.
void declare_columns(RowBuilder* rows, const ModelColumns* columns) {
  for (int j = 0; j < columns->features; j++) {
    if (columns->categories[j] > 0) {
      category_column(rows, columns->name[j], columns->categories[j], columns->category_texts[j]);
    } else {
      number_column(rows, columns->name[j], columns->lower[j], columns->upper[j], columns->type[j]);
    }
  }
  if (columns->label != NULL) {
    category_column(rows, columns->label, columns->classes, columns->category);
  }
  start_rows(rows);
}

}  // namespace

CdaCall* cda_call(FunctionCallInfo fcinfo) {
  for (const int required : {kFeatures, kRows, kEpsilon, kDelta}) {
    require_argument(fcinfo, required);
  }
  CdaCall* call = (CdaCall*)palloc0(sizeof(CdaCall));
  call->rows = row_builder(fcinfo, kRowType);
  const Oid relation = row_relation(call->rows);
  if (!OidIsValid(relation)) {
    refuse_argument("synthetic rows need a protected table",
                    "The first argument is a composite type.",
                    "Write NULL::name_of_the_protected_table.");
  }
  call->table = open_protected(relation);
  refuse_distributed(relation, "a synthetic table");
  call->demix = text_argument(fcinfo, kDemix, "none");
  const Demix demix = word_argument(fcinfo, kDemix, "none", demix_of, "none, per_class or tied");
  const int mix = int4_argument(fcinfo, kMix).value_or(0);
  if (!PG_ARGISNULL(kMix)) {
    require_range(fcinfo, kMix, mix, 1, 10000, "Leave mix out to have it chosen.");
  }
  const ClassRows class_rows =
      word_argument(fcinfo, kClassRows, "balanced", class_rows_of, "balanced or proportional");
  const char* label = name_argument(fcinfo, kLabel);
  require_label(call->table, label);
  ModelColumns* columns =
      model_columns(call->table, PG_GETARG_ARRAYTYPE_P(kFeatures), MaxHeapAttributeNumber, label,
                    FeatureKinds::numbers_and_categories);
  call->columns = columns;
  call->clip = float8_argument(fcinfo, kClip).value_or(1);
  call->request = {.classes = columns->classes,
                   .norm = guard([&] { return record_code(call).norm(); }),
                   .rows = PG_GETARG_INT64(kRows),
                   .epsilon = PG_GETARG_FLOAT8(kEpsilon),
                   .delta = PG_GETARG_FLOAT8(kDelta),
                   .adjacency = call->table->adjacency,
                   .accounting = {call->table->accountant, call->table->order},
                   .mix = mix,
                   .demix = demix,
                   .class_rows = class_rows};
  const int coordinates = guard([&] { return record_code(call).coordinates(); });
  if (demix != Demix::none && coordinates > most_demixed) {
    refuse_argument("too many features and categories to demix",
                    psprintf("The features have %d coordinates, one for each number and one for "
                             "each category; demixing takes at most %d.",
                             coordinates, most_demixed),
                    "Use fewer features, or demix => 'none'.");
  }
  declare_columns(call->rows, columns);
  return call;
}

// The noise of the rows is made from the noisy counts, hence not known at the charge: what the rows
// are as telling as is, mu and slack.
const char* parameters_json(const CdaCall* call, const CdaPlan& plan) {
  StringInfoData json;
  initStringInfo(&json);
  char clip[DOUBLE_SHORTEST_DECIMAL_LEN];
  double_to_shortest_decimal_buf(call->clip, clip);
  const int mix = call->request.mix;
  appendStringInfo(&json,
                   "{\"rows\": " INT64_FORMAT
                   ", \"mix\": %s, \"demix\": \"%s\", \"class_rows\": \"%s\", \"clip\": %s, ",
                   call->request.rows, mix == 0 ? "null" : psprintf("%d", mix), call->demix,
                   call->request.class_rows == ClassRows::balanced ? "balanced" : "proportional",
                   clip);
  appendStringInfo(&json, "\"mu\": %.9g, \"slack\": %.9g, \"count_rate\": %.9g, \"statistics\": [",
                   plan.mu, plan.rows.slack, plan.count_rate);
  append_statistic(&json, "count", 1, 1 / plan.count_rate);
  appendStringInfoString(&json, "], ");
  append_columns_json(&json, call->columns, (int)kParameterBytes - json.len - 1);
  appendStringInfoChar(&json, '}');
  return json.data;
}

}  // namespace dpmix::pg
