// Which blocks pay for a release: those that it reads, and, of a population with blocks, the one of
// all rows that no column puts into any (docs/proofs/populations.md).
#pragma once

#include "pg/catalog/blocks_read.hpp"
#include "pg/ledger/request.hpp"

namespace dpmix::pg {

// What the request states, with the block that is always read where a table has rows there.
BlocksRead paid_blocks(const ChargeRequest& request);

}  // namespace dpmix::pg
