// What the owner's functions share: who may call them, and how a budget is checked and printed.
#pragma once

#include "pg/catalog/table_row.hpp"

extern "C" {
#include "storage/lockdefs.h"
}

namespace dpmix::pg {

// Locks the relation for its owner (or a superuser); ERRCODE_INSUFFICIENT_PRIVILEGE for others,
// before any lock is taken. PV004 on a standby.
void lock_owned(Oid relation, LOCKMODE mode);
// The same, and its record; PV006 unless it is protected.
CatalogRow* open_owned(Oid relation, LOCKMODE mode);

// Its name; PV005 where there is no such role. detail: what it is for.
const char* require_role(Oid role, const char* detail);
// A reason goes on record: PV005 when it is empty.
const char* require_reason(FunctionCallInfo fcinfo, int argument);

// 1e-6 <= epsilon <= 1e7; 0 <= delta < .5, and delta > 0 but under `basic`. PV005.
void require_budget(double epsilon, double delta, const char* accountant);
// The decimal that PostgreSQL prints for the double: what a budget is recorded as.
char* printed_decimal(double value);

}  // namespace dpmix::pg
