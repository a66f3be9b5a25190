#include "core/stats/moment_block.hpp"

#include <algorithm>

#include "core/input/moment_frame.hpp"

namespace dpmix {
namespace {

constexpr std::size_t tile = 4;  // rows of the product matrix kept in registers at once

DPMIX_INLINE void add_wide(std::uint64_t* words, double exact) {
  store_wide(words, load_wide(words) + static_cast<std::int64_t>(exact));
}

// Products of the columns first..first+3 with the eight columns from `at`, over all rows.
DPMIX_INLINE void multiply(const double* x, std::size_t rows, std::size_t stride, std::size_t first,
                           std::size_t at, Lanes (&sum)[tile]) {
  Lanes s0 = {}, s1 = {}, s2 = {}, s3 = {};
  for (std::size_t r = 0; r < rows; ++r, x += stride) {
    const Lanes right = lanes_at(x + at);
    s0 += right * x[first];
    s1 += right * x[first + 1];
    s2 += right * x[first + 2];
    s3 += right * x[first + 3];
  }
  sum[0] = s0, sum[1] = s1, sum[2] = s2, sum[3] = s3;
}

}  // namespace

DPMIX_VECTORIZE void add_block(const std::int32_t* q, std::size_t rows, std::size_t d,
                               std::uint64_t* sums, std::uint64_t* products) {
  double x[moment_block_rows * padded(MomentFrame::max_features)];
  const std::size_t stride = padded(d);
  for (std::size_t at = 0; at < rows * stride; at += lanes) {
    lanes_at(x + at) = __builtin_convertvector(lanes_at(q + at), Lanes);
  }
  for (std::size_t at = 0; at < stride; at += lanes) {
    Lanes sum = {};
    for (std::size_t r = 0; r < rows; ++r) sum += lanes_at(x + r * stride + at);
    for (std::size_t j = at; j < std::min(at + lanes, d); ++j) add_wide(sums + 2 * j, sum[j - at]);
  }
  for (std::size_t first = 0; first < d; first += tile) {
    for (std::size_t at = first / lanes * lanes; at < stride; at += lanes) {
      Lanes sum[tile];
      multiply(x, rows, stride, first, at, sum);
      const std::size_t end = std::min(at + lanes, d);
      for (std::size_t i = first; i < std::min(first + tile, d); ++i) {
        const auto* line = reinterpret_cast<const double*>(&sum[i - first]);
        std::uint64_t* row = products + 2 * (i * d - i * (i + 1) / 2);  // [j]: q_i q_j, j >= i
        for (std::size_t j = std::max(i, at); j < end; ++j) add_wide(row + 2 * j, line[j - at]);
      }
    }
  }
}

}  // namespace dpmix
