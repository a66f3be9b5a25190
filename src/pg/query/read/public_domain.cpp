#include "pg/query/read/public_domain.hpp"

#include <cmath>

extern "C" {
#include "catalog/pg_type.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
}

#include "pg/border/guard.hpp"
#include "pg/border/portable_text.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/query/read/group_limit.hpp"
#include "pg/rows/number_type.hpp"
#include "pg/scan/silent_scan.hpp"

namespace dpmix::pg {
namespace {

const char* column_name(Oid relation, AttrNumber column) {
  return quote_identifier(get_attname(relation, column, false));
}

// Reads as the caller, who holds SELECT on the column; dpmix looks at nothing else of the rows.
void read_public(const char* sql, Oid relation, RowReceiver receive) {
  run_scan(plan_public_scan(sql, relation, GetUserId()), receive);
}

}  // namespace

ColumnDomain public_bounds(Oid relation, AttrNumber column) {
  const char* name = column_name(relation, column);
  const Oid type = get_atttype(relation, column);
  if (!holds_numbers(type)) {
    refuse(ErrorCode::domain_missing,
           psprintf("column %s of public table %s has no bounds", name, qualified_name(relation)),
           psprintf("Its type is %s.", format_type_be(type)),
           "Use a column of numbers, dates or timestamps.");
  }
  const char* value = float8_sql(type, name);
  const char* finite = psprintf(
      "%s OPERATOR(pg_catalog.>) '-Infinity' AND "
      "%s OPERATOR(pg_catalog.<) 'Infinity'",
      value, value);
  ColumnDomain domain = {};
  domain.has_bounds = true;
  domain.upper = 1;
  read_public(psprintf("SELECT pg_catalog.min(%s) FILTER (WHERE %s), "
                       "pg_catalog.max(%s) FILTER (WHERE %s), "
                       "pg_catalog.bool_or(%s OPERATOR(pg_catalog.=) '-Infinity'), "
                       "pg_catalog.bool_or(%s OPERATOR(pg_catalog.=) 'Infinity') FROM %s",
                       value, finite, value, finite, value, value, qualified_name(relation)),
              relation, [&](const Datum* values, const bool* nulls) {
                domain.below = !nulls[2] && DatumGetBool(values[2]);
                domain.above = !nulls[3] && DatumGetBool(values[3]);
                if (nulls[0]) return;
                domain.lower = DatumGetFloat8(values[0]);
                domain.upper = DatumGetFloat8(values[1]);
              });
  if (domain.lower == domain.upper) {
    domain.upper = std::fmax(domain.lower + 1, std::nextafter(domain.lower, HUGE_VAL));
    if (!std::isfinite(domain.upper)) {
      domain.upper = domain.lower;
      domain.lower = std::nextafter(domain.upper, 0);
    }
  }
  return domain;
}

ColumnDomain public_categories(Oid relation, AttrNumber column) {
  const char* name = column_name(relation, column);
  ColumnDomain domain = {};  // distinct values, as they come
  domain.category = (char**)palloc(sizeof(char*) * (kMaxGroups + 1));
  const MemoryContext context = CurrentMemoryContext;
  Oid function;
  bool varlena;
  getTypeOutputInfo(get_atttype(relation, column), &function, &varlena);
  FmgrInfo output;
  fmgr_info(function, &output);
  const int level = begin_portable_text();
  read_public(psprintf("SELECT %s FROM %s GROUP BY 1 ORDER BY 1 LIMIT %d", name,
                       qualified_name(relation), kMaxGroups + 2),
              relation, [&](const Datum* values, const bool* nulls) {
                if (nulls[0] || domain.categories > kMaxGroups) return;
                MemoryContext old = MemoryContextSwitchTo(context);
                domain.category[domain.categories++] = OutputFunctionCall(&output, values[0]);
                MemoryContextSwitchTo(old);
              });
  AtEOXact_GUC(false, level);
  if (domain.categories > kMaxGroups) {
    refuse_many_groups(psprintf("Column %s of public table %s has more distinct values.", name,
                                qualified_name(relation)));
  }
  return domain;
}

}  // namespace dpmix::pg
