// Which values of a column in order (time, or whole numbers) a condition lets through.
//
// A condition says so where it compares the column (or what date_trunc or a widening cast makes of
// it, which keeps its order) by =, <, <=, >, >= or IN with constants, in an order that no setting
// decides on; so does an OR of such. Anything else says nothing.
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

// Ranges within all, in order and apart.
struct PlacesLeft {
  bool known;
  int count;
  Places* range;
};
PlacesLeft places_left(const OrderedColumn& column, Node* condition);

// What all conditions of a list leave.
PlacesLeft places_met(const OrderedColumn& column, const List* conditions);

}  // namespace dpmix::pg
