#include "pg/query/keys/samples.hpp"

#include <algorithm>

#include "pg/query/keys/probe.hpp"
#include "pg/query/read/group_limit.hpp"
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
    default:
      return 0;
  }
}

// The number of a value among those of a bucket, which are in order; -1: it has none.
int find_value(const KeyColumn* bucket, Datum value) {
  const Datum *begin = bucket->value, *end = begin + bucket->categories;
  const Datum* found =
      std::lower_bound(begin, end, value, [bucket](const Datum& a, const Datum& b) {
        return DatumGetInt32(FunctionCall2(bucket->compare, a, b)) < 0;
      });
  const bool there = found != end && DatumGetInt32(FunctionCall2(bucket->compare, *found, value)) == 0;
  return there ? (int)(found - begin) : -1;
}

template <class Visit>
void visit_span(const Places& span, int64 step, const Visit& visit) {
  for (int64 at = span.first; at < span.last; at += step) {
    CHECK_FOR_INTERRUPTS();
    visit(at);
  }
  visit(span.last);
}

// Keys of one column, and the combinations of their values.
struct Together {
  int keys;
  int* key;
  int count;
  int64* product;  // of these keys alone
};

// Of the numbers of values; -1: some key has none.
int64 combination_at(const QueryGroups* groups, const Together& of, KeyProbe* const* probe,
                     int64 at) {
  int64 product = 0;
  for (int i = 0; i < of.keys; i++) {
    const KeyColumn* bucket = &groups->key[of.key[i]];
    const Datum place = value_at_place(bucket->cut->vartype, at);
    bool null;
    const Datum value = evaluate_probe(probe[i], &place, NULL, &null);
    const int number = null ? -1 : find_value(bucket, value);
    if (number < 0) return -1;
    product = product * bucket->categories + number;
  }
  return product;
}

int distinct(int64* numbers, int count) {
  std::sort(numbers, numbers + count);
  return (int)(std::unique(numbers, numbers + count) - numbers);
}

void find_combinations(const QueryGroups* groups, const Places& span, int64 step, Together* of) {
  KeyProbe** probe = (KeyProbe**)palloc(sizeof(KeyProbe*) * of->keys);
  for (int i = 0; i < of->keys; i++) {
    const KeyColumn* bucket = &groups->key[of->key[i]];
    probe[i] = probe_of(bucket->expression, 1, (Var* const*)&bucket->cut);
  }
  of->product = (int64*)palloc(sizeof(int64) * ((span.last - span.first) / step + 2));
  visit_span(span, step, [&](int64 at) {
    const int64 product = combination_at(groups, *of, probe, at);
    if (product >= 0) of->product[of->count++] = product;
  });
  of->count = distinct(of->product, of->count);
  for (int i = 0; i < of->keys; i++) end_probe(probe[i]);
}

// The keys that are buckets of the first one's column, and what all of them can be.
Together keys_with(const QueryGroups* groups, int first, bool* taken) {
  Together made = {0, (int*)palloc(sizeof(int) * groups->keys), 0, NULL};
  const KeyColumn* bucket = &groups->key[first];
  Places span = bucket->span;
  int64 step = bucket->step;
  for (int k = first; k < groups->keys; k++) {
    const KeyColumn& other = groups->key[k];
    if (k > first && (taken[k] || bucket->step == 0 || other.step == 0 || !equal(other.cut, bucket->cut))) {
      continue;
    }
    made.key[made.keys++] = k;
    taken[k] = true;
    span = {Max(span.first, other.span.first), Min(span.last, other.span.last)};
    step = Min(step, other.step);
  }
  if (made.keys > 1 && can_visit(span, step)) {
    find_combinations(groups, span, step, &made);
    return made;
  }
  for (int i = 1; i < made.keys; i++) taken[made.key[i]] = false;
  made.keys = 1;
  made.count = bucket->categories;
  return made;
}

// The part of a combination of all keys that these are.
int64 spread(const QueryGroups* groups, const Together& of, int number) {
  int64 rest = of.product == NULL ? number : of.product[number], spread = 0;
  for (int i = of.keys - 1; i >= 0; i--) {
    int64 weight = 1;
    for (int k = of.key[i] + 1; k < groups->keys; k++) weight *= groups->key[k].categories;
    spread += rest % groups->key[of.key[i]].categories * weight;
    rest /= groups->key[of.key[i]].categories;
  }
  return spread;
}

}  // namespace

int64 longest_step(const FuncExpr* call, Oid column) {
  const int64 unit = unit_of(call);
  if (unit == 0) return 0;
  if (column == DATEOID) return 1;
  if (column == TIMESTAMPOID) return unit;
  return unit == USECS_PER_HOUR ? unit / 4 : unit / 2;
}

bool can_visit(const Places& span, int64 step) {
  return step > 0 && !span.empty() &&
         (uint64)span.last - (uint64)span.first < (uint64)step * (kMaxGroups - 1);
}

void keep_met(KeyColumn* bucket, const Expr* expression, Var* column, const Places& span,
              int64 step) {
  bool* met = (bool*)palloc0(bucket->categories);
  KeyProbe* probe = probe_of(expression, 1, &column);
  visit_span(span, step, [&](int64 at) {
    const Datum place = value_at_place(column->vartype, at);
    bool null;
    const Datum value = evaluate_probe(probe, &place, NULL, &null);
    const int number = null ? -1 : find_value(bucket, value);
    if (number >= 0) met[number] = true;
  });
  end_probe(probe);
  int left = 0;
  for (int i = 0; i < bucket->categories; i++) {
    if (met[i]) bucket->value[left++] = bucket->value[i];
  }
  bucket->categories = left;
}

bool join_buckets(QueryGroups* groups) {
  bool* taken = (bool*)palloc0(groups->keys + 1);
  Together* part = (Together*)palloc(sizeof(Together) * (groups->keys + 1));
  int parts = 0;
  int64 count = 1;
  for (int k = 0; k < groups->keys; k++) {
    if (taken[k]) continue;
    part[parts] = keys_with(groups, k, taken);
    count *= part[parts++].count;
    if (count > kMaxGroups) return false;
  }
  if (parts == groups->keys) {
    groups->count = (int)count;
    return true;
  }
  int64* product = (int64*)palloc(sizeof(int64) * Max(count, 1));
  for (int64 n = 0; n < count; n++) {
    int64 rest = n, sum = 0;
    for (int i = parts - 1; i >= 0; i--) {
      sum += spread(groups, part[i], (int)(rest % part[i].count));
      rest /= part[i].count;
    }
    product[n] = sum;
  }
  std::sort(product, product + count);
  take_combinations(groups, product, (int)count);
  return true;
}

}  // namespace dpmix::pg
