// The place of a value's square, from the value's place on a centred lattice: what variances sum.
//
// Enters: an index k in [-a, a] of a lattice with low == -high == -a. Leaves: the index of k^2 on a
// lattice about a^2/2, the middle of what squares can be, which halves how far a row can move their
// sum. An integer function of k alone, of magnitude at most `most`, which is at most 2^30: exact
// (2k^2 - a^2) where a^2 <= 2^30, else rounded to a multiple of 2^shift.
// Proof: docs/proofs/stats.md.
#pragma once

#include <cstdint>

#include "core/base/int128.hpp"
#include "core/input/lattice.hpp"

namespace dpmix {

struct SquarePlacer {
  std::int64_t reach = 0;  // a
  int shift = 0;

  std::int64_t place(std::int64_t k) const {  // |k| <= a <= 2^53
    const Int128 twice = 2 * static_cast<Int128>(k) * k - static_cast<Int128>(reach) * reach;
    return static_cast<std::int64_t>((twice + half()) >> shift);  // of ties the upper
  }
  Int128 most() const { return (static_cast<Int128>(reach) * reach + half()) >> shift; }

 private:
  Int128 half() const { return (static_cast<Int128>(1) << shift) >> 1; }
};

// The placer for a centred lattice whose largest place is `reach`.
SquarePlacer square_placer(std::int64_t reach);

// The lattice that a sum of squares is priced on. Its origin is the half of the largest square, its
// step in squared units of the column; kept finite and normal, whatever the column's are.
Lattice square_lattice(const Lattice& centred);

}  // namespace dpmix
