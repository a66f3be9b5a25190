// Rows of a table, those of one privacy unit together and in an order that their bytes alone
// decide, whatever the order in which they came.
//
// No more than `most` rows of a unit are kept: the first ones in that order. So what is made of a
// unit's rows is a function of the bag of them, and a unit with any number of rows takes no more
// memory than public numbers say: at most twice as many while rows come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/base/blocks.hpp"

namespace dpmix {

class UnitRows {
 public:
  struct Row {
    std::byte* data;  // aligned to 8 bytes
    std::uint32_t size, unit;
  };
  // Bytes that a row takes besides its own, and that a unit takes.
  static constexpr double kBytesEach = 2. * sizeof(Row) + sizeof(std::uint32_t);
  static constexpr double kBytesOfUnit = 3. * sizeof(std::uint64_t);
  // That the first row makes it take: room for more, and large pages of two arrays, whose places
  // may cost as much again.
  static constexpr double kBytesAtFirst = (1 << 20) + 2 * 2. * kLargePage;

  explicit UnitRows(std::uint32_t most) : most_(most) {}
  UnitRows(const UnitRows&) = delete;

  void add(std::uint32_t unit, std::span<const std::byte> row);
  // Ahead of add(): fetches what it looks at.
  void fetch(std::uint32_t unit) const {
    if (unit < units_.size()) __builtin_prefetch(&units_[unit], 1);
  }
  // Once, after the last row: then those of a unit are asked for.
  void put_together(std::uint32_t units);
  std::span<const Row> of(std::uint32_t unit);

 private:
  struct Unit {
    std::uint32_t last = kNone, count = 0;
  };
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  static constexpr std::size_t kChunk = std::size_t{1} << 20;

  std::byte* room(std::size_t size);
  void free(const Row& row);
  std::vector<std::uint32_t> places_of(std::uint32_t unit) const;
  void keep_first(std::uint32_t unit);

  std::uint32_t most_;
  Blocks<Row> rows_;              // without data: left out
  Blocks<std::uint32_t> before_;  // of each: the place of one of the same unit that came before
  std::vector<std::uint32_t> unused_;  // places of rows that were left out
  std::vector<Unit> units_;
  std::unordered_map<std::uint32_t, std::uint32_t>
      end_;  // the last row kept, of units that had too many
  std::vector<std::vector<std::uint64_t>> chunks_;
  std::byte* free_ = nullptr;
  std::size_t left_ = 0;
  std::vector<std::vector<std::byte*>> gaps_;  // unused room, by size in eights
  std::vector<Row> together_;
  std::vector<std::uint64_t> first_;  // of each unit, and the end
  std::vector<bool> is_sorted_;       // of each unit
};

}  // namespace dpmix
