#include "core/query/bound_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/query/contribution.hpp"

namespace dpmix {
namespace {

constexpr int kBinsOfOctave = 6;
constexpr int kLeastPower = -20, kMostPower = 62;
// What a bin's count must be above to be believed to have rows, in deviations of its noise. The
// first one must be above kSure: of a thousand empty bins none has as many, but with probability
// 1e-4. A bin near a believed one needs less, as the tail of a column is thin where its bounds are,
// and one that is believed in error costs the less the nearer it is.
constexpr double kSure = 12, kNext = 1.8, kMore = .7, kMoreAfterOctave = .5, kMost = 20;
// The share of the rows that may lie beyond the bins that are believed: with more there is no
// choice.
constexpr double kUnknown = .1;
// How slowly the counts of a tail fade, at most, from bin to bin.
constexpr double kSlowest = .7;
// Lower bounds nearer to 0 than this part of the upper one become 0: nothing is saved by them, and
// what lies below them is clipped.
constexpr double kNearZero = 1. / 8;

struct Bin {
  double low, high, count;
  double middle() const { return (low + high) / 2; }
};

double needed(std::size_t gap) {  // bins from the last believed one
  const double near = static_cast<double>(std::min<std::size_t>(gap, kBinsOfOctave));
  const double far = static_cast<double>(gap) - near;
  return std::min(kMost, kNext + kMore * (near - 1) + kMoreAfterOctave * far);
}

// Which bins are believed to have rows: a sure one, and from there outwards.
std::vector<char> believed_bins(const NoisyBins& bins) {
  const std::size_t count = bins.counts.size();
  std::vector<char> believed(count);
  const std::size_t start = static_cast<std::size_t>(
      std::max_element(bins.counts.begin() + 1, bins.counts.end() - 1) - bins.counts.begin());
  if (!(bins.counts[start] > kSure * bins.deviation)) return {};
  believed[start] = 1;
  for (std::size_t i = start + 1, last = start; i + 1 < count; ++i) {
    if (bins.counts[i] <= needed(i - last) * bins.deviation) continue;
    believed[i] = 1;
    last = i;
  }
  for (std::size_t i = start, last = start; i-- > 1;) {
    if (bins.counts[i] <= needed(last - i) * bins.deviation) continue;
    believed[i] = 1;
    last = i;
  }
  return believed;
}

// Zeros alone are seen: they say nothing of the other values' size.
bool is_around_zero(const NoisyBins& bins, const std::vector<char>& believed) {
  const double size = bins.whole ? 1 : std::exp2(kLeastPower + 2);
  for (std::size_t i = 0; i < believed.size(); ++i) {
    if (believed[i] && (bins.edges[i] < -size || bins.edges[i + 1] > size)) return false;
  }
  return true;
}

bool hides_rows(const NoisyBins& bins, const std::vector<char>& believed) {
  const auto first = std::find(believed.begin(), believed.end(), 1) - believed.begin();
  const auto end = std::find(believed.rbegin(), believed.rend(), 1).base() - believed.begin();
  double known = 0, other = 0, others = 0;
  for (std::ptrdiff_t i = 0; i < std::ssize(believed); ++i) {
    const bool inside = i >= first && i < end;
    (inside ? known : other) += bins.counts[static_cast<std::size_t>(i)];
    others += inside ? 0 : 1;
  }
  return is_around_zero(bins, believed) ||
         (other > kUnknown * known && other > 2 * std::sqrt(others) * bins.deviation);
}

// How the rows likely go on beyond the last believed bin: each further bin has `ratio` times as
// many; none where a count ends that would have been seen to fade.
struct Fading {
  double ratio;
  std::size_t bins;
};

Fading fading(double before, double last, double deviation) {
  const double ratio = std::clamp(std::sqrt(last / std::max(before, 1.)), .05, kSlowest);
  if (before <= 0 || last * ratio > 3 * kNext * deviation) return {ratio, 0};
  const double bins = std::log(std::max(last, 1.)) / -std::log(ratio);
  return {ratio, static_cast<std::size_t>(std::clamp(std::ceil(bins), 0., double{kBinsOfOctave}))};
}

std::vector<Bin> bins_of(const NoisyBins& bins, const std::vector<char>& believed) {
  const auto begin = std::find(believed.begin(), believed.end(), 1);
  const auto end = std::find(believed.rbegin(), believed.rend(), 1).base();
  const auto first = static_cast<std::size_t>(begin - believed.begin());
  const auto last = static_cast<std::size_t>(end - believed.begin()) - 1;
  std::vector<Bin> found;
  const auto add = [&](std::size_t i, double count) {
    found.push_back({bins.edges[i], bins.edges[i + 1] - (bins.whole ? 1 : 0), std::max(0., count)});
  };
  const auto at = [&](std::size_t i) { return believed[i] ? bins.counts[i] : 0; };
  if (bins.edges[first] < 0 && first >= 2) {
    const Fading tail = fading(at(first + 2), at(first), bins.deviation);
    for (std::size_t i = std::min(tail.bins, first - 1); i > 0; --i) {
      add(first - i, at(first) * std::pow(tail.ratio, static_cast<double>(i)));
    }
  }
  for (std::size_t i = first; i <= last; ++i) {
    if (believed[i]) add(i, at(i));
  }
  if (bins.edges[last + 1] > 0 && last >= 2) {
    const Fading tail = fading(at(last - 2), at(last), bins.deviation);
    for (std::size_t i = 1; i <= std::min(tail.bins, believed.size() - 2 - last); ++i) {
      add(last + i, at(last) * std::pow(tail.ratio, static_cast<double>(i)));
    }
  }
  return found;
}

// What clipping at the ends of the bins moves: of bins above (below) bin i, with their distance.
struct Clipped {
  std::vector<double> above, below, rows_above, rows_below;
};

Clipped clipped_mass(const std::vector<Bin>& bin) {
  const std::size_t n = bin.size();
  Clipped clipped{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n),
                  std::vector<double>(n)};
  double rows = 0, mass = 0;
  for (std::size_t i = n; i-- > 0;) {
    clipped.above[i] = std::max(0., mass - rows * bin[i].high);
    clipped.rows_above[i] = rows;
    rows += bin[i].count;
    mass += bin[i].count * bin[i].middle();
  }
  rows = mass = 0;
  for (std::size_t i = 0; i < n; ++i) {
    clipped.below[i] = std::max(0., rows * bin[i].low - mass);
    clipped.rows_below[i] = rows;
    rows += bin[i].count;
    mass += bin[i].count * bin[i].middle();
  }
  return clipped;
}

// Away from 0 to two digits, or towards it.
double two_digits(double value, bool up) {
  if (value == 0) return 0;
  const double power = std::floor(std::log10(std::fabs(value))) - 1;
  const double unit = std::pow(10, std::fabs(power));
  const double digits = power < 0 ? value * unit : value / unit;
  // 1e-9: a number of two digits stays what it is.
  const double rounded = up ? std::ceil(digits - 1e-9) : std::floor(digits + 1e-9);
  return power < 0 ? rounded / unit : rounded * unit;
}

double without_bin_of_zero(double edge) {
  return std::fabs(edge) <= std::exp2(kLeastPower) ? 0 : edge;
}

}  // namespace

std::vector<double> bound_bins(bool whole) {
  std::vector<double> positive;
  const int least = whole ? 0 : kLeastPower * kBinsOfOctave;
  for (int k = least; k <= kMostPower * kBinsOfOctave; ++k) {
    const double edge = std::exp2(static_cast<double>(k) / kBinsOfOctave);
    const double placed = whole ? std::round(edge) : edge;
    if (positive.empty() || placed > positive.back()) positive.push_back(placed);
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> edges = {-kInfinity};
  // Whole numbers: the bin of 0 is [0, 1), that of -1 is [-1, 0).
  for (auto edge = positive.rbegin(); edge != positive.rend(); ++edge) {
    const double mirrored = whole ? 1 - *edge : -*edge;
    if (mirrored > edges.back()) edges.push_back(mirrored);
  }
  edges.insert(edges.end(), positive.begin(), positive.end());
  edges.push_back(kInfinity);
  return edges;
}

std::optional<BoundChoice> choose_bounds(const NoisyBins& bins, double row_noise) {
  const std::vector<char> believed = believed_bins(bins);
  if (believed.empty() || hides_rows(bins, believed)) return std::nullopt;
  const std::vector<Bin> bin = bins_of(bins, believed);
  const Clipped clipped = clipped_mass(bin);
  std::size_t low = 0, high = bin.size() - 1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t l = 0; l < bin.size(); ++l) {
    for (std::size_t h = l; h < bin.size(); ++h) {
      const double noise = row_noise * std::max(std::fabs(bin[l].low), std::fabs(bin[h].high));
      const double error =
          clipped.below[l] * clipped.below[l] + clipped.above[h] * clipped.above[h] + noise * noise;
      if (error >= least) continue;
      least = error;
      low = l;
      high = h;
    }
  }
  BoundChoice choice = {};
  choice.lower = two_digits(without_bin_of_zero(bin[low].low), false);
  choice.upper = two_digits(without_bin_of_zero(bin[high].high), true);
  if (choice.lower > 0 && choice.lower < kNearZero * choice.upper) choice.lower = 0;
  if (choice.upper < 0 && choice.upper > kNearZero * choice.lower) choice.upper = 0;
  if (bins.whole) {
    choice.lower = std::floor(choice.lower);
    choice.upper = std::ceil(choice.upper);
  }
  if (choice.lower == choice.upper) choice.upper += 1;
  choice.below = clipped.rows_below[low];
  choice.above = clipped.rows_above[high];
  for (const Bin& each : bin) choice.rows += each.count;
  return choice;
}

std::vector<double> unit_bins() {
  std::vector<double> edges = {0};
  for (int k = 0; edges.back() < kMostRowsPerUnit; ++k) {
    const double edge = std::round(std::exp2(static_cast<double>(k) / kBinsOfOctave));
    if (edge > edges.back()) edges.push_back(std::min(edge, kMostRowsPerUnit + 1.));
  }
  edges.push_back(std::numeric_limits<double>::infinity());
  return edges;
}

std::optional<UnitBound> choose_unit_rows(const NoisyBins& bins, double row_noise) {
  const std::vector<char> believed = believed_bins(bins);
  if (believed.empty() || hides_rows(bins, believed)) return std::nullopt;
  const std::vector<Bin> bin = bins_of(bins, believed);
  const Clipped clipped = clipped_mass(bin);
  const auto error = [&](std::size_t i) {
    return std::hypot(clipped.above[i], row_noise * bin[i].high);
  };
  std::size_t best = 0;
  UnitBound bound = {};
  for (std::size_t i = 0; i < bin.size(); ++i) {
    if (error(i) < error(best)) best = i;
    bound.units += bin[i].count;
    bound.rows_in_all += bin[i].count * bin[i].middle();
  }
  bound.rows = static_cast<int>(
      std::clamp(two_digits(bin[best].high, true), 1., static_cast<double>(kMostRowsPerUnit)));
  bound.units_above = clipped.rows_above[best];
  bound.rows_lost = clipped.above[best];
  return bound;
}

}  // namespace dpmix
