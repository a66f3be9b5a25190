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
};

// The bound for rows, or for pairs, in so many groups of a query.
NormBound norm_bound(const Contribution& unit, int groups, bool pairs, bool by_rows);

struct UnitSum {  // what one unit has, over its groups
  UInt128 sum = 0;
  std::uint32_t weight = 0;
  bool bounded = false;

  void add(const NormBound& bound, std::uint64_t rows) {
    if (bound.most > 0) rows = std::min(rows, static_cast<std::uint64_t>(bound.most));
    sum += bound.by_rows ? UInt128{rows} : UInt128{rows} * rows;
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
