// An array that grows at its end and never moves: no more memory than it holds, but for a block.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "core/base/large_pages.hpp"

namespace dpmix {

template <class T>
class Blocks {
 public:
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return blocks_[i / kBlock].data()[i % kBlock]; }
  const T& operator[](std::size_t i) const { return blocks_[i / kBlock].data()[i % kBlock]; }

  void push_back(const T& value) {
    if (size_ % kBlock == 0) {
      blocks_.emplace_back();
      blocks_.back().reserve(kBlock);
    }
    blocks_.back().push_back(value);
    size_++;
  }

 private:
  static constexpr std::size_t kBlock = kLargePage / sizeof(T);
  std::vector<std::vector<T, LargePages<T>>> blocks_;
  std::size_t size_ = 0;
};

}  // namespace dpmix
