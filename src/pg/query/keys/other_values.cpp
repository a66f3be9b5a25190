#include "pg/query/keys/other_values.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
}

#include "pg/catalog/domains.hpp"
#include "pg/query/keys/coverage.hpp"
#include "pg/query/keys/null_keys.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/trees/nodes.hpp"
#include "pg/trees/other_value.hpp"

namespace dpmix::pg {
namespace {

// Facts leave the column no value but public ones.
bool asks_for_public_values(const RowScope* scope, const Var* column) {
  return asks_for_null(scope->facts, column) || name_public_values(scope, scope->facts, column);
}

bool has_other_group(const RowScope* scope, const Var* column) {
  const ProtectedTable* table = source_of(scope, column)->table;
  return table != NULL && domain_of(scope, column).other != NULL &&
         !asks_for_public_values(scope, column);
}

Datum other_value(const KeyColumn* key) {
  const char** texts = (const char**)palloc(sizeof(char*) * (key->categories + 1));
  for (int i = 0; i < key->categories; i++) texts[i] = TextDatumGetCString(key->shown[i]);
  Oid input, parameter;
  getTypeInputInfo(key->shown_type, &input, &parameter);
  return OidInputFunctionCall(input, (char*)other_than(texts, key->categories), parameter,
                              key->typmod);
}

}  // namespace

void find_others(const RowScope* scope, KeyColumn* key) {
  const Oid type = key->shown_type;
  if ((type != TEXTOID && type != VARCHAROID && type != BPCHAROID) ||
      IsA(key->expression, CaseExpr)) {
    return;
  }
  const ListCell* cell;
  foreach (cell, columns_of((Node*)key->expression)) {
    key->shows_others = key->shows_others || has_other_group(scope, (const Var*)lfirst(cell));
  }
  key->others = key->shows_others;
  if (key->shows_others) key->shown_others = other_value(key);
}

}  // namespace dpmix::pg
