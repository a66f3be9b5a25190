// Count and sum of a column on its lattice: exact, mergeable, equal for any order of rows.
//
// Enters: values of rows. Leaves: how many were not missing, and the sum of their lattice indices.
// No overflow: |index| <= 2^53 and count <= 2^62, so |total| <= 2^115. Proof: docs/proofs/stats.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/int128.hpp"
#include "core/input/lattice.hpp"

namespace dpmix {

struct LatticeSum {
  // A sum that has seen no row knows no lattice: step 0, and it merges with any other.
  Lattice lattice{0, 0, 0, 0};
  std::int64_t count = 0;
  Int128 total = 0;  // in lattice steps

  static constexpr std::int64_t max_count = std::int64_t{1} << 62;

  bool blank() const { return lattice == Lattice{0, 0, 0, 0}; }
  void add(double value) {       // the lattice is valid
    if (value != value) return;  // NaN is missing
    ++count;
    total += lattice.place(value);
  }
  // False (and no change) when the lattices differ or the state is not one that rows can make:
  // count >= 0 and count * low <= total <= count * high.
  bool merge(const LatticeSum& other);
  bool plausible() const;
  // (count,total,origin,step,low,high), every number exact.
  std::string to_text() const;
  static std::optional<LatticeSum> from_text(std::string_view text);
};

}  // namespace dpmix
