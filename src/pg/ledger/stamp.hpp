// Where this ledger lives: what a restored, copied or promoted database cannot share with it.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

struct LedgerStamp {
  uint64 system_identifier;
  uint32 timeline;
  Oid database;
  uint64 control_inode;  // of global/pg_control: differs in every copy of the data directory
  uint64 control_birth;  // when that file was made, in ns: an inode number may be used again; 0:
                         // unknown
  Oid record;            // dpmix.charge: another after DROP EXTENSION
  char machine_id[64];   // empty where the machine has none
};

LedgerStamp current_stamp();
bool operator==(const LedgerStamp& a, const LedgerStamp& b);

// Whether this is the place of the newest stamp; a ledger without one gets it now, for this reason.
// Call in an SPI connection of the catalog's owner. elsewhere: nothing may be charged here.
enum class StampCheck { ours, written, elsewhere };
StampCheck check_stamp(const char* role, const char* reason);
// False: nothing is stamped yet.
bool read_stamp(LedgerStamp* stamp);
void write_stamp(const LedgerStamp& stamp, const char* role, const char* reason);

}  // namespace dpmix::pg
