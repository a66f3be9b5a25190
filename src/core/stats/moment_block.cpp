#include "core/stats/moment_block.hpp"

#include "core/vectorize.hpp"

namespace dpmix {
namespace {

constexpr std::size_t max_stride = padded(100);
constexpr std::size_t tile = 4;  // rows of the product matrix kept in registers at once

inline void add_wide(std::uint64_t* words, double exact) {
  store_wide(words, load_wide(words) + static_cast<std::int64_t>(exact));
}

// products of columns first..first+3 with the eight columns of block b, over all rows.
inline void multiply(const double* x, std::size_t rows, std::size_t stride, std::size_t first,
                     std::size_t b, Lanes (&sum)[tile]) {
  for (Lanes& s : sum) s = Lanes{};
  for (std::size_t r = 0; r < rows; ++r, x += stride) {
    const Lanes right = *reinterpret_cast<const Lanes*>(x + b * lanes);
    for (std::size_t t = 0; t < tile; ++t) sum[t] += right * x[first + t];
  }
}

}  // namespace

DPMIX_VECTORIZE void add_block(const std::int32_t* q, std::size_t rows, std::size_t d,
                               std::uint64_t* sums, std::uint64_t* products) {
  double x[moment_block_rows * max_stride];
  const std::size_t stride = padded(d);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t j = 0; j < stride; ++j) x[r * stride + j] = j < d ? q[r * d + j] : 0;
  }
  for (std::size_t j = 0; j < d; ++j) {
    double sum = 0;
    for (std::size_t r = 0; r < rows; ++r) sum += x[r * stride + j];
    add_wide(sums + 2 * j, sum);
  }
  for (std::size_t first = 0; first < d; first += tile) {
    for (std::size_t b = first / lanes; b < stride / lanes; ++b) {
      Lanes sum[tile];
      multiply(x, rows, stride, first, b, sum);
      for (std::size_t i = first; i < first + tile && i < d; ++i) {
        std::uint64_t* row = products + 2 * (i * d - i * (i + 1) / 2);  // [i][j] is at i*d-i(i+1)/2+j
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          const std::size_t j = b * lanes + lane;
          if (j >= i && j < d) add_wide(row + 2 * j, sum[i - first][lane]);
        }
      }
    }
  }
}

}  // namespace dpmix
