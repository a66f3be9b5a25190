// Coded records in memory, class by class.
//
// Enters: coded records (core/input/record_code.hpp), one at a time in any order, and how much
// memory they should take. Leaves: the same integers in tiles of one class each, small enough that
// a processor keeps a tile near while it is mixed into many rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/synthetic/record_array.hpp"

namespace dpmix {

class HeldRecords {
 public:
  static constexpr std::size_t tile_bytes = std::size_t{1} << 19;  // at most

  struct Tile {
    RecordArray::Memory coordinates;
    std::int64_t records;
  };

  HeldRecords(int classes, int coordinates, std::size_t bytes);

  // So many take no more, to whichever classes they belong.
  std::int64_t sure() const { return sure_; }
  void add(int k, const std::int32_t* record);
  void drop();

  std::span<const Tile> of(int k) const { return classes_[static_cast<std::size_t>(k)]; }
  const std::int32_t* record(const Tile& tile, std::int64_t i) const {
    return &tile.coordinates[static_cast<std::size_t>(i) * stride_];
  }

 private:
  std::size_t coordinates_, stride_;
  std::int64_t tile_records_, sure_;
  std::vector<std::vector<Tile>> classes_;
};

}  // namespace dpmix
