// What a release asks of the ledger.
#pragma once

#include "core/accounting/filter.hpp"
#include "pg/border/callable.hpp"
#include "pg/catalog/protected_table.hpp"

namespace dpmix::pg {

// What the same call would be charged at another epsilon. Inside guard(); Error PV005 where no such
// release can be made.
struct Repricing {
  double epsilon, delta;  // as the caller gave them
  Callable<Spending(const Filter& filter, double epsilon)> charge_at;
};

struct ChargeRequest {
  const ProtectedTable* table;
  const char* kind;  // query, gmm, cda, compare
  const char* mechanism;
  double epsilon, delta;   // the guarantee of the whole release
  const Cost* own;         // the release's own, as the table adds up, or NULL: the generic one
  const char* parameters;  // a JSON object; long texts in it already clipped (see kParameterBytes)
  const char* release = NULL;         // its name, or NULL
  const Repricing* repricing = NULL;  // for the hint of PV001; NULL: as of a plain release
};
constexpr Size kParameterBytes = 1000;

}  // namespace dpmix::pg
