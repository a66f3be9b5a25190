// From a protected table's records to synthetic rows in the caller's tuplestore, after the charge.
#pragma once

#include "pg/scan/silent_scan.hpp"
#include "pg/synthetic/progress.hpp"
#include "pg/synthetic/request.hpp"

namespace dpmix::pg {

// Before the charge: the memory that records take (need_memory).
void need_records(const CdaCall* call);
// For use inside guard(). table_rows: rows_in() the table.
void synthesise(const CdaCall* call, SilentScan* scan, double table_rows, const CdaPlan& plan,
                RandomStream& random, CdaProgress* progress);

}  // namespace dpmix::pg
