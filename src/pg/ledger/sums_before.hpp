// What a table was charged up to some charge: from checkpoints, so that no long ledger is read. All
// of it inside as_catalog_owner().
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "datatype/timestamp.h"
}

namespace dpmix::pg {

struct TableSums {
  int64 charges;
  const char* sum[4];  // epsilon, delta, cost, cost_delta, in the memory of SPI's caller
};

// Of the charges of a table with an id below this one.
TableSums sums_before(int64 table_id, int64 id);

// A table's first charge after a time; PG_INT64_MAX: none. Charges are in the order of their
// commit, and so are their times unless the clock was set back: then it is the first one after some
// charge of that time or before. Times that are yet to come, by today's clock, count as no time.
int64 first_charge_after(int64 table_id, TimestampTz at);

}  // namespace dpmix::pg
