// Charging, as a caller sees it. The charge is committed by the ledger worker in its own
// transaction before charge() returns: no ROLLBACK, error, cancel, kill or crash afterwards
// refunds. See docs/proofs/ledger.md.
#pragma once

#include "core/accounting/cost.hpp"
#include "pg/balance.hpp"

namespace dpmix::pg {

struct ChargeRequest {
  const ProtectedTable* table;
  const char* kind;  // query, gmm, cda, compare
  const char* mechanism;
  double epsilon, delta;   // the guarantee of the whole release
  const Cost* own;         // the release's own, as the table adds up, or NULL: the generic one
  const char* parameters;  // a JSON object; long texts in it already clipped (see kParameterBytes)
  const char* release;     // name of the release, or NULL
  const Repricing* repricing = NULL;  // for the hint of PV001; NULL: as of a plain release
};
constexpr Size kParameterBytes = 1000;

// Returns the id of the committed charge. PV001: it does not fit (HINT: the largest epsilon that
// does). PV004: no committed charge could be had (DETAIL says why); nothing may be released.
// Must be called after every check of parameters and before any noise.
PGDLLEXPORT int64 charge(const ChargeRequest& request);

// PV004 on a standby, where nothing can be written.
void require_primary();

}  // namespace dpmix::pg
