#include "pg/synthetic/request.hpp"

#include <optional>

#include "core/synthetic/demix.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/border/guard.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/border/quoted.hpp"

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
  kClassRows,  // not in 0.4.0 and before, as what follows
  kClip,
};

ClassRows class_rows_argument(FunctionCallInfo fcinfo) {
  if (PG_NARGS() <= kClassRows || PG_ARGISNULL(kClassRows)) return ClassRows::balanced;
  const char* name = text_to_cstring(PG_GETARG_TEXT_PP(kClassRows));
  const std::optional<ClassRows> class_rows = class_rows_of(name);
  if (!class_rows) {
    refuse_argument(
        "unknown way to share rows among classes",
        psprintf("class_rows is \"%s\"; it must be balanced or proportional.", shown(name)),
        "Use balanced for equally many rows of each class, proportional for as many as the table's "
        "noisy counts tell.");
  }
  return *class_rows;
}

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
void name_columns(RowBuilder* rows, const ModelColumns* columns) {
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
  ready(rows);
}

}  // namespace

CdaCall* cda_call(FunctionCallInfo fcinfo) {
  static constexpr const char* required[] = {NULL, "features", NULL, "rows", "epsilon", "delta"};
  for (const int i : {kFeatures, kRows, kEpsilon, kDelta}) {
    if (PG_ARGISNULL(i)) {
      refuse_argument(psprintf("%s is NULL", required[i]), "It must be given.",
                      "See the comment of dpmix.cda.");
    }
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

  call->demix = PG_ARGISNULL(kDemix) ? "none" : text_to_cstring(PG_GETARG_TEXT_PP(kDemix));
  const std::optional<Demix> demix = demix_of(call->demix);
  if (!demix) {
    refuse_argument(
        "unknown demixing",
        psprintf("demix is \"%s\"; it must be none, per_class or tied.", shown(call->demix)),
        "Use none for raw mixtures, per_class for rows as spread out as the records.");
  }
  if (!PG_ARGISNULL(kMix) && PG_GETARG_INT32(kMix) < 1) {
    refuse_argument("order of mixing out of range",
                    psprintf("mix is %d; it must lie between 1 and 10000.", PG_GETARG_INT32(kMix)),
                    "Leave mix out to have it chosen.");
  }
  const ClassRows class_rows = class_rows_argument(fcinfo);
  const char* label = PG_ARGISNULL(kLabel) ? NULL : NameStr(*PG_GETARG_NAME(kLabel));
  require_label(call->table, label);
  ModelColumns* columns =
      model_columns(call->table, PG_GETARG_ARRAYTYPE_P(kFeatures), MaxHeapAttributeNumber, label,
                    FeatureKinds::numbers_and_categories);
  call->columns = columns;
  call->clip = PG_NARGS() <= kClip || PG_ARGISNULL(kClip) ? 1 : PG_GETARG_FLOAT8(kClip);
  call->request = {.classes = columns->classes,
                   .norm = guard([&] { return record_code(call).norm(); }),
                   .rows = PG_GETARG_INT64(kRows),
                   .epsilon = PG_GETARG_FLOAT8(kEpsilon),
                   .delta = PG_GETARG_FLOAT8(kDelta),
                   .adjacency = call->table->adjacency,
                   .accounting = {call->table->accountant, call->table->order},
                   .mix = PG_ARGISNULL(kMix) ? 0 : PG_GETARG_INT32(kMix),
                   .demix = *demix,
                   .class_rows = class_rows};
  const int coordinates = guard([&] { return record_code(call).coordinates(); });
  if (*demix != Demix::none && coordinates > most_demixed) {
    refuse_argument(
        "too many features and categories to demix",
        psprintf("The features have %d coordinates, one for each number and one for each "
                 "category; demixing takes at most %d.",
                 coordinates, most_demixed),
        "Use fewer features, or demix => 'none'.");
  }
  name_columns(call->rows, columns);
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
  appendStringInfo(&json, "{\"statistic\": \"count\", \"sensitivity\": 1, \"scale\": %.9g}], ",
                   1 / plan.count_rate);
  append_columns_json(&json, call->columns, (int)kParameterBytes - json.len - 1);
  appendStringInfoChar(&json, '}');
  return json.data;
}

}  // namespace dpmix::pg
