// What a release is charged for: known before its charge, in the caller as in the process, and told
// by a preview.
#pragma once

#include <optional>

#include "pg/catalog/blocks_read.hpp"
#include "pg/ledger/balance.hpp"
#include "pg/rows/model_columns.hpp"

namespace dpmix::pg {

struct Terms {
  const char *kind, *mechanism = "gaussian";  // words of the ledger
  const char *name = NULL, *method = NULL;    // those of what is stored; NULL: nothing is
  const ModelColumns* columns = NULL;
  const ProtectedTable* table;
  const char* source = NULL;  // the SELECT that is asked in its place; NULL: none
  BlocksRead blocks = {};
  double epsilon, delta;
  std::optional<Cost> own = std::nullopt;  // its own, as the table adds up; none: the generic one
  double mu = 0;                           // that of all its Gaussian noise, shift over deviation
  const char* counted = NULL;              // the number of rows that tells most, in words
  double count_stddev = 0;                 // that of the noise in this number
};

// Requests without parameters and name, as for a preview. They point into the terms. Several: for
// made rows of tables to which the caller has access through several grants, each of which pays.
struct ChargeRequests {
  int count;
  ChargeRequest* request;
};
ChargeRequests charge_requests(const Terms& terms);
// The one request for a table.
ChargeRequest charge_request(const Terms& terms);
// The outlook of the grant that ends first.
Outlook outlook_of(const Terms& terms, const PeriodsAhead* ahead = NULL);

}  // namespace dpmix::pg
