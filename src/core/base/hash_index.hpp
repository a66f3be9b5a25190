// Numbers 0, 1, 2, ... of things, found by the things' hashes. The things are the caller's: it says
// which of them is equal to the one sought.
//
// 4 bytes for each place of a table that is between two and four fifths full: the number, and what
// bits it leaves of the hash, so that a thing is seldom looked at in vain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "core/base/large_pages.hpp"

namespace dpmix {

// A permutation of 64 bits in which each bit in moves about half of the bits out.
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

class HashIndex {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  static constexpr double kBytesEach = 10;  // bytes that a number takes, at most

  std::uint32_t count() const { return count_; }

  // equal(number) may leave by longjmp.
  template <class Equal>
  std::uint32_t find(std::uint64_t hash, const Equal& equal) const {
    const std::uint32_t bits = upper(hash), tag = tag_of(bits);
    for (std::uint32_t at = place_of(bits);; at = (at + 1) & mask()) {
      const std::uint32_t place = places_[at];
      if (place == 0) return kNone;
      const std::uint32_t number = (place & mask()) - 1;
      if (place >> log_ == tag && equal(number)) return number;
    }
  }

  // Ahead of find(), where many are sought one after the other: fetches what it looks at first; and
  // then, once that is there, the number that it will most likely ask about, or kNone.
  void fetch(std::uint64_t hash) const { __builtin_prefetch(&places_[place_of(upper(hash))]); }
  std::uint32_t first_guess(std::uint64_t hash) const {
    const std::uint32_t place = places_[place_of(upper(hash))];
    return place == 0 ? kNone : (place & mask()) - 1;
  }

  // The next number, for what find() did not find. hash_of(number): as it was when it was added.
  template <class HashOf>
  std::uint32_t add(std::uint64_t hash, const HashOf& hash_of) {
    if (5 * (std::uint64_t{count_} + 1) > 4 * std::uint64_t{places_.size()}) grow(hash_of);
    put(hash, count_);
    return count_++;
  }

 private:
  static constexpr int kFirstLog = 4, kLastLog = 31;

  using Places = std::vector<std::uint32_t, LargePages<std::uint32_t>>;

  static std::uint32_t upper(std::uint64_t hash) {
    return static_cast<std::uint32_t>((hash * 0x9E3779B97F4A7C15) >> 32);
  }
  std::uint32_t mask() const { return (std::uint32_t{1} << log_) - 1; }
  std::uint32_t place_of(std::uint32_t bits) const { return bits >> (32 - log_); }
  std::uint32_t tag_of(std::uint32_t bits) const { return bits & (0xFFFFFFFF >> log_); }

  void put(std::uint64_t hash, std::uint32_t number) {
    const std::uint32_t bits = upper(hash);
    std::uint32_t at = place_of(bits);
    while (places_[at] != 0) at = (at + 1) & mask();
    places_[at] = tag_of(bits) << log_ | (number + 1);
  }

  template <class HashOf>
  void grow(const HashOf& hash_of) {
    if (log_ == kLastLog) throw std::length_error("too many things for one index");
    log_++;
    Places().swap(places_);  // before the larger one is made
    places_.resize(std::size_t{1} << log_);
    for (std::uint32_t number = 0; number < count_; number++) put(hash_of(number), number);
  }

  int log_ = kFirstLog;
  Places places_ = Places(std::size_t{1} << kFirstLog);
  std::uint32_t count_ = 0;
};

}  // namespace dpmix
