// From a protected table's records to synthetic rows in the caller's tuplestore, after the charge.
#pragma once

#include "pg/cda_progress.hpp"
#include "pg/cda_request.hpp"
#include "pg/silent_scan.hpp"

namespace dpmix::pg {

// For use inside guard().
void synthesise(const CdaCall* call, SilentScan* scan, const CdaPlan& plan, RandomStream& random,
                CdaProgress* progress);

}  // namespace dpmix::pg
