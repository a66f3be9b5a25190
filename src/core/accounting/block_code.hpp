// The sums of blocks as bytes, for a checkpoint: a few bytes where neighbours differ little.
#pragma once

#include <string>
#include <string_view>

#include "core/accounting/block_sums.hpp"

namespace dpmix {

std::string encode(const BlockSums& sums);
// Error PV004: it was not made by encode().
BlockSums decode_block_sums(std::string_view bytes);

}  // namespace dpmix
