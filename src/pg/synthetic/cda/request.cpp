#include "pg/synthetic/cda/request.hpp"

#include "core/synthetic/demix.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/catalog/open_protected.hpp"
#include "pg/citus/distribution.hpp"
#include "pg/ledger/request.hpp"
#include "pg/release/parameters.hpp"

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
  kColumns,
  kRows,
  kEpsilon,
  kDelta,
  kLabel,
  kMix,
  kDemix,
  kClassRows,
  kClip,
  kBlocks,
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

CdaCall* cda_call(FunctionCallInfo fcinfo) {
  for (const int required : {kColumns, kRows, kEpsilon, kDelta}) {
    require_argument(fcinfo, required);
  }
  RowBuilder* rows = row_builder(fcinfo, kRowType);
  ProtectedTable* table = open_protected_units(protected_relation(rows));
  refuse_distributed(table->relation, "a synthetic table");
  refuse_several_rows(table);
  CdaTerms terms = {.rows = PG_GETARG_INT64(kRows),
                    .epsilon = PG_GETARG_FLOAT8(kEpsilon),
                    .delta = PG_GETARG_FLOAT8(kDelta),
                    .mix = int4_argument(fcinfo, kMix).value_or(0),
                    .demix = std::nullopt,
                    .class_rows = ClassRows::balanced,
                    .clip = float8_argument(fcinfo, kClip).value_or(1)};
  const BlocksRead blocks = blocks_argument(fcinfo, kBlocks, table);
  if (!PG_ARGISNULL(kDemix)) {
    terms.demix = word_argument(fcinfo, kDemix, NULL, demix_of, "none, per_class or tied");
  }
  if (!PG_ARGISNULL(kMix)) {
    require_range(fcinfo, kMix, terms.mix, 1, 10000, "Leave mix out to have it chosen.");
  }
  terms.class_rows =
      word_argument(fcinfo, kClassRows, "balanced", class_rows_of, "balanced or proportional");
  const char* label = name_argument(fcinfo, kLabel);
  require_label(table, label);
  ModelColumns* columns =
      model_columns(table, PG_GETARG_ARRAYTYPE_P(kColumns), MaxHeapAttributeNumber, label,
                    FeatureKinds::numbers_and_categories);
  return cda_call(rows, table, blocks, columns, terms);
}

CdaCall* cda_call(RowBuilder* rows, ProtectedTable* table, const BlocksRead& blocks,
                  ModelColumns* columns, const CdaTerms& terms) {
  refuse_distributed(table->relation, "a synthetic table");
  CdaCall* call = (CdaCall*)palloc0(sizeof(CdaCall));
  call->table = table;
  call->blocks = blocks;
  call->columns = columns;
  call->rows = rows;
  call->clip = terms.clip;
  const double norm = guard([&] { return record_code(call).norm(); });
  const int coordinates = guard([&] { return record_code(call).coordinates(); });
  const Demix demix =
      terms.demix.value_or(coordinates > most_demixed ? Demix::none : Demix::per_class);
  call->request = {.classes = columns->classes,
                   .norm = norm,
                   .rows = terms.rows,
                   .epsilon = terms.epsilon,
                   .delta = terms.delta,
                   .adjacency = table->adjacency,
                   .accounting = {table->accountant, table->order},
                   .mix = terms.mix,
                   .demix = demix,
                   .class_rows = terms.class_rows};
  if (demix != Demix::none && coordinates > most_demixed) {
    refuse_argument("too many features and categories to demix",
                    psprintf("The features have %d coordinates, one for each number and one for "
                             "each category; demixing takes at most %d.",
                             coordinates, most_demixed),
                    "Use fewer features, or demix => 'none'.");
  }
  add_columns(rows, columns);
  start_rows(rows);
  return call;
}

namespace {

const char* name(Demix demix) {
  switch (demix) {
    case Demix::none:
      return "none";
    case Demix::per_class:
      return "per_class";
    case Demix::tied:
      break;
  }
  return "tied";
}

}  // namespace

// The noise of the rows is made from the noisy counts, hence not known at the charge: what the rows
// are as telling as is, mu and slack.
const char* parameters_json(const CdaCall* call, const CdaPlan& plan) {
  StringInfoData json;
  initStringInfo(&json);
  char clip[DOUBLE_SHORTEST_DECIMAL_LEN];
  double_to_shortest_decimal_buf(call->clip, clip);
  const int mix = call->request.mix;
  appendStringInfo(
      &json,
      "{\"rows\": " INT64_FORMAT
      ", \"classes\": %d, \"mix\": %s, \"demix\": \"%s\", \"class_rows\": \"%s\", \"clip\": %s, ",
      call->request.rows, call->request.classes, mix == 0 ? "null" : psprintf("%d", mix),
      name(call->request.demix),
      call->request.class_rows == ClassRows::balanced ? "balanced" : "proportional", clip);
  appendStringInfo(&json, "\"mu\": %.9g, \"slack\": %.9g, \"count_rate\": %.9g, \"statistics\": [",
                   plan.mu, plan.rows.slack, plan.count_rate);
  append_statistic(&json, "count", 1, 1 / plan.count_rate);
  appendStringInfoString(&json, "], ");
  append_columns_json(&json, call->columns, (int)kParameterBytes - json.len - 1);
  appendStringInfoChar(&json, '}');
  return json.data;
}

}  // namespace dpmix::pg
