// A budget as its owner sets it, of a table or a population.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

struct Budget {  // as it is recorded
  const char* epsilon;
  const char* delta;
  const char* role;
};

// Set by the current user.
Budget printed_budget(double epsilon, double delta);
// As the catalog's owner. account: a table's id, or a population's.
void record_budget(int64 account, const Budget& budget, const char* reason);

}  // namespace dpmix::pg
