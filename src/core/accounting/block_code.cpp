#include "core/accounting/block_code.hpp"

#include "core/base/error.hpp"

namespace dpmix {
namespace {

// Seven bits a byte, the lowest first; a sign is folded into the lowest bit.
void put(std::string& out, Int128 value) {
  auto bits = static_cast<UInt128>(value) << 1;
  if (value < 0) bits = ~bits;
  while (bits >= 128) {
    out.push_back(static_cast<char>(static_cast<unsigned>(bits & 127) | 128));
    bits >>= 7;
  }
  out.push_back(static_cast<char>(bits));
}

[[noreturn]] void refuse(const char* detail) {
  throw Error(ErrorCode::ledger_unavailable, "a checkpoint of blocks is damaged", detail,
              "Delete the rows of dpmix.block_checkpoint: the sums are read from the charges.");
}

Int128 take(std::string_view& in) {
  UInt128 bits = 0;
  for (int shift = 0; shift < 128; shift += 7) {
    if (in.empty()) break;
    const auto byte = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    bits |= static_cast<UInt128>(byte & 127) << shift;
    if (byte >= 128) continue;
    const auto half = static_cast<Int128>(bits >> 1);
    return (bits & 1) != 0 ? ~half : half;
  }
  refuse("Its bytes end within a number.");
}

// The next number, which is written as its distance from the one before. All are below 2^127 / 2.
Int128 take_after(std::string_view& in, Int128 before, Int128 least, Int128 most) {
  const Int128 distance = take(in);
  if (distance < least - before || distance > most - before) refuse("It has sums that are none.");
  return before + distance;
}

}  // namespace

std::string encode(const BlockSums& sums) {
  std::string out;
  BlockSegment before{{0, 0}, {}};
  for (const BlockSegment& segment : sums.segments()) {
    put(out, static_cast<Int128>(segment.blocks.first) - before.blocks.last);
    put(out, static_cast<Int128>(segment.blocks.last) - segment.blocks.first);
    for (std::size_t i = 0; i < segment.sums.part.size(); ++i) {
      put(out, segment.sums.part[i] - before.sums.part[i]);
    }
    put(out, static_cast<Int128>(segment.sums.charges) - before.sums.charges);
    before = segment;
  }
  return out;
}

BlockSums decode_block_sums(std::string_view bytes) {
  constexpr Int128 most_sum = Int128{1} << 126, most = kAllBlocks.last;
  std::vector<BlockSegment> segments;
  BlockSegment segment{{0, 0}, {}};
  while (!bytes.empty()) {
    auto& [first, last] = segment.blocks;
    const Int128 least = segments.empty() ? Int128{kAllBlocks.first} : Int128{last} + 1;
    first = static_cast<std::int64_t>(take_after(bytes, last, least, most));
    last = static_cast<std::int64_t>(take_after(bytes, first, first, most));
    for (Int128& part : segment.sums.part) part = take_after(bytes, part, 0, most_sum);
    auto& charges = segment.sums.charges;
    charges = static_cast<std::int64_t>(take_after(bytes, charges, 0, most));
    segments.push_back(segment);
  }
  return BlockSums::of(segments);
}

}  // namespace dpmix
