#include "core/synthetic/row_sums.hpp"

#include <algorithm>

#include "core/base/poll.hpp"
#include "core/base/vectorize.hpp"

namespace dpmix {
namespace {

using LineLanes = std::int32_t __attribute__((vector_size(64), aligned(4), may_alias));
constexpr std::size_t line_lanes = sizeof(LineLanes) / sizeof(std::int32_t);

DPMIX_INLINE LineLanes& line_at(std::int32_t* x) {
  return *reinterpret_cast<LineLanes*>(x);
}
DPMIX_INLINE const LineLanes& line_at(const std::int32_t* x) {
  return *reinterpret_cast<const LineLanes*>(x);
}

// Four records for each time that the sum is read and written.
DPMIX_VECTORIZE void add_to(std::int32_t* __restrict sum, const std::int32_t* const* records,
                            std::size_t count, std::size_t coordinates) {
  for (; count >= 4; count -= 4, records += 4) {
    const std::int32_t *a = records[0], *b = records[1], *c = records[2], *d = records[3];
    std::size_t j = 0;
    for (; j + line_lanes <= coordinates; j += line_lanes) {
      line_at(sum + j) += (line_at(a + j) + line_at(b + j)) + (line_at(c + j) + line_at(d + j));
    }
    for (; j < coordinates; ++j) sum[j] += (a[j] + b[j]) + (c[j] + d[j]);
  }
  for (; count > 0; --count, ++records) {
    const std::int32_t* a = records[0];
    std::size_t j = 0;
    for (; j + line_lanes <= coordinates; j += line_lanes) line_at(sum + j) += line_at(a + j);
    for (; j < coordinates; ++j) sum[j] += a[j];
  }
}

void clear_array(std::int32_t* x, std::size_t size) {
  constexpr std::size_t part = std::size_t{1} << 20;  // a block may be as large as work_mem
  for (std::size_t done = 0; done < size; done += part) {
    std::fill_n(x + done, std::min(part, size - done), 0);
    poll();
  }
}

}  // namespace

std::size_t RowSums::narrow_bytes(std::size_t coordinates) {
  return RecordArray::stride(coordinates) * sizeof(std::int32_t) + sizeof(std::int32_t) +
         sizeof(void*);
}

std::size_t RowSums::wide_bytes(std::size_t coordinates) {
  return narrow_bytes(coordinates) + coordinates * sizeof(std::int64_t) + 16;
}

void RowSums::clear(std::size_t rows) {
  if (rows > capacity_) {
    narrow_ = RecordArray::allocate(rows * stride_);
    records_ = RecordArray::allocate(rows);
    capacity_ = rows;
  }
  rows_ = rows;
  wide_.clear();
  clear_array(narrow_.get(), rows * stride_);
  clear_array(records_.get(), rows);
}

void RowSums::add(std::size_t row, std::span<const std::int32_t* const> records) {
  const auto count = static_cast<std::int32_t>(records.size());
  if (records_[row] + count > narrow_records) widen(row);
  records_[row] += count;
  add_to(&narrow_[row * stride_], records.data(), records.size(), coordinates_);
}

void RowSums::widen(std::size_t row) {
  if (wide_.empty()) wide_.resize(rows_);
  std::unique_ptr<std::int64_t[]>& wide = wide_[row];
  if (!wide) wide = std::make_unique<std::int64_t[]>(coordinates_);
  std::int32_t* narrow = &narrow_[row * stride_];
  for (std::size_t j = 0; j < coordinates_; ++j) wide[j] += narrow[j];
  std::fill_n(narrow, coordinates_, 0);
  records_[row] = 0;
}

void RowSums::copy(std::size_t row, std::int64_t* sum) const {
  std::copy_n(&narrow_[row * stride_], coordinates_, sum);
  if (wide_.empty() || !wide_[row]) return;
  const std::int64_t* wide = wide_[row].get();
  for (std::size_t j = 0; j < coordinates_; ++j) sum[j] += wide[j];
}

}  // namespace dpmix
