#include "pg/query/check/unknown_categories.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "utils/lsyscache.h"
}

#include "pg/border/texts.hpp"
#include "pg/query/check/column_comparisons.hpp"
#include "pg/query/read/sources.hpp"

namespace dpmix::pg {
namespace {

constexpr int kMostShown = 10;

// The operator that tells equal values, of = and <>; InvalidOid of others.
Oid equality_of(Oid op) {
  const char* name = get_opname(op);
  if (strcmp(name, "=") == 0) return op;
  return strcmp(name, "<>") == 0 ? get_negator(op) : InvalidOid;
}

void notice_value(const RowScope* scope, const Var* column, const ColumnDomain& domain, Oid type,
                  Datum value) {
  StringInfoData list;
  initStringInfo(&list);
  for (int i = 0; i < Min(domain.categories, kMostShown); i++) {
    appendStringInfo(&list, "%s'%s'", i > 0 ? ", " : "", domain.category[i]);
  }
  if (domain.categories > kMostShown) appendStringInfoString(&list, ", ...");
  Oid output;
  bool varlena;
  getTypeOutputInfo(type, &output, &varlena);
  ereport(NOTICE,
          (errmsg("'%s' is no declared category of column %s",
                  quoted_prefix(OidOutputFunctionCall(output, value)), column_text(scope, column)),
           errdetail("Declared are %s.", list.data)));
}

void look(const RowScope* scope, const ColumnComparison& comparison) {
  const Oid equality = equality_of(comparison.op);
  const ProtectedTable* table = source_of(scope, comparison.column)->table;
  if (!OidIsValid(equality) || table == NULL) return;
  const ColumnDomain domain = domain_of(scope, comparison.column);
  if (domain.categories == 0) return;
  const Oid equal = get_opcode(equality);
  const Datum* category = category_values(domain, comparison.column);
  for (int i = 0; i < comparison.count; i++) {
    bool known = false;
    for (int k = 0; k < domain.categories && !known; k++) {
      known = DatumGetBool(
          OidFunctionCall2Coll(equal, comparison.collation, category[k], comparison.value[i]));
    }
    if (known) continue;
    notice_value(scope, comparison.column, domain, comparison.type, comparison.value[i]);
  }
}

}  // namespace

void notice_unknown_categories(const RowScope* scope) {
  look_at_comparisons(scope, look);
}

}  // namespace dpmix::pg
