// What was charged to blocks, as rows: charges with their ranges, and a checkpoint of the sums.
#pragma once

#include <vector>

#include "core/accounting/block_sums.hpp"
#include "pg/ledger/request.hpp"

namespace dpmix::pg {

// The sums of an account's blocks, from its newest checkpoint and the charges after it. through:
// charges with larger ids are left out. Inside guard(), in a transaction.
BlockSums read_block_sums(int64 account, int64 through = PG_INT64_MAX);

// What of these was charged through the grants of a role, and what they were shown of others'. It
// reads all of their charges: no checkpoint has these sums.
BlockSums read_granted_block_sums(int64 account, Oid granted_to);
// The ranges of one charge.
std::vector<BlockRange> read_blocks_of_charge(int64 charge);

// The ranges as a text of type int8multirange.
char* ranges_text(const BlockRange* ranges, int count);

// Writes an account's sums of all charges up to this one, in the transaction of a checkpoint.
void write_block_checkpoint(int64 account, const BlockSums& sums, int64 through);

}  // namespace dpmix::pg
