// What a statistics query finds: its one row's only column.
#pragma once

#include "pg/scan/silent_scan.hpp"

namespace dpmix::pg {

// Runs a planned scan whose $1 is an array of these numbers. The value is a copy in the context, as
// is all that the scan leaves behind. before: as in run_scan().
Datum state_of_scan(
    const SilentScan* scan, MemoryContext context, const double* numbers, int size,
    Action before = [] {});

}  // namespace dpmix::pg
