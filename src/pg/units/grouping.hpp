// A table whose rows are only wanted as aggregates of each privacy unit is not held: its rows are
// added up as they are read, into a few words beside each unit.
//
// What comes of a unit is a function of the bag of its rows: whole numbers are summed exactly, and
// of equal values one form is kept. It takes as much memory as there are units, at most as rows.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace dpmix::pg {

struct HeldUnits;
struct ValueNumbers;

enum class UnitAggregate {
  rows,    // how many there are
  values,  // of those that are not NULL
  total,   // of bigints, as the nearest float8
  mean,
  least,
  most,
  all,  // of booleans
  any
};

struct GroupedValue {
  UnitAggregate how;
  Expr* argument;  // on columns of table 1; NULL: none
  Oid type;        // of the argument
  int place;       // of the first of its words
};

// Whether values of a type are told apart and compared here.
bool is_ordered_here(Oid type);
Oid result_type(const GroupedValue& value);

struct GroupedValues {
  int count, words, arguments;
  GroupedValue value[FLEXIBLE_ARRAY_MEMBER];
};
// values: of GroupedValue*.
GroupedValues* grouped_values(const List* values);
// In the order in which add_to_group() takes them. NULL: none.
List* arguments_of(const GroupedValues* values);
double bytes_of_group(const GroupedValues* values);  // as it is kept and given

// A row of the unit with this number: of each value that has an argument, that.
void add_to_group(const GroupedValues* values, ValueNumbers* numbers, uint32 unit,
                  const Datum* arguments, const bool* nulls);

// Entry of FROM: the number of each unit, and each value.
RangeTblEntry* groups_entry(const HeldUnits* held, const GroupedValues* values);

}  // namespace dpmix::pg
