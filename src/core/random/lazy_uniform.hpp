// A uniform deviate on (0, 1) of which only the digits that somebody asked for exist.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/random/stream.hpp"

namespace dpmix {

class LazyUniform {
 public:
  // Digits of 1..64 bits, most significant first.
  LazyUniform(RandomStream& random, int digit_bits)
      : digit_bits_(digit_bits), first_(draw(random)) {}

  std::size_t known() const { return 1 + later_.size(); }
  std::uint64_t digit(std::size_t i) const { return i == 0 ? first_ : later_[i - 1]; }
  void reveal(RandomStream& random) { later_.push_back(draw(random)); }

  // Draws digits of either until they differ.
  static bool less(RandomStream& random, LazyUniform& a, LazyUniform& b) {
    for (std::size_t i = 0;; ++i) {
      if (i == a.known()) a.reveal(random);
      if (i == b.known()) b.reveal(random);
      if (a.digit(i) != b.digit(i)) return a.digit(i) < b.digit(i);
    }
  }

 private:
  std::uint64_t draw(RandomStream& random) const { return random.next64() >> (64 - digit_bits_); }

  int digit_bits_;
  std::uint64_t first_;
  std::vector<std::uint64_t> later_;  // empty but for one deviate in 2^64
};

}  // namespace dpmix
