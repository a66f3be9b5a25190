// A set of 64-bit hashes, of which nothing is asked but whether one came before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/large_pages.hpp"

namespace dpmix {

// Hashes are to be well mixed; 0 and 1 are one.
class HashSet {
 public:
  static constexpr double kBytesEach = 32;  // bytes that a hash takes, at most, while the set grows

  std::size_t size() const { return size_; }

  // Whether it is new.
  bool add(std::uint64_t hash) {
    if (hash == 0) hash = 1;
    std::size_t at = place_of(hash);
    for (; places_[at] != 0; at = (at + 1) & mask()) {
      if (places_[at] == hash) return false;
    }
    places_[at] = hash;
    if (4 * ++size_ > 3 * places_.size()) grow();
    return true;
  }

 private:
  static constexpr int kFirstLog = 4;
  using Places = std::vector<std::uint64_t, LargePages<std::uint64_t>>;

  std::size_t mask() const { return places_.size() - 1; }
  std::size_t place_of(std::uint64_t hash) const { return hash >> (64 - log_); }

  void grow() {
    Places old(places_.size() * 2);
    old.swap(places_);
    log_++;
    for (const std::uint64_t hash : old) {
      if (hash == 0) continue;
      std::size_t at = place_of(hash);
      while (places_[at] != 0) at = (at + 1) & mask();
      places_[at] = hash;
    }
  }

  int log_ = kFirstLog;
  Places places_ = Places(std::size_t{1} << kFirstLog);
  std::size_t size_ = 0;
};

}  // namespace dpmix
