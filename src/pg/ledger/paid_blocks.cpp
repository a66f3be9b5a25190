#include "pg/ledger/paid_blocks.hpp"

namespace dpmix::pg {
namespace {

bool reads_always(const ChargeRequest& request) {
  for (int i = 0; i < request.other_count; i++) {
    if (request.others[i]->always) return true;
  }
  return request.table->always;
}

}  // namespace

// The block of no number is that of a request that reads none; such a one has room for another.
BlocksRead paid_blocks(const ChargeRequest& request) {
  BlocksRead stated = {request.block_count, (BlockRange*)request.blocks};
  if (!reads_always(request)) return stated;
  if (stated.count > 0 && stated.range[0] == kAlways) return stated;
  if (stated.count == 1 && stated.range[0] == kNoBlock) stated.count = 0;
  BlocksRead paid = {1, (BlockRange*)palloc(sizeof(BlockRange) * (kMostRanges + 1))};
  paid.range[0] = kAlways;
  for (int i = 0; i < stated.count; i++) {
    // With the first range there may be one more than fits into a charge: the last two become one.
    if (paid.count == kMostRanges) {
      paid.range[paid.count - 1].last = stated.range[i].last;
    } else {
      paid.range[paid.count++] = stated.range[i];
    }
  }
  return paid;
}

}  // namespace dpmix::pg
