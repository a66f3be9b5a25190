// Which values of a column in order (time, or whole numbers) a condition lets through.
//
// A condition says so where it compares the column (or what date_trunc or a widening cast makes of
// it, which keeps its order) by =, <, <=, >, >= or IN with constants, in an order that no setting
// decides on. OR and CASE say nothing.
#pragma once

#include "pg/catalog/blocks_read.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace dpmix::pg {

struct OrderedColumn {
  Index varno;
  AttrNumber column;
  Places all;  // its values
};

// Ranges within all, some of them perhaps empty, in no order.
struct PlacesLeft {
  bool known;
  int count;
  Places* range;
};
PlacesLeft places_left(const OrderedColumn& column, Node* condition);

// The hull of what all conditions of a list leave.
Places places_met(const OrderedColumn& column, const List* conditions);

}  // namespace dpmix::pg
