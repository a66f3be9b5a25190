#include "pg/synthetic/choice.hpp"

#include <algorithm>
#include <vector>

#include "core/input/moment_frame.hpp"
#include "core/stats/marginal_tables.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/catalog/open_protected.hpp"
#include "pg/process/worker.hpp"
#include "pg/query/layers/source.hpp"
#include "pg/rows/rules.hpp"
#include "pg/tree_model/columns.hpp"
#include "pg/tree_model/request.hpp"
#include "pg/units/rows_of_units.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
}

namespace dpmix::pg {
namespace {

enum Argument {
  kRowType,
  kRows,
  kEpsilon,
  kDelta,
  kColumns,
  kLabel,
  kMethod,
  kSource,
  kBlocks,
};

// With this many numbers or more, a mixture says more of them than a tree does
// (docs/guide/synthetic_tables.md#which-method-for-my-table).
constexpr int kManyNumbers = 9;
constexpr int kMostModelled = std::min(MarginalTables::most_columns, MomentFrame::max_features);

std::optional<RowMethod> row_method_of(std::string_view word) {
  for (const RowMethod method :
       {RowMethod::tree, RowMethod::mixture, RowMethod::copula, RowMethod::cda}) {
    if (word == name(method)) return method;
  }
  return std::nullopt;
}

struct Picked {
  RowMethod method;
  const char* why;
};

// Picks a method by public things: how many columns there are, what they are declared to be, and
// how many rows a unit may have.
Picked pick(const ProtectedTable* table, const ModelColumns* columns) {
  if (has_several_rows(table)) return {RowMethod::tree, "A privacy unit may have several rows."};
  if (columns->features <= kMostModelled && rules_among(table, columns) != NULL) {
    return {RowMethod::tree, "Rules are declared between columns, which it keeps."};
  }
  if (columns->features > kMostModelled) {
    return {RowMethod::cda, psprintf("There are %d columns; models take at most %d.",
                                     columns->features, kMostModelled)};
  }
  const char* few = guard([&]() -> const char* {
    const std::vector<ColumnValues> values = column_values(table, columns);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (has_few_values(values[i])) return columns->name[i];
    }
    return nullptr;
  });
  if (few != NULL) {
    return {RowMethod::tree, psprintf("Column \"%s\" has categories or few values.", few)};
  }
  if (columns->features < kManyNumbers) {
    return {RowMethod::tree,
            psprintf("There are %d columns, fewer than %d.", columns->features, kManyNumbers)};
  }
  return {RowMethod::mixture,
          psprintf("All %d columns are numbers of many values.", columns->features)};
}

// The columns of a source for which rows have a place.
ArrayType* those_in_rows(const RowBuilder* rows, ArrayType* columns, StringInfo left_out) {
  Datum* names;
  bool* nulls;
  int count, kept = 0;
  deconstruct_array(columns, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &names, &nulls, &count);
  for (int i = 0; i < count; i++) {
    const char* name = NameStr(*DatumGetName(names[i]));
    if (has_column(rows, name)) {
      names[kept++] = names[i];
    } else {
      appendStringInfo(left_out, "%s%s (not in row_type)", left_out->len > 0 ? ", " : "", name);
    }
  }
  if (kept == 0) {
    refuse_argument("row_type has no column of the source",
                    psprintf("Left out: %s.", left_out->data),
                    "Write NULL::a_row_type whose columns are named as those of the source.");
  }
  return construct_array(names, kept, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR);
}

void tell_left_out(const char* left_out, bool undeclared) {
  ereport(
      NOTICE,
      (errmsg("columns that are not modelled are NULL: %s", left_out),
       undeclared ? errhint("The owner declares bounds and categories with dpmix.declare().") : 0));
}

void tell_picked(const Picked& picked) {
  ereport(NOTICE, (errmsg("rows are made by method %s", name(picked.method)),
                   errdetail_internal("%s", picked.why),
                   errhint("method => '%s' or '%s' asks for another.",
                           picked.method == RowMethod::tree ? "mixture" : "tree",
                           picked.method == RowMethod::cda ? "mixture" : "cda")));
}

// The others see each column by itself.
void tell_rules(const ModelRules* rules, RowMethod method) {
  if (method == RowMethod::tree) {
    ereport(NOTICE, (errmsg("all rows keep %s", rules_text(rules))));
  } else {
    ereport(NOTICE, (errmsg("rows of method %s may break %s", name(method), rules_text(rules)),
                     errhint("method => 'tree' keeps what is declared between columns.")));
  }
}

}  // namespace

const char* name(RowMethod method) {
  switch (method) {
    case RowMethod::tree:
      return "tree";
    case RowMethod::mixture:
      return "mixture";
    case RowMethod::copula:
      return "copula";
    case RowMethod::cda:
      break;
  }
  return "cda";
}

SynthesisCall synthesis_call(FunctionCallInfo fcinfo) {
  for (const int required : {kRows, kEpsilon, kDelta}) require_argument(fcinfo, required);
  SynthesisCall call = {};
  call.rows = row_builder(fcinfo, kRowType);
  call.wanted = PG_GETARG_INT64(kRows);
  require_range(fcinfo, kRows, call.wanted, 1, kMostRowsMade,
                "Make several tables of a large one.");
  const Guarantee guarantee = gaussian_guarantee(fcinfo, kEpsilon);
  call.epsilon = guarantee.epsilon;
  call.delta = guarantee.delta;
  std::optional<RowMethod> method;
  if (!PG_ARGISNULL(kMethod)) {
    method = word_argument(fcinfo, kMethod, NULL, row_method_of, "tree, mixture, copula or cda");
  }
  call.table = PG_ARGISNULL(kSource) ? open_protected_units(protected_relation(call.rows))
                                     : table_of_text(text_argument(fcinfo, kSource));
  if (method.value_or(RowMethod::tree) == RowMethod::tree) {
    require_sampled_units(call.table);
  } else {
    require_one_row(call.table);
  }
  call.blocks = blocks_argument(fcinfo, kBlocks, call.table);
  const char* label = name_argument(fcinfo, kLabel);
  require_label(call.table, label);
  const FeatureKinds taken =
      method == RowMethod::mixture ? FeatureKinds::numbers : FeatureKinds::numbers_and_categories;
  StringInfoData left_out;
  initStringInfo(&left_out);
  bool undeclared = false;
  ArrayType* named = PG_ARGISNULL(kColumns)
                         ? declared_columns(call.table, label, taken, &left_out, &undeclared)
                         : PG_GETARG_ARRAYTYPE_P(kColumns);
  if (call.table->made != NULL && PG_ARGISNULL(kColumns)) {
    named = those_in_rows(call.rows, named, &left_out);
  }
  const bool models = method && *method != RowMethod::cda;
  call.columns = model_columns(call.table, named, models ? kMostModelled : MaxHeapAttributeNumber,
                               label, taken);
  const Picked picked = method ? Picked{*method, NULL} : pick(call.table, call.columns);
  call.method = picked.method;
  if (call.method == RowMethod::cda && call.table->made != NULL) {
    refuse(ErrorCode::query_not_allowed, "cda takes no source", picked.why,
           "Ask for method => 'tree', or name fewer columns.");
  }
  const ModelRules* rules =
      call.columns->features <= kMostModelled ? rules_among(call.table, call.columns) : NULL;
  if (call.method == RowMethod::tree) call.columns->rules = rules;
  if (in_release_process()) return call;
  if (rules != NULL) tell_rules(rules, call.method);
  if (left_out.len > 0) tell_left_out(left_out.data, undeclared);
  if (!method) tell_picked(picked);
  return call;
}

}  // namespace dpmix::pg
