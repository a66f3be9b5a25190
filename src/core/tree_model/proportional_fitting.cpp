#include "core/tree_model/proportional_fitting.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "core/base/poll.hpp"

namespace dpmix {
namespace {

constexpr int most_axes = 4;

// Calls visit(cell, margin's cell) for all cells.
template <class Visit>
void each_cell(std::span<const int> sizes, const std::vector<int>& axes, const Visit& visit) {
  std::array<std::size_t, most_axes> size, step{};
  size.fill(1);
  const std::size_t first = most_axes - sizes.size();  // missing axes come first, of size 1
  for (std::size_t i = 0; i < sizes.size(); ++i)
    size[first + i] = static_cast<std::size_t>(sizes[i]);
  std::size_t width = 1;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    const std::size_t i = first + static_cast<std::size_t>(*axis);
    step[i] = width;
    width *= size[i];
  }
  std::size_t cell = 0;
  for (std::size_t a = 0; a < size[0]; ++a) {
    for (std::size_t b = 0; b < size[1]; ++b) {
      for (std::size_t c = 0; c < size[2]; ++c) {
        const std::size_t start = a * step[0] + b * step[1] + c * step[2];
        for (std::size_t d = 0; d < size[3]; ++d) visit(cell++, start + d * step[3]);
      }
    }
  }
}

}  // namespace

void fit_margins(std::span<double> table, std::span<const int> sizes,
                 std::span<const Margin> margins, int rounds) {
  std::vector<double> sum;
  for (int round = 0; round < rounds; ++round) {
    for (const Margin& margin : margins) {
      poll();
      sum.assign(margin.target.size(), 0.);
      each_cell(sizes, margin.axes, [&](std::size_t i, std::size_t m) { sum[m] += table[i]; });
      for (std::size_t m = 0; m < sum.size(); ++m) {
        constexpr double most = std::numeric_limits<double>::max();
        sum[m] = sum[m] > 0 ? std::min(margin.target[m] / sum[m], most) : 0;
      }
      each_cell(sizes, margin.axes, [&](std::size_t i, std::size_t m) { table[i] *= sum[m]; });
    }
  }
}

}  // namespace dpmix
