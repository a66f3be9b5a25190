// Makes synthetic rows of a protected table's records, in the process, and puts them into the
// caller's tuplestore.
#pragma once

#include "pg/release/passes.hpp"
#include "pg/synthetic/cda/kind.hpp"

namespace dpmix::pg {

// Charges, reads the records, puts the rows.
void put_cda_rows(const InProcess& process, const CdaCall& call);

}  // namespace dpmix::pg
