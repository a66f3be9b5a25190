// Rows of dpmix.charge, in the transaction of a batch: constraints, triggers and indexes as with an
// INSERT, without its parser, planner and conversions from text.
#pragma once

#include "pg/ledger/receipt.hpp"

extern "C" {
#include "nodes/execnodes.h"
}

namespace dpmix::pg {

struct ChargeRows {
  Relation table;
  Oid sequence;  // InvalidOid: not looked up yet; stays
  EState* estate;
  ResultRelInfo* result;
  TupleTableSlot* slot;
};

// Opens the locked table dpmix.charge, until close_charges() or the end of the transaction.
void open_charges(ChargeRows* rows, Oid table);
// The largest id that is committed, or of this transaction; 0: there is none.
int64 newest_charge(const ChargeRows* rows);
struct ChargedAs {  // names at the time, and numbers of dpmix.role_number
  const char *table, *granted_to;
  int64 role_number, granted_number;  // 0: no grant
  int64 account;                      // the table's own number, or its population's
};
// Returns its id, which is above the one given (an error otherwise). Its receipt is the chain's new
// head.
int64 append_charge(const ChargeRows* rows, int64 newest, const ChargeOrder& order,
                    const ChargedAs& as, const ChargeCost& cost, ReceiptChain* chain);
void close_charges(ChargeRows* rows);

}  // namespace dpmix::pg
