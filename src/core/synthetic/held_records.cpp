#include "core/synthetic/held_records.hpp"

#include <algorithm>

namespace dpmix {
namespace {

// What the allocator and the list of tiles (which doubles as it grows) take beside a tile.
constexpr std::size_t overhead = 3 * sizeof(HeldRecords::Tile) + RecordArray::line + 16;

}  // namespace

// A class leaves at most one tile unfilled: all of these together at most an eighth of the memory.
HeldRecords::HeldRecords(int classes, int coordinates, std::size_t bytes)
    : coordinates_(static_cast<std::size_t>(coordinates)),
      stride_(RecordArray::stride(coordinates_)),
      classes_(static_cast<std::size_t>(classes)) {
  const std::size_t record = stride_ * sizeof(std::int32_t);
  const std::size_t tile = std::min(tile_bytes, bytes / 8 / classes_.size());
  tile_records_ = static_cast<std::int64_t>(std::max<std::size_t>(1, tile / record));
  const auto tiles = static_cast<std::int64_t>(
      bytes / (static_cast<std::size_t>(tile_records_) * record + overhead));
  sure_ = std::max<std::int64_t>(0, tiles - classes) * tile_records_;
}

void HeldRecords::add(int k, const std::int32_t* record) {
  std::vector<Tile>& tiles = classes_[static_cast<std::size_t>(k)];
  if (tiles.empty() || tiles.back().records == tile_records_) {
    const std::size_t size = static_cast<std::size_t>(tile_records_) * stride_;
    tiles.push_back({RecordArray::allocate(size), 0});
  }
  Tile& tile = tiles.back();
  std::copy_n(record, coordinates_,
              &tile.coordinates[static_cast<std::size_t>(tile.records) * stride_]);
  ++tile.records;
}

void HeldRecords::drop() {
  std::vector<std::vector<Tile>>().swap(classes_);
}

}  // namespace dpmix
