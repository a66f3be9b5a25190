// The norm that a privacy unit's rows may have by group, and the largest weight that keeps it.
//
// Enters: how many rows a unit has in each group. Leaves: an integer W, 0 <= W <= 2^bits: each row
// counts for W / 2^bits. With n the rows by group, cut to `most` in each where that is stated, the
// norm of W n is at most 2^bits times that of the bound: of L2, or of L1 where noise goes by it.
// All of it in integers. Proof: docs/proofs/query_units.md, "Weights".
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/int128.hpp"
#include "core/query/contribution.hpp"

namespace dpmix {

constexpr int kMostWeightBits = 20;

struct NormBound {
  bool pairs;            // pairs of unit and group are counted, each once, instead of rows
  bool by_rows;          // the norm is L1
  std::int64_t most;     // rows of a group that count in full; 0: any number
  std::int64_t rows;     // the bound, of L1
  std::int64_t squares;  // and that of L2, squared
  // Of pairs: the most of a unit that count, drawn from all of them; 0: any number.
  std::int64_t keys = 0;
};

// The bound for rows, or for pairs, in so many groups of a query.
NormBound norm_bound(const Contribution& unit, int groups, bool pairs, bool by_rows);
// That of pairs by which groups are found: 1, and no more of a unit than it may be in.
NormBound search_bound(const Contribution& unit, int groups);

struct UnitSum {  // what one unit has, over its groups
  UInt128 sum = 0;
  std::uint32_t weight = 0;
  bool bounded = false;
  // Where some of its pairs are drawn: those that are not decided on yet, and how many of them are
  // wanted.
  std::uint64_t undecided = 0, wanted = 0;

  void add(const NormBound& bound, std::uint64_t rows) {
    if (bound.most > 0) rows = std::min(rows, static_cast<std::uint64_t>(bound.most));
    sum += bound.by_rows ? UInt128{rows} : UInt128{rows} * rows;
    undecided++;
  }
  // All pairs are there.
  void limit(const NormBound& bound) {
    wanted = undecided;
    if (bound.keys == 0) return;
    wanted = std::min(undecided, static_cast<std::uint64_t>(bound.keys));
    sum = wanted;
  }
  // Whether the next pair counts: of each so many, all are as likely.
  template <class Random>
  bool takes_next(Random& random) {
    const bool taken = wanted == undecided || (wanted > 0 && random.below(undecided) < wanted);
    undecided--;
    wanted -= taken;
    return taken;
  }
};

// The weight of every row of a unit, except for groups that are cut: the largest W with W^2 sum <=
// 4^bits squares, or W sum <= 2^bits rows.
std::uint32_t weight_of_unit(const NormBound& bound, const UnitSum& sum, int bits);

// The weight of a row in a group: more than `most` rows weigh as much together as `most` of them.
inline std::uint32_t weight_in_group(const NormBound& bound, std::uint32_t weight,
                                     std::uint64_t rows) {
  const auto most = static_cast<std::uint64_t>(bound.most);
  return most == 0 || rows <= most ? weight : static_cast<std::uint32_t>(weight * most / rows);
}

}  // namespace dpmix
