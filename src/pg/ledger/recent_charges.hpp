// The charges of the last minute, for a worker that was not there when they were made.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

struct RecentCharges {  // through the grants of one role on one account, in one second
  int64 account;
  Oid granted_to;
  int64 age;  // seconds ago
  int64 charges;
};

struct RecentChargeList {
  RecentCharges* list;
  int count;
};

// Reads dpmix.charge from its end, no further back than a minute. In the memory of SPI's caller.
RecentChargeList read_recent_charges();

}  // namespace dpmix::pg
