#include "core/accounting/block_sums.hpp"

#include <algorithm>

namespace dpmix {
namespace {

constexpr std::size_t kLongestChunk = 512;
constexpr Int128 kMost = Int128{1} << 126;

using Units = Int128 (Decimal::*)(int) const;

BlockSpending in_units(const Spending& spending, Units units) {
  constexpr int places = BlockSpending::kPlaces;
  return {{(spending.epsilon.*units)(places), (spending.delta.*units)(places),
           (spending.amount.*units)(places), (spending.added_delta.*units)(places)},
          0};
}

void raise(BlockSpending& most, const BlockSpending& sums) {
  for (std::size_t i = 0; i < most.part.size(); ++i) {
    most.part[i] = std::max(most.part[i], sums.part[i]);
  }
  most.charges = std::max(most.charges, sums.charges);
}

}  // namespace

BlockSpending BlockSpending::up(const Spending& charge) {
  BlockSpending one = in_units(charge, &Decimal::upper_units);
  one.charges = 1;
  return one;
}

BlockSpending BlockSpending::down(const Spending& limits) {
  return in_units(limits, &Decimal::lower_units);
}

Spending BlockSpending::decimals() const {
  const auto decimal = [](Int128 units) {
    return Decimal::parse(to_string(units) + "e-" + std::to_string(kPlaces));
  };
  return {decimal(part[0]), decimal(part[1]), decimal(part[2]), decimal(part[3])};
}

BlockSpending& BlockSpending::operator+=(const BlockSpending& other) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    part[i] = std::min(part[i], kMost - other.part[i]) + other.part[i];
  }
  charges += other.charges;
  return *this;
}

bool BlockFilter::admits(const BlockSpending& total) const {
  const auto fits = [&](int arm) {
    return total.part[2 * arm] <= limits_.part[2 * arm] &&
           total.part[2 * arm + 1] <= limits_.part[2 * arm + 1];
  };
  return fits(0) || (arms_ == 2 && fits(1));
}

double BlockFilter::share_spent(const BlockSpending& total) const {
  const auto share = [&](int part) {
    if (total.part[part] == 0) return 0.;
    return static_cast<double>(total.part[part]) / static_cast<double>(limits_.part[part]);
  };
  const double guarantees = std::max(share(0), share(1));
  return arms_ == 2 ? std::min(guarantees, std::max(share(2), share(3))) : guarantees;
}

BlockShares shares_of(std::span<const BlockSegment> segments, const BlockFilter& filter) {
  BlockShares shares;
  for (const BlockSegment& segment : segments) {
    const double share = filter.share_spent(segment.sums);
    const bool first = &segment == segments.data();
    if (first || share < shares.least) shares.least = share;
    if (!first && share <= shares.most) continue;
    shares.most = share;
    shares.fullest = segment;
  }
  return shares;
}

BlockSums::BlockSums() : chunks_(1) {
  chunks_[0].starts = {{kAllBlocks.first, {}}};
}

// Behind all other segments.
void BlockSums::append(std::int64_t first, const BlockSpending& sums) {
  if (chunks_.back().starts.back().first == first) {
    chunks_.back().starts.pop_back();
  } else if (chunks_.back().starts.size() >= kLongestChunk / 2) {
    chunks_.push_back({});
  }
  chunks_.back().starts.push_back({first, sums});
  raise(chunks_.back().most, sums);
}

BlockSums BlockSums::of(std::span<const BlockSegment> segments) {
  BlockSums all;
  for (const auto& [blocks, sums] : segments) {
    all.append(blocks.first, sums);
    if (blocks.last != kAllBlocks.last) all.append(blocks.last + 1, {});
  }
  return all;
}

std::size_t BlockSums::chunk_of(std::int64_t block) const {
  const auto after = std::upper_bound(
      chunks_.begin(), chunks_.end(), block,
      [](std::int64_t b, const Chunk& chunk) { return b < chunk.starts.front().first; });
  return static_cast<std::size_t>(after - chunks_.begin()) - 1;
}

std::int64_t BlockSums::end_of(std::size_t chunk) const {
  return chunk + 1 < chunks_.size() ? chunks_[chunk + 1].starts.front().first - 1 : kAllBlocks.last;
}

// Makes a segment start at this block, if none does yet.
void BlockSums::begin_segment(std::int64_t block) {
  const std::size_t c = chunk_of(block);
  std::vector<Start>& starts = chunks_[c].starts;
  const auto after =
      std::upper_bound(starts.begin(), starts.end(), block,
                       [](std::int64_t b, const Start& start) { return b < start.first; });
  const BlockSpending sums = (after - 1)->sums;
  if ((after - 1)->first == block) return;
  starts.insert(after, {block, sums});
  if (starts.size() > kLongestChunk) split(c);
}

void BlockSums::split(std::size_t c) {
  Chunk& chunk = chunks_[c];
  const auto middle = chunk.starts.begin() + kLongestChunk / 2;
  // Both halves keep the most of both: an upper bound, exact again when all of it is looked at.
  Chunk second{{middle, chunk.starts.end()}, chunk.added, chunk.most};
  chunk.starts.erase(middle, chunk.starts.end());
  chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(c) + 1, std::move(second));
}

void BlockSums::add(const BlockCharge& charge) {
  const auto [first, last] = charge.blocks;
  begin_segment(first);
  if (last != kAllBlocks.last) begin_segment(last + 1);
  for (std::size_t c = chunk_of(first); c < chunks_.size(); ++c) {
    Chunk& chunk = chunks_[c];
    if (chunk.starts.front().first > last) break;
    if (chunk.starts.front().first >= first && end_of(c) <= last) {
      chunk.added += charge.charge;
      chunk.most += charge.charge;
      continue;
    }
    BlockSpending most;
    for (Start& start : chunk.starts) {
      if (start.first >= first && start.first <= last) start.sums += charge.charge;
      raise(most, start.sums);
    }
    chunk.most = most + chunk.added;
  }
}

bool BlockSums::admits(const BlockFilter& filter, const BlockCharge& charge) const {
  const auto [first, last] = charge.blocks;
  for (std::size_t c = chunk_of(first); c < chunks_.size(); ++c) {
    const Chunk& chunk = chunks_[c];
    if (chunk.starts.front().first > last) break;
    if (filter.admits(chunk.most + charge.charge)) continue;
    for (std::size_t i = 0; i < chunk.starts.size(); ++i) {
      const std::int64_t end =
          i + 1 < chunk.starts.size() ? chunk.starts[i + 1].first - 1 : end_of(c);
      if (end < first || chunk.starts[i].first > last) continue;
      if (!filter.admits(chunk.starts[i].sums + chunk.added + charge.charge)) return false;
    }
  }
  return true;
}

bool BlockSums::admits(const BlockFilter& filter, std::span<const BlockCharge> charges) const {
  return std::ranges::all_of(charges, [&](const BlockCharge& charge) {
    return charge.blocks == kNoBlock || admits(filter, charge);
  });
}

BlockSegment BlockSums::tightest(const BlockFilter& filter, const BlockCharge& charge) const {
  BlockSegment most{charge.blocks, {}};
  for (const BlockSegment& segment : segments(charge.blocks)) {
    if (!filter.admits(segment.sums + charge.charge)) return segment;
    raise(most.sums, segment.sums);
  }
  return most;
}

void BlockSums::add(std::span<const BlockCharge> charges) {
  for (const BlockCharge& charge : charges) {
    if (charge.blocks != kNoBlock) add(charge);
  }
}

std::vector<BlockSegment> BlockSums::segments(BlockRange within) const {
  std::vector<BlockSegment> found;
  for (std::size_t c = chunk_of(within.first); c < chunks_.size(); ++c) {
    const Chunk& chunk = chunks_[c];
    for (std::size_t i = 0; i < chunk.starts.size(); ++i) {
      const std::int64_t end =
          i + 1 < chunk.starts.size() ? chunk.starts[i + 1].first - 1 : end_of(c);
      const BlockRange blocks{std::max(chunk.starts[i].first, within.first),
                              std::min(end, within.last)};
      const BlockSpending sums = chunk.starts[i].sums + chunk.added;
      if (blocks.first > blocks.last || sums == BlockSpending()) continue;
      const bool joins = !found.empty() && found.back().sums == sums &&
                         found.back().blocks.last + 1 == blocks.first;
      if (joins) {
        found.back().blocks.last = blocks.last;
      } else {
        found.push_back({blocks, sums});
      }
    }
  }
  return found;
}

}  // namespace dpmix
