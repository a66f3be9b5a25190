// Sums of dpmix.charge, read and recorded, so that a ledger's start does not depend on its length.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// The worker writes down the sums, in a transaction of their own, when so many ids have passed.
constexpr int64 kChargesPerCheckpoint = 2000;

struct AccountSums {  // decimals as text
  int64 table;
  const char* granted_to;  // empty: owner or superuser
  const char *epsilon, *delta, *amount, *added_delta;
};

struct LedgerSums {
  bool has_checkpoints;  // the SQL objects have a place for them
  int64 through;         // of the last one; 0: none
  uint64 count;
  AccountSums* accounts;
};

// Bodies for as_catalog_owner().
// Results are in the memory context of its caller.
void read_sums(void* sums);  // LedgerSums
// Records the sums of all charges, from those of the last checkpoint and the charges since; with
// dpmix.charge locked so that nobody else can be writing there.
void write_checkpoint(void* through);  // int64, the newest charge

}  // namespace dpmix::pg
