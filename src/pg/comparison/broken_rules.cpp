#include "pg/comparison/broken_rules.hpp"

#include "pg/border/guard.hpp"
#include "pg/rows/number_type.hpp"
#include "pg/rows/rules.hpp"
#include "pg/scan/caller_scan.hpp"

extern "C" {
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

int compared(const CompareColumns* columns, const char* name) {  // -1: it is not
  for (int i = 0; i < label_column(columns); i++) {
    if (strcmp(column_name(columns, i), name) == 0) return i;
  }
  return -1;
}

const char* plain_sql(const char* name) {
  return psprintf("r.%s", quote_identifier(name));
}

const char* number_sql(Oid synthetic, const char* name) {
  const Oid type = getBaseType(get_atttype(synthetic, get_attnum(synthetic, name)));
  if (!holds_numbers(type)) return "NULL::pg_catalog.float8";  // breaks nothing that it could tell
  return float8_sql(type, plain_sql(name));
}

const char* broken_order(Oid synthetic, const ColumnRule& rule) {
  return psprintf("%s < %s", number_sql(synthetic, rule.column),
                  number_sql(synthetic, rule.at_least));
}

// As numbers, to the ninth digit: decimals have no exact ones.
const char* broken_sum(Oid synthetic, const ColumnRule& rule) {
  StringInfoData sum, missing;
  initStringInfo(&sum);
  initStringInfo(&missing);
  for (int k = 0; k < rule.parts; k++) {
    appendStringInfo(&sum, "%s%s", k > 0 ? " + " : "", number_sql(synthetic, rule.sum_of[k]));
    appendStringInfo(&missing, "%s%s IS NULL", k > 0 ? " OR " : "", plain_sql(rule.sum_of[k]));
  }
  const char* total = number_sql(synthetic, rule.column);
  return psprintf(
      "(%s IS NULL) <> (%s) OR pg_catalog.abs(%s - (%s)) > 1e-9 * GREATEST(1, pg_catalog.abs(%s))",
      plain_sql(rule.column), missing.data, total, sum.data, total);
}

const char* broken_presence(const ColumnRule& rule) {
  return psprintf("(%s IS NULL) <> (%s IS NULL)", plain_sql(rule.column),
                  plain_sql(rule.present_with));
}

}  // namespace

BrokenRules broken_rules(const CompareCall* call) {
  const ColumnRules rules =
      rules_in(call->table, [&](const char* name) { return compared(call->columns, name); });
  BrokenRules broken = {0, (BrokenRule*)palloc(sizeof(BrokenRule) * (2 * rules.count + 1))};
  StringInfoData targets;
  initStringInfo(&targets);
  appendStringInfoString(&targets, "pg_catalog.count(*)");
  const auto add = [&](const ColumnRule& rule, const char* other, const char* text,
                       const char* condition) {
    broken.rule[broken.count++] = {rule.column, other, text, 0};
    appendStringInfo(&targets, ", pg_catalog.count(*) FILTER (WHERE %s)", condition);
  };
  for (int i = 0; i < rules.count; i++) {
    const ColumnRule& rule = rules.rule[i];
    if (rule.at_least != NULL) {
      add(rule, rule.at_least, order_text(rule), broken_order(call->synthetic, rule));
    }
    if (rule.parts > 0) add(rule, NULL, sum_text(rule), broken_sum(call->synthetic, rule));
    if (rule.present_with != NULL) {
      add(rule, rule.present_with, presence_text(rule), broken_presence(rule));
    }
  }
  if (broken.count == 0) return broken;
  query_synthetic(targets.data, call->synthetic, [&](const Datum* values, const bool*) {
    const double rows = Max((double)DatumGetInt64(values[0]), 1.);
    for (int i = 0; i < broken.count; i++) {
      broken.rule[i].share = (double)DatumGetInt64(values[i + 1]) / rows;
    }
  });
  return broken;
}

void put_broken_rules(const ResultRows& rows, const BrokenRules& broken) {
  const Value none = value_if(false, 0.);
  for (int i = 0; i < broken.count; i++) {
    const BrokenRule& rule = broken.rule[i];
    add_row(rows, {"rule_broken", name_value(rule.column), name_value(rule.other), rule.text, none,
                   rule.share, none, false});
  }
}

}  // namespace dpmix::pg
