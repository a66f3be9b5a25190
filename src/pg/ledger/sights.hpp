// Rows of dpmix.sight, as the ledger worker reads and writes them: in the transaction of a batch,
// as the catalog's owner.
#pragma once

#include "pg/catalog/role_number.hpp"
#include "pg/ledger/sums.hpp"

namespace dpmix::pg {

struct Seen {  // the sums of a role
  int64 account;
  Oid granted_to;
  Sums sums;
};
struct SeenList {
  uint64 count;
  Seen* list;
};
SeenList read_seen();

// What a charge counts at its first sight; false: it was seen, it is the grant's own, or it is none
// of this table.
bool read_unseen(int64 table, Oid granted_to, int64 charge, Sums* sums);
// granted_number: of the grant's role.
void write_sight(int64 table, int64 granted_number, int64 charge);

// SQL: charge c is not of the grants of a role, which has not been shown its answer.
#define DPMIX_NOT_SEEN_BY(role) \
  "(c.granted_number = " DPMIX_NUMBERS_OF(role) ") IS NOT TRUE "                            \
  "AND NOT EXISTS (SELECT FROM dpmix.sight s WHERE s.table_id = c.table_id "                \
  "                AND s.granted_number = " DPMIX_NUMBERS_OF(role) " AND s.charge_id = c.id)"

}  // namespace dpmix::pg
