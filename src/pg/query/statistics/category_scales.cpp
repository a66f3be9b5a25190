#include "pg/query/statistics/category_scales.hpp"

#include <algorithm>

#include "pg/border/guard.hpp"
#include "pg/query/read/sources.hpp"
#include "pg/query/safe/category_bounds.hpp"
#include "pg/query/safe/columns.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/query/safe/numbers.hpp"
#include "pg/trees/category.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/array.h"
}

namespace dpmix::pg {
namespace {

// The key that is this column; -1: none is.
int key_of_column(const QueryShape* shape, const Var* column) {
  for (int k = 0; column != NULL && k < shape->keys; k++) {
    const Expr* key = shape->key[k].expression;
    if (!IsA(key, Var)) continue;
    const Var* var = (const Var*)key;
    if (var->varno == column->varno && var->varattno == column->varattno) return k;
  }
  return -1;
}

// What others, such as values that are no declared category, have together is a group of its own,
// which must not hold rows of a category with bounds of its own.
bool may_be_a_group(const ColumnDomain& key, const Var* column, const char* category) {
  if (key.categories == 0) return true;
  const Datum* declared = category_values(key, column);
  for (int i = 0; i < key.categories; i++) {
    if (strcmp(deciding_text(column->vartype, declared[i]), category) == 0) return true;
  }
  return false;
}

struct Bounded {  // an argument
  ColumnDomain domain;
  const Var* decided_by;
  int key;
};

bool is_bounded_by_key(const AskedStatistics& asked, Bounded* bounded) {
  if (!asked.scope->own_scales || asked.shape->sets != NULL) return false;
  const Expr* argument = asked.aggregate->argument;
  if (argument == NULL || !IsA(argument, Var)) return false;
  const Var* column = (const Var*)argument;
  if (column->varlevelsup != 0 || !is_number(column->vartype)) return false;
  bounded->domain = domain_of(asked.scope, column);
  bounded->decided_by = deciding_column(asked.scope, column, bounded->domain);
  bounded->key = key_of_column(asked.shape, bounded->decided_by);
  return bounded->key >= 0;
}

// Other conditions narrow the bounds of each category as they do those of all.
Bounds bounds_of_category(const AskedStatistics& asked, const ColumnDomain& domain, int category) {
  ColumnDomain one = domain;
  one.by = NULL;
  if (category >= 0) one.lower = domain.by->lower[category];
  if (category >= 0) one.upper = domain.by->upper[category];
  const ValueInterval met = range_of(asked.scope, (const Var*)asked.aggregate->argument, one);
  if (!(met.lower < met.upper)) return {one.lower, one.upper};
  return {met.lower, met.upper};
}

BoundsScale scale_within(const Bounds& bounds, bool centred) {
  return guard([&] {
    return centred ? centred_scale(bounds.lower, bounds.upper)
                   : anchored_scale(bounds.lower, bounds.upper);
  });
}

CategoryScales* scales_of(const AskedStatistics& asked, const Bounded& bounded, bool centred) {
  const BoundsBy* by = bounded.domain.by;
  CategoryScales* made = (CategoryScales*)palloc0(sizeof(CategoryScales));
  made->key = bounded.key;
  made->category = (const char**)palloc(sizeof(char*) * by->categories);
  made->scale = (BoundsScale*)palloc(sizeof(BoundsScale) * (by->categories + 1));
  const ColumnDomain key = domain_of(asked.scope, bounded.decided_by);
  for (int i = 0; i < by->categories; i++) {
    if (!may_be_a_group(key, bounded.decided_by, by->category[i])) continue;
    made->category[made->categories] = by->category[i];
    made->scale[made->categories++] =
        scale_within(bounds_of_category(asked, bounded.domain, i), centred);
  }
  made->scale[made->categories] =
      scale_within(bounds_of_category(asked, bounded.domain, -1), centred);
  return made;
}

// Of the places of all values of all categories.
Lattice places_lattice(const CategoryScales* scales, bool centred) {
  double lower = 1, upper = -1;
  for (int i = 0; i <= scales->categories; i++) {
    const BoundsScale& scale = scales->scale[i];
    lower = std::min(lower, scale.place(scale.lower));
    upper = std::max(upper, scale.place(scale.upper));
  }
  return guard([&] {
    return centred ? centred_lattice(-1, 1, false) : anchored_lattice(lower, upper, false);
  });
}

void read_on(const Lattice& places, CategoryScales* scales) {
  scales->lattice = (Lattice*)palloc(sizeof(Lattice) * (scales->categories + 1));
  for (int i = 0; i <= scales->categories; i++) {
    scales->lattice[i] = scales->scale[i].lattice(places);
    if (scales->scale[i].reach > scales->scale[scales->widest].reach) scales->widest = i;
  }
  scales->now = scales->widest;
}

Const* numbers(const CategoryScales* scales, double BoundsScale::*of) {
  Datum* value = (Datum*)palloc(sizeof(Datum) * (scales->categories + 1));
  for (int i = 0; i <= scales->categories; i++) value[i] = Float8GetDatum(scales->scale[i].*of);
  return category_array(FLOAT8OID, InvalidOid, value, scales->categories + 1);
}

// The number of a row's category; NULL: another value.
Expr* category_of_row(const CategoryScales* scales, const Var* column) {
  ColumnDomain listed = {};
  listed.categories = scales->categories;
  listed.category = (char**)scales->category;
  return category_number((const Expr*)column, category_values(listed, column), scales->categories);
}

Expr* placed(const CategoryScales* scales, const Var* column, Expr* number) {
  List* arguments =
      list_make3(number, category_of_row(scales, column), numbers(scales, &BoundsScale::lower));
  arguments = lappend(arguments, numbers(scales, &BoundsScale::upper));
  arguments = lappend(arguments, numbers(scales, &BoundsScale::origin));
  arguments = lappend(arguments, numbers(scales, &BoundsScale::reach));
  return call_dpmix(kPlacedNumber, FLOAT8OID, arguments);
}

}  // namespace

int add_sum_of_categories(const AskedStatistics& asked, const SafeNumber& number, bool centred) {
  Bounded bounded;
  if (!is_bounded_by_key(asked, &bounded)) return add_sum(asked, number, centred);
  CategoryScales* scales = scales_of(asked, bounded, centred);
  if (scales->categories == 0) return add_sum(asked, number, centred);
  const Lattice places = places_lattice(scales, centred);
  read_on(places, scales);
  const BoundsScale& widest = scales->scale[scales->widest];
  QueryStatistic sum = statistic_of(
      asked.scope, asked.aggregate, StatisticKind::sum, centred ? "centred sum" : "sum",
      placed(scales, bounded.decided_by, (Expr*)copyObjectImpl(number.value)), places);
  sum.lower = widest.lower;
  sum.upper = widest.upper;
  sum.unit = widest.reach;
  sum.scales = scales;
  return add_statistic(asked.list, sum);
}

void use_scales_of_group(const QueryStatistics* statistics, const Datum* keys, const bool* nulls,
                         const QueryShape* shape) {
  for (int i = 0; i < statistics->count; i++) {
    CategoryScales* scales = statistics->statistic[i].scales;
    if (scales == NULL) continue;
    const int k = scales->key;
    scales->now = scales->categories;
    if (nulls[k]) continue;
    const char* text = deciding_text(shape->key[k].type, keys[k]);
    for (int c = 0; c < scales->categories; c++) {
      if (strcmp(scales->category[c], text) == 0) scales->now = c;
    }
  }
}

}  // namespace dpmix::pg
