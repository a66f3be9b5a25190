// The scan of a comparison's protected table: silent, with its owner's rights.
#pragma once

#include "pg/catalog/blocks_read.hpp"
#include "pg/comparison/count.hpp"
#include "pg/scan/silent_scan.hpp"

namespace dpmix::pg {

// Planned before the charge, run after it.
SilentScan* plan_compare(const CompareScan* scan, const ProtectedTable* table,
                         const BlocksRead& blocks);
// The same of all rows, for their owner.
SilentScan* plan_exact_compare(const CompareScan* scan, const ProtectedTable* table);
CompareStates* run_compare(const CompareScan* scan, const SilentScan* plan, Numbers classifier);

}  // namespace dpmix::pg
