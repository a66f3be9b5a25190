// An array that grows at its end and never moves: no more memory than it holds, but for a block.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace dpmix {

template <class T>
class Blocks {
 public:
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return blocks_[i / kBlock][i % kBlock]; }
  const T& operator[](std::size_t i) const { return blocks_[i / kBlock][i % kBlock]; }

  void push_back(const T& value) {
    if (size_ == blocks_.size() * kBlock) blocks_.push_back(std::make_unique<T[]>(kBlock));
    (*this)[size_++] = value;
  }

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 14;
  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t size_ = 0;
};

}  // namespace dpmix
