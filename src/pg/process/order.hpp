// What a release process is told: which function of dpmix's to call, with which arguments, as whom,
// seeing what, under which settings.
//
// The call travels as its function and the values of its arguments. now() is the caller's. The
// snapshot is a copy of the caller's active one, to which the caller's own transaction is added as
// one that is still running: a process takes it for neither committed nor aborted, and leaves its
// rows alone (docs/proofs/silence.md). Whatever the bytes are, they are read within their bounds.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "access/tupdesc.h"
#include "lib/stringinfo.h"
#include "nodes/primnodes.h"
#include "utils/snapshot.h"
}

struct PGPROC;

namespace dpmix::pg {

struct Order {
  FuncExpr* call;     // arguments are constants
  TupleDesc columns;  // the result's, as the caller stated them; NULL: no rows are expected
  Oid user;
  int security;
  PGPROC* caller;
  int caller_pid;
  Snapshot snapshot;
  bool has_temporary;         // a schema of temporary objects, in which names are looked up first
  StringInfoData attachment;  // what else the caller sends
  List* tables;               // of ShippedTable*
};

// Caller: the whole order of this call, as bytes. Raises for what cannot travel.
// tables: put_shipped_table(); NULL, or empty: none.
StringInfo write_order(FunctionCallInfo fcinfo, TupleDesc columns, const StringInfoData* attachment,
                       const StringInfoData* tables = NULL);
// Process: in a transaction. Settings and times of the caller are in force afterwards, until it
// ends.
Order read_order(const char* bytes, Size size);

}  // namespace dpmix::pg
