// Count, sum and sum of squares of a column on its centred lattice: exact, mergeable, equal for any
// order of rows.
//
// Enters: values of rows. Leaves: how many were not missing, the sum of their lattice indices, and
// the sum of the indices of their squares (square_lattice.hpp). No overflow: |index| of a square is
// at most 2^30. Proof: docs/proofs/stats.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/input/square_lattice.hpp"
#include "core/stats/lattice_sum.hpp"

namespace dpmix {

struct LatticeSquares {
  LatticeSum sum;
  Int128 squares = 0;

  bool blank() const { return sum.blank(); }
  void add(double value) {       // the lattice is valid and centred
    if (value != value) return;  // NaN is missing
    const std::int64_t k = sum.lattice.place(value);
    ++sum.count;
    sum.total += k;
    squares += square_placer(sum.lattice.high).place(k);
  }
  // False (and no change) when the lattices differ or the state is not one that rows can make.
  bool merge(const LatticeSquares& other);
  bool plausible() const;
  // (squares,count,total,origin,step,low,high), every number exact.
  std::string to_text() const;
  static std::optional<LatticeSquares> from_text(std::string_view text);
};

}  // namespace dpmix
