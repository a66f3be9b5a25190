// What the owner states as public about a column: checked, and put on record.
//
// What is stated is refused (PV005) whole, before anything is written.
#pragma once

#include "pg/owner/owned_column.hpp"

extern "C" {
#include "utils/date.h"
#include "utils/timestamp.h"
}

namespace dpmix::pg {

// Columns whose values can be clamped: numbers, dates, times and intervals.
bool can_have_bounds(const OwnedColumn* column);
// These, and texts: of their length in characters.
void require_bounds_type(const OwnedColumn* column);
// A moment as the column's own number: days or seconds since 2000-01-01, without a time zone where
// the column has none.
double in_units_of(const OwnedColumn* column, TimestampTz at);
double in_units_of_date(const OwnedColumn* column, DateADT day);
// An interval in seconds, as extract(epoch FROM ...) counts them.
double in_seconds(Datum interval);
// A bound as a text: a number, of a column in time a moment, of one of intervals an interval.
double read_bound(const OwnedColumn* column, char* text);
// nan_is_middle: as in dpmix.set_bounds().
void record_bounds(const OwnedColumn* column, double lower, double upper,
                   bool nan_is_middle = false);

// Bounds of the rows of some categories of another column, and of all others the widest of them.
// What is stated is texts.
struct StatedBoundsBy {
  const char* column;
  int categories;
  char **category, **lower, **upper;
};
constexpr int kMostBoundsBy = 1000;
void record_bounds_by(const OwnedColumn* column, const OwnedColumn* by,
                      const StatedBoundsBy& stated);

constexpr int kMostCategories = 10000;
// Texts of its type, each NULL or a value. other: all other values are one group.
void record_categories(const OwnedColumn* column, const char* const* texts, int count,
                       bool other = false);

}  // namespace dpmix::pg
