// The scan of a comparison's protected table: silent, with its owner's rights.
#pragma once

#include "pg/comparison/count.hpp"
#include "pg/scan/silent_scan.hpp"

namespace dpmix::pg {

// Planned before the charge, run after it. condition: on the rows that are read; NULL: none.
SilentScan* plan_compare(const CompareScan* scan, const ProtectedTable* table,
                         Expr* condition = NULL);
CompareStates* run_compare(const CompareScan* scan, const SilentScan* plan, Numbers classifier);

}  // namespace dpmix::pg
