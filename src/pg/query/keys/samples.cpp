#include "pg/query/keys/samples.hpp"

#include "pg/query/keys/probe.hpp"
#include "pg/query/keys/sorted_values.hpp"
#include "pg/query/read/group_limit.hpp"
#include "pg/query/safe/patterns.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

// The least unit at whose ends a bucket changes; 0: not known.
int64 unit_named(const char* name) {
  for (const char* day : {"day", "doy", "dow", "isodow", "week", "month", "quarter", "year",
                          "isoyear", "decade", "century", "millennium"}) {
    if (pg_strcasecmp(name, day) == 0) return USECS_PER_DAY;
  }
  if (pg_strcasecmp(name, "hour") == 0) return USECS_PER_HOUR;
  return pg_strcasecmp(name, "minute") == 0 ? USECS_PER_MINUTE : 0;
}

int64 unit_of(const FuncExpr* call) {
  switch (call->funcid) {
    case F_DATE_TIMESTAMP:
    case F_DATE_TIMESTAMPTZ:
      return USECS_PER_DAY;
    case F_DATE_TRUNC_TEXT_TIMESTAMP:
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
    case F_EXTRACT_TEXT_DATE:
    case F_EXTRACT_TEXT_TIMESTAMP:
    case F_EXTRACT_TEXT_TIMESTAMPTZ:
    case F_DATE_PART_TEXT_DATE:
    case F_DATE_PART_TEXT_TIMESTAMP:
    case F_DATE_PART_TEXT_TIMESTAMPTZ:
      return unit_named(TextDatumGetCString(constant_value((const Node*)linitial(call->args))));
    case F_TO_CHAR_TIMESTAMP_TEXT:
    case F_TO_CHAR_TIMESTAMPTZ_TEXT: {
      const Node* pattern = (const Node*)lsecond(call->args);
      const char* unit = unit_of_pattern(TextDatumGetCString(constant_value(pattern)));
      return unit == NULL ? 0 : unit_named(unit);
    }
    default:
      return 0;
  }
}

double steps_of(const PlacesLeft& ranges, int64 step) {
  double steps = 0;
  for (int i = 0; i < ranges.count; i++) {
    steps += ((double)ranges.range[i].last - (double)ranges.range[i].first) / (double)step + 2;
  }
  return steps;
}

}  // namespace

int64 longest_step(const FuncExpr* call, Oid column) {
  const int64 unit = unit_of(call);
  if (unit == 0) return 0;
  if (column == DATEOID) return 1;
  if (column == TIMESTAMPOID) return unit;
  return unit == USECS_PER_HOUR ? unit / 4 : unit / 2;
}

bool can_visit(const PlacesLeft& ranges, int64 step) {
  return step > 0 && steps_of(ranges, step) <= kMaxGroups;
}

void keep_met(KeyColumn* bucket, const Expr* expression, Var* column, const PlacesLeft& ranges,
              int64 step) {
  bool* met = (bool*)palloc0(bucket->categories);
  KeyProbe* probe = probe_of(expression, 1, &column);
  const SortedValues sorted = sorted_values(bucket);
  visit_places(ranges, step, [&](int64 at) {
    const Datum place = value_at_place(column->vartype, at);
    bool null;
    const Datum value = evaluate_probe(probe, &place, NULL, &null);
    const int number = null ? -1 : find_value(sorted, value);
    if (number >= 0) met[number] = true;
  });
  end_probe(probe);
  int left = 0;
  for (int i = 0; i < bucket->categories; i++) {
    if (met[i]) bucket->value[left++] = bucket->value[i];
  }
  bucket->categories = left;
}

void visit_places(const PlacesLeft& ranges, int64 step, const PlaceVisitor& visit) {
  for (int i = 0; i < ranges.count; i++) {
    const Places& range = ranges.range[i];
    for (int64 at = range.first; at < range.last; at += step) {
      CHECK_FOR_INTERRUPTS();
      visit(at);
    }
    visit(range.last);
  }
}

}  // namespace dpmix::pg
