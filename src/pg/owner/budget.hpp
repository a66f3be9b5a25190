// A budget as its owner sets it, of a table or a population.
#pragma once

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// Called by _PG_init.
void budgets_init();

struct Budget {  // as it is recorded
  const char* epsilon;
  const char* delta;
  const char* role;
  bool weak;  // its owner states that it knows what warn_of_weakness() would say
};

// Set by the current user.
Budget printed_budget(double epsilon, double delta, bool weak);
// WARNING of a budget that protects nobody, unless its owner knows. relation: whose rows delta is
// compared with, as ANALYZE counted them; InvalidOid: no table yet.
void warn_of_weakness(const char* what, double epsilon, double delta, bool weak, Oid relation);
// Records a budget; run as the catalog's owner. account: a table's id, or a population's.
void record_budget(int64 account, const Budget& budget, const char* reason);

}  // namespace dpmix::pg
