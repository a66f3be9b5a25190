// Sums of dpmix.charge: of an account up to some charge, from checkpoints, so that no long ledger
// is read. In an SPI connection of the catalog's owner, results in the memory of its caller.
#pragma once

#include "core/accounting/filter.hpp"
#include "pg/border/statement.hpp"

namespace dpmix::pg {

struct Sums {  // decimals as text: epsilon, delta, cost, cost_delta
  const char* part[4];
};
// Four columns of a row, from this one on.
Sums sums_in(const ResultRow& row, int column);
Spending spending_of(const Sums& sums);  // inside guard()

// The tables whose charges count against account $n.
#define DPMIX_TABLES_OF(account) \
  "ANY (ARRAY(SELECT n.table_id FROM dpmix_internal.table_account n WHERE n.account = " account "))"

struct AccountSums {
  int64 charges;
  Sums sums;
};

// The sums of an account's charges with an id below this one.
AccountSums sums_before(int64 account, int64 id);

// An account's first charge after a time; PG_INT64_MAX: none. Charges are in the order of their
// commit, and so are their times unless the clock was set back: then it is the first one after some
// charge of that time or before. Times that are yet to come, by today's clock, count as no time.
int64 first_charge_after(int64 account, TimestampTz at);

}  // namespace dpmix::pg
