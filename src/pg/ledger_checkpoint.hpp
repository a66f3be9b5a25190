// Sums of dpmix.charge, read and recorded, so that a ledger's start does not depend on its length.
#pragma once

#include "pg/postgres.hpp"

namespace dpmix::pg {

// The worker records the sums in the transaction of a batch, when so many ids have passed.
constexpr int64 kChargesPerCheckpoint = 1000;

struct AccountSums {  // decimals as text
  int64 table;
  const char* granted_to;  // empty: owner or superuser
  int64 charges;
  const char *epsilon, *delta, *rho, *added_delta;
};

struct LedgerSums {
  bool has_checkpoints;  // the SQL objects have a place for them
  int64 through;         // of the last one; 0: none
  uint64 count;
  AccountSums* accounts;
};

struct Checkpoint {
  int64 through;  // all charges up to this id are in the sums
  const AccountSums* sums;
};

// Bodies for as_catalog_owner(). Results are in the memory context of its caller.
void read_sums(void* sums);                // LedgerSums
void write_checkpoint(void* checkpoint);  // one account of a Checkpoint

}  // namespace dpmix::pg
