// Rows of dpmix.sight, as the ledger worker reads and writes them: in the transaction of a batch,
// as the catalog's owner.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

struct Seen {  // the sum of a grant
  int64 account;
  const char *granted_to, *epsilon;
};
struct SeenList {
  uint64 count;
  Seen* list;
};
SeenList read_seen();

// What a charge counts at its first sight; NULL: it was seen, it is the grant's own, or it is none
// of this table.
const char* unseen_epsilon(int64 table, const char* granted_to, int64 charge);
void write_sight(int64 table, const char* granted_to, int64 charge);

}  // namespace dpmix::pg
