// What was charged to each block of a growing table.
//
// A block is a whole number. Charges name ranges of blocks, so the sums are constant on segments
// between the ends of ranges; segments lie in chunks, each of which knows the most that any of its
// blocks has, and what all of them have beside their own. A charge touches a chunk as a whole where
// it covers it: 87 600 blocks of a decade's hours are some hundred chunks.
//
// Sums are kept in units of 10^-24: charges are rounded up to them, and limits down.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/accounting/filter.hpp"
#include "core/base/int128.hpp"

namespace dpmix {

struct BlockRange {
  std::int64_t first, last;  // both included
  bool operator==(const BlockRange&) const = default;
};
constexpr BlockRange kAllBlocks{std::numeric_limits<std::int64_t>::min(),
                                std::numeric_limits<std::int64_t>::max()};

constexpr int kMostRanges = 16;  // that one charge may name
// No block: what a charge names whose release reads none. It is never full.
constexpr BlockRange kNoBlock{-1, -1};
// What lies in no block of a population with blocks: rows that no column of their table puts into
// one. Each release that reads such rows names it, whatever else it reads.
constexpr BlockRange kAlways{-2, -2};

// A Spending in whole units: epsilon, delta, amount, added_delta. Sums stop at 2^126.
struct BlockSpending {
  std::array<Int128, 4> part{};
  std::int64_t charges = 0;  // how many they are: for people, no filter reads it
  static constexpr int kPlaces = 24;
  static BlockSpending up(const Spending& charge);  // one
  static BlockSpending down(const Spending& limits);
  Spending decimals() const;
  BlockSpending& operator+=(const BlockSpending& other);
  friend BlockSpending operator+(BlockSpending a, const BlockSpending& b) { return a += b; }
  bool operator==(const BlockSpending&) const = default;
};

// When a block is spent: Filter::admits of one block's sums.
class BlockFilter {
 public:
  explicit BlockFilter(const Filter& filter)
      : limits_(BlockSpending::down(filter.limits())),
        arms_(filter.accounting().counts_cost() ? 2 : 1) {}
  bool admits(const BlockSpending& total) const;
  // The share of the limits that is used, as Filter::share_spent: a gauge.
  double share_spent(const BlockSpending& total) const;

 private:
  BlockSpending limits_;
  int arms_;
};

struct BlockCharge {  // what blocks of one range are charged
  BlockRange blocks;
  BlockSpending charge;
};

struct BlockSegment {  // blocks of equal sums of as many charges
  BlockRange blocks;
  BlockSpending sums;
};

struct BlockShares {
  BlockSegment fullest{kAllBlocks, {}};  // by its share spent, the first of them
  double most = 0, least = 0;            // shares of blocks that were charged; 0: none was
};
BlockShares shares_of(std::span<const BlockSegment> segments, const BlockFilter& filter);

class BlockSums {
 public:
  BlockSums();
  // The sums that these segments make up, as segments() returns them.
  static BlockSums of(std::span<const BlockSegment> segments);
  // Whether every block has room for what it is charged. Ranges of one call are disjoint.
  bool admits(const BlockFilter& filter, std::span<const BlockCharge> charges) const;
  // The first blocks of a range that have no room; where all have, the most of each sum that any of
  // them has: a bound for what still fits.
  BlockSegment tightest(const BlockFilter& filter, const BlockCharge& charge) const;
  void add(std::span<const BlockCharge> charges);
  // All segments within a range, in the order of blocks, without blocks that were never charged.
  std::vector<BlockSegment> segments(BlockRange within = kAllBlocks) const;

 private:
  struct Start {  // a segment; it ends where the next one starts
    std::int64_t first;
    BlockSpending sums;  // without what the chunk adds
  };
  struct Chunk {
    std::vector<Start> starts;
    BlockSpending added, most;  // most: of any segment, with what is added
  };

  std::size_t chunk_of(std::int64_t block) const;
  std::int64_t end_of(std::size_t chunk) const;
  void append(std::int64_t first, const BlockSpending& sums);
  void begin_segment(std::int64_t block);
  void split(std::size_t chunk);
  void add(const BlockCharge& charge);
  bool admits(const BlockFilter& filter, const BlockCharge& charge) const;

  std::vector<Chunk> chunks_;  // never empty, nor is any of them
};

}  // namespace dpmix
