// Which strip of the area under the normal curve does a uniform deviate fall in?
//
// The strips are 1/64 wide. g(i) = e^{-(i/64)^2/2}. Cell j >= 1 is the rectangle of height g(j) on
// [(j-1)/64, j/64); cell 0 is what lies between the rectangles and the steps of height g(i) on
// [i/64, (i+1)/64): its area is g(0), since the sum telescopes. Hence P(cell j) = g(j) / sum g.
// Built once, from exact enclosures. See docs/proofs/samplers.md.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/random/stream.hpp"

namespace dpmix {

struct LazyUniform;

struct NormalCells {
  static constexpr int width_bits = 6;  // a strip is 2^-6 wide
  static constexpr int slot_bits = 13;

  // The cell by the first 13 digits of the uniform; 0 where these do not tell, where the cell is 0,
  // and where it does not fit.
  std::array<std::uint8_t, std::size_t{1} << slot_bits> slot;
  // floor(2^64 P(cell <= j)).
  std::vector<std::uint64_t> at_most;

  // The cell of a uniform with these first digits.
  std::uint64_t find(RandomStream& random, std::uint64_t slot_digits) const;
};

const NormalCells& normal_cells();

// The same without tables.
std::uint64_t exact_normal_cell(RandomStream& random, LazyUniform& u);

}  // namespace dpmix
