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
  const char *name = NULL, *method = NULL;    // of what is stored; NULL: nothing is
  const ModelColumns* columns = NULL;
  const ProtectedTable* table;
  const char* source = NULL;  // the SELECT that is asked in its place; NULL: none
  BlocksRead blocks = {};
  double epsilon, delta;
  std::optional<Cost> own = std::nullopt;  // as the table adds up; none: the generic one
  double mu = 0;  // of the Gaussian noise of all of it, shift over deviation
  const char* counted = NULL;  // the number of rows that tells most, in words
  double count_stddev = 0;     // of the noise in it
};

// Without parameters and name, as for a preview. They point into the terms. Several: of made rows
// of tables to which the caller has access through several grants, each of which pays.
struct ChargeRequests {
  int count;
  ChargeRequest* request;
};
ChargeRequests charge_requests(const Terms& terms);
// Of a table.
ChargeRequest charge_request(const Terms& terms);
// Of the grant that ends first.
Outlook outlook_of(const Terms& terms, const PeriodsAhead* ahead = NULL);

}  // namespace dpmix::pg
