// Sums of dpmix.charge by account, read and recorded, so that a ledger's start does not depend on
// its length.
#pragma once

#include "pg/ledger/sums.hpp"

namespace dpmix::pg {

// The worker writes down the sums, in a transaction of their own, when so many ids have passed.
constexpr int64 kChargesPerCheckpoint = 2000;

struct GrantSums {
  int64 account;
  Oid granted_to;  // InvalidOid: owner or superuser, or nobody who is here
  Sums sums;
};

struct LedgerSums {
  int64 through;  // the charge that the last checkpoint was made after; 0: none
  uint64 count;
  GrantSums* grants;
};

LedgerSums read_ledger_sums();

struct Membership {  // of a table in a population
  int64 table, account;
};
struct Memberships {
  uint64 count;
  Membership* list;
};
Memberships read_memberships();

// Records the sums of all charges, from those of the last checkpoint and the charges since; with
// dpmix.charge locked so that nobody else can be writing there. through: the newest charge.
void write_checkpoint(int64 through);

}  // namespace dpmix::pg
