// What the catalog knows of a protected table, read as the extension's owner on behalf of a caller.
#pragma once

#include "core/accounting/filter.hpp"
#include "core/base/adjacency.hpp"
#include "pg/catalog/block_column.hpp"

extern "C" {
#include "access/attnum.h"
}

namespace dpmix::pg {

struct UnitLink;
struct MadeRows;

struct ProtectedTable {
  int64 id;       // dpmix.protected_table.id
  int64 account;  // the same, or of its population: whose charges add up with its own
  Oid relation;
  Oid user;          // whose access was looked at: who pays
  Oid owner;         // scans run with its rights
  const char* name;  // qualified and quoted
  Adjacency adjacency;
  Accountant accountant;
  double order;         // of `renyi`; 0 under the others
  const char* epsilon;  // the budget now in force, as decimals
  const char* delta;
  AttrNumber label;      // InvalidAttrNumber unless adjacency is label
  Oid granted_to;        // the role whose grant gives the current user access; InvalidOid: owner,
                         // superuser
  AttrNumber unit;       // the privacy unit's; InvalidAttrNumber: a row, or the link's
  int rows_of_unit;      // the most that a release may use
  bool samples_units;    // a unit may have more rows than that, or several
  BlockColumn blocks;    // column InvalidAttrNumber: the table has one budget, or
  bool always;           // its population has blocks, and its rows are in the one that never ends
  const UnitLink* link;  // through which a row belongs to a unit; NULL: it has none (unit_link.hpp)
  // What a release is asked of in its place, with the unit, the rows of one and the adjacency of
  // that (made_rows.hpp); NULL: the table.
  const MadeRows* made;
};

}  // namespace dpmix::pg
