// Exact sums of coded records, for a block of synthetic rows.
//
// A coordinate of a record is at most half_steps = 2^20 in size, so the sum of 2047 of them fits in
// 32 bits. Rows are summed there, and moved to 64 bits (exact for 2^43 records) as often as they
// have taken 2047: nothing but the number of records bounds how many join a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/input/record_code.hpp"
#include "core/synthetic/record_array.hpp"

namespace dpmix {

class RowSums {
 public:
  static constexpr int narrow_records = 2047;
  static_assert(narrow_records * half_steps <= std::numeric_limits<std::int32_t>::max());

  // The bytes of a row, without and with sums that outgrew 32 bits.
  static std::size_t narrow_bytes(std::size_t coordinates);
  static std::size_t wide_bytes(std::size_t coordinates);

  explicit RowSums(std::size_t coordinates)
      : coordinates_(coordinates), stride_(RecordArray::stride(coordinates)) {}
  void clear(std::size_t rows);  // that many rows, all zero

  // Adds records to a row's sum, at most narrow_records at once.
  void add(std::size_t row, std::span<const std::int32_t* const> records);
  void copy(std::size_t row, std::int64_t* sum) const;

 private:
  void widen(std::size_t row);

  std::size_t coordinates_, stride_, rows_ = 0, capacity_ = 0;
  RecordArray::Memory narrow_;
  RecordArray::Memory records_;  // how many there are in each row's narrow sum
  // What the narrow sums no longer hold, by row; empty before the first.
  std::vector<std::unique_ptr<std::int64_t[]>> wide_;
};

}  // namespace dpmix
