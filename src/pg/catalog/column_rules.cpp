#include "pg/catalog/column_rules.hpp"

#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "utils/builtins.h"
}

namespace dpmix::pg {
namespace {

Statement rules = {
    "SELECT d.column_name, d.at_least, d.sum_of, d.present_with FROM dpmix.column_domain d "
    "JOIN pg_attribute a ON a.attrelid = $2 AND a.attnum = d.attnum AND a.attname = d.column_name "
    "WHERE d.table_id = $1 AND num_nonnulls(d.at_least, d.sum_of, d.present_with) > 0 "
    "ORDER BY d.attnum"};

}  // namespace

ColumnRules column_rules(const ProtectedTable* table) {
  ColumnRules found = {};
  if (table->made != NULL) return found;
  as_catalog_owner([&] {
    found.count = (int)read_rows(rules, {table->id, table->relation});
    found.rule = (ColumnRule*)SPI_palloc(sizeof(ColumnRule) * Max(found.count, 1));
    for (int i = 0; i < found.count; i++) {
      const ResultRow row = {(uint64)i};
      ColumnRule* rule = &found.rule[i];
      *rule = {row.text(1), row.is_null(2) ? NULL : row.text(2), 0, NULL,
               0,           row.is_null(4) ? NULL : row.text(4)};
      rule->sum_of = row.texts(3, &rule->parts);
    }
  });
  return found;
}

const char* order_text(const ColumnRule& rule) {
  return psprintf("%s >= %s", quote_identifier(rule.column), quote_identifier(rule.at_least));
}

const char* sum_text(const ColumnRule& rule) {
  StringInfoData text;
  initStringInfo(&text);
  appendStringInfo(&text, "%s =", quote_identifier(rule.column));
  for (int i = 0; i < rule.parts; i++) {
    appendStringInfo(&text, "%s %s", i > 0 ? " +" : "", quote_identifier(rule.sum_of[i]));
  }
  return text.data;
}

const char* presence_text(const ColumnRule& rule) {
  return psprintf("%s where %s", quote_identifier(rule.column),
                  quote_identifier(rule.present_with));
}

}  // namespace dpmix::pg
