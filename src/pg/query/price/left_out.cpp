#include "pg/query/price/left_out.hpp"

#include "pg/query/read/sources.hpp"
#include "pg/query/safe/expression.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "utils/builtins.h"
}

namespace dpmix::pg {

const char* keys_that_leave_out(const CheckedQuery* checked) {
  StringInfoData text;
  initStringInfo(&text);
  for (int k = 0; k < checked->groups->keys; k++) {
    if (!checked->groups->key[k].leaves_out) continue;
    appendStringInfo(
        &text, "%s%s", text.len > 0 ? ", " : "",
        expression_text(&checked->scope, (const Node*)checked->shape->key[k].expression));
  }
  return text.data;
}

void notice_left_out(const CheckedQuery* checked) {
  const char* keys = keys_that_leave_out(checked);
  if (*keys == '\0') return;
  if (checked->groups->cube == NULL) {
    ereport(NOTICE, (errmsg("rows with other values of %s are in no group", keys)));
    return;
  }
  ereport(NOTICE,
          (errmsg("totals count rows with other values of %s, which have no group of their own",
                  keys)));
}

namespace {

bool has_group(const KeyColumn* key, int64 number) {
  for (int i = 0; i < key->categories; i++) {
    if (DatumGetInt64(key->value[i]) == number) return true;
  }
  return false;
}

}  // namespace

const char* counts_cut_off(const PricedQuery* priced) {
  StringInfoData text;
  initStringInfo(&text);
  for (int k = 0; k < priced->groups->keys; k++) {
    const Expr* key = priced->groups->key[k].expression;
    if (!IsA(key, Var)) continue;
    const LayerColumn* made = layer_column(&priced->scope, (const Var*)key);
    if (made == NULL || made->most <= 1 || !has_group(&priced->groups->key[k], made->most))
      continue;
    appendStringInfo(&text, "%s" INT64_FORMAT " of %s is " INT64_FORMAT " or more",
                     text.len > 0 ? ", " : "", made->most, quote_identifier(made->name),
                     made->most);
  }
  return text.data;
}

}  // namespace dpmix::pg
