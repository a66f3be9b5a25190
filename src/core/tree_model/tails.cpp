#include "core/tree_model/tails.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/index.hpp"

namespace dpmix {
namespace {

constexpr double tail_noise = 8;      // a tail ends where so many deviations of rows are
constexpr double near_share = .6;     // of the rows, at least, are in no tail
constexpr double first_width = .125;  // of a shell, in what is no tail
constexpr double seen_noise = 4;      // a shell shows so many deviations of rows, or none

// Widths from the inside out, of so many cells.
std::vector<int> shell_widths(int cells, int near) {
  std::vector<int> widths;
  double width = std::max(1., std::ceil(first_width * near));
  for (int left = cells; left > 0; width *= 2) {
    widths.push_back(static_cast<int>(std::min<double>(left, width)));
    left -= widths.back();
  }
  return widths;
}

// counts: from the outermost shell inwards. Rows of each, none where they may be noise.
std::vector<double> seen_rows(std::span<const double> counts, double noise) {
  std::vector<double> rows(counts.size(), 0.);
  double sum = 0, shells = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    sum += counts[i];
    shells += 1;
    if (sum < seen_noise * noise * std::sqrt(shells)) continue;
    rows[i] = sum;
    sum = shells = 0;
  }
  return rows;
}

}  // namespace

Tails find_tails(std::span<const double> below, double noise, CellSpan near) {
  Tails tails;
  const int cells = static_cast<int>(below.size()) - 1;
  const double few = tail_noise * noise, all = below.back();
  if (!(all - 2 * few > near_share * all)) return tails;
  int from = 0, to = cells;
  while (from < near.from && below[index(from) + 1] < few) ++from;
  while (to > std::max(near.to, from + 1) && all - below[index(to) - 1] < few) --to;
  for (const int width : shell_widths(from, to - from)) {
    const int end = tails.low.empty() ? from : tails.low.front().from;
    tails.low.insert(tails.low.begin(), {end - width, end});
  }
  for (const int width : shell_widths(cells - to, to - from)) {
    const int start = tails.high.empty() ? to : tails.high.front().to;
    tails.high.insert(tails.high.begin(), {start, start + width});
  }
  return tails;
}

std::vector<double> with_tails(std::span<const double> below, const Tails& tails,
                               std::span<const double> counts, double noise) {
  std::vector<double> rows;
  for (std::size_t i = 1; i < below.size(); ++i) rows.push_back(below[i] - below[i - 1]);
  const auto correct = [&](const std::vector<CellSpan>& shells, std::span<const double> seen) {
    const std::vector<double> wanted = seen_rows(seen, noise);
    for (std::size_t s = 0; s < shells.size(); ++s) {
      const std::span<double> of =
          std::span(rows).subspan(index(shells[s].from), index(shells[s].to - shells[s].from));
      double sum = 0;
      for (const double r : of) sum += r;
      for (double& r : of) {
        r = sum > 0 ? r * (wanted[s] / sum) : wanted[s] / static_cast<double>(of.size());
      }
    }
  };
  correct(tails.low, counts.first(tails.low.size()));
  correct(tails.high, counts.subspan(tails.low.size(), tails.high.size()));
  std::vector<double> corrected = {0};
  for (const double r : rows) corrected.push_back(corrected.back() + r);
  return corrected;
}

}  // namespace dpmix
