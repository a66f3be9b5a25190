// From a protected table's records to synthetic rows in the caller's tuplestore, in the process.
#pragma once

#include "pg/release/passes.hpp"
#include "pg/synthetic/cda/kind.hpp"

namespace dpmix::pg {

// Charges, reads the records, puts the rows.
void put_cda_rows(const InProcess& process, const CdaCall& call);

}  // namespace dpmix::pg
