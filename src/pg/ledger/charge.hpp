// Charging, as a caller sees it. The charge is committed by the ledger worker in its own
// transaction before charge() returns: no ROLLBACK, error, cancel, kill or crash afterwards
// refunds. See docs/proofs/ledger.md.
#pragma once

#include "pg/ledger/request.hpp"

namespace dpmix::pg {

struct Sums;

// Called by _PG_init.
void charges_init();

// Returns the id of the committed charge. PV001: it does not fit (HINT: the
// largest epsilon that does). PV004: no committed charge could be had (DETAIL says why); nothing
// may be released. Must be called after every check of parameters and before any noise.
PGDLLEXPORT int64 charge(const ChargeRequest& request);

// The cap of a grant counts the charges of others that its role is shown answers of: each once.
// Returns when those are committed that were not seen yet. PV001: the cap does not allow it; PV004.
void see_charges(const ProtectedTable* table, const int64* charges, int count);
// What that would count; false: nothing.
bool unseen_sums(const ProtectedTable* table, const int64* charges, int count, Sums* sums);

// Has this session's charges recorded from now on as those of a run of a schedule: "schedule_run"
// in their parameters. 0: of none.
void tag_charges(int64 schedule_run);
// Whether any was asked for since the last run began. False: none of it can be on record.
bool charge_asked();

// Returns when every charge that was asked for by a session, or a call, that is over by now is
// committed or never will be. PV004: that is not known.
void settle_charges();

}  // namespace dpmix::pg
