#include "core/query/normal_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/input/square_lattice.hpp"
#include "core/noise/lattice_moments.hpp"

namespace dpmix {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMeanPart = .05;  // of what a variance may miss: for the average under it
constexpr double kSlack = 0x1p-40;
constexpr int kMeanCells = 64, kCells = 16;
constexpr double kBeyond = 0x1p-20;  // what rounded squares may make of a share beyond 0 and 1

NormalPart part_of(const StatisticNoise& noise) {
  return {noise.law.scale, noise.draws <= 1 ? .5 : 1.0};
}

// The deviation of a sum of independent normal noises.
double together(double a, double b, double c = 0) {
  return std::sqrt(a * a + b * b + c * c);
}

struct Sums {  // as shares of a row's most
  double count, sum, squares;
};

struct Range {
  double low = kInfinity, high = -kInfinity;

  void take(double from, double to) {
    low = std::min(low, from);
    high = std::max(high, to);
  }
};

// The v of [from, to] with from_value <= v count <= to_value.
void take_quotients(double count, double from_value, double to_value, double from, double to,
                    Range& range) {
  double low = from, high = to;
  if (count == 0) {
    if (from_value > 0 || to_value < 0) return;
  } else {
    const double one = from_value / count, other = to_value / count;
    low = std::max(low, std::min(one, other));
    high = std::min(high, std::max(one, other));
  }
  if (low <= high) range.take(low, high);
}

// Averages as shares of half of the bounds' range: all m for which sum - m count is noise.
Range mean_shares(double steps, const Sums& noisy, double deviations, const NormalReach& reach) {
  Range range;
  const double slack = kSlack * (1 + std::abs(noisy.sum) + std::abs(noisy.count));
  for (int i = 0; i < 2 * kMeanCells; ++i) {
    const double from = (i - kMeanCells) / static_cast<double>(kMeanCells),
                 to = (i + 1 - kMeanCells) / static_cast<double>(kMeanCells);
    const double most = std::max(std::abs(from), std::abs(to));
    const double off =
        deviations * together(reach.sum.deviation / steps, most * reach.count.deviation) +
        reach.sum.rounding / steps + most * reach.count.rounding + slack;
    take_quotients(noisy.count, noisy.sum - off, noisy.sum + off, from, to, range);
  }
  return range;
}

// Variances as shares, about the half: for each m that the average may be, all v for which
// squares - 2 m sum + m^2 count - v count is noise.
Range variance_shares(double steps, double unit, const Sums& noisy, const Range& mean,
                      const NormalReach& reach) {
  Range range;
  const double slack =
      kSlack * (1 + std::abs(noisy.squares) + std::abs(noisy.sum) + std::abs(noisy.count));
  for (int i = 0; i < kCells; ++i) {
    const double from = mean.low + (mean.high - mean.low) * i / kCells,
                 to = mean.low + (mean.high - mean.low) * (i + 1) / kCells;
    const double most = std::max(std::abs(from), std::abs(to));
    const double least = from <= 0 && to >= 0 ? 0 : std::min(std::abs(from), std::abs(to));
    const auto at = [&](double m) {
      return noisy.squares - 2 * m * noisy.sum + m * m * noisy.count;
    };
    const double bend = noisy.count == 0 ? from : std::clamp(noisy.sum / noisy.count, from, to);
    const auto [low, high] = std::minmax({at(from), at(to), at(bend)});
    for (int j = 0; j < kCells; ++j) {
      constexpr double kWide = 1 + 2 * kBeyond;
      const double v_from = -.5 - kBeyond + kWide * j / kCells,
                   v_to = -.5 - kBeyond + kWide * (j + 1) / kCells;
      const double weight =
          std::max(std::abs(most * most - v_from), std::abs(least * least - v_to));
      const double off = reach.variance * together(unit * reach.squares.deviation,
                                                   2 * most * reach.sum.deviation / steps,
                                                   weight * reach.count.deviation) +
                         unit * reach.squares.rounding + 2 * most * reach.sum.rounding / steps +
                         weight * reach.count.rounding + slack;
      take_quotients(noisy.count, low - off, high + off, v_from, v_to, range);
    }
  }
  return range;
}

double steps_of(const Lattice& centred) {
  return static_cast<double>(centred.high);
}

// The share of the variance, from 0 to 1, around the released one.
NoiseInterval variance_share_of(const Lattice& centred, const SpreadCells& noisy,
                                const NormalReach& reach) {
  const double steps = steps_of(centred);
  const double unit = std::ldexp(1, square_placer(centred.high).shift - 1) / steps / steps;
  const Sums sums = {static_cast<double>(noisy.count), static_cast<double>(noisy.sum) / steps,
                     unit * static_cast<double>(noisy.squares)};
  const Range mean = mean_shares(steps, sums, reach.mean, reach);
  Range range;
  if (mean.low <= mean.high) range = variance_shares(steps, unit, sums, mean, reach);
  const double answer = variance_share(centred, noisy);
  // No average or variance explains what was released: it happens with the chance to miss.
  if (range.low > range.high) return {answer, answer};
  return {std::clamp(std::min(.5 + range.low - kSlack, answer), 0.0, 1.0),
          std::clamp(std::max(.5 + range.high + kSlack, answer), 0.0, 1.0)};
}

}  // namespace

NormalReach normal_reach(const StatisticNoise& count, const StatisticNoise& sum,
                         const StatisticNoise* squares, double level) {
  check_level(level);
  NormalReach reach;
  double held = level;
  for (const StatisticNoise* noise : {&count, &sum, squares}) {
    if (noise == nullptr) continue;
    if (noise->law.family != Family::gaussian) return reach;
    held = std::max(held, ladder_level(level, noise->draws));
  }
  const double tail = 1 - held;
  reach.whole = normal_tail_quantile(tail);
  if (squares != nullptr) {
    reach.variance = normal_tail_quantile(tail * (1 - kMeanPart));
    reach.mean = normal_tail_quantile(tail * kMeanPart);
    reach.squares = part_of(*squares);
  }
  reach.count = part_of(count);
  reach.sum = part_of(sum);
  return reach;
}

NoiseInterval normal_mean_interval(const Lattice& centred, double lower, double upper,
                                   Int128 noisy_count, Int128 noisy_sum, const NormalReach& reach) {
  const double steps = steps_of(centred);
  const Sums sums = {static_cast<double>(noisy_count), static_cast<double>(noisy_sum) / steps, 0};
  const Range share = mean_shares(steps, sums, reach.whole, reach);
  const double answer = mean_answer(centred, lower, upper, noisy_count, noisy_sum);
  if (share.low > share.high) return {answer, answer};
  const auto value = [&](double of) {
    return std::clamp(centred.value_of(of * steps), lower, upper);
  };
  return {std::min(value(share.low - kSlack), answer),
          std::max(value(share.high + kSlack), answer)};
}

NoiseInterval normal_variance_interval(const Lattice& centred, const SpreadCells& noisy,
                                       const NormalReach& reach) {
  const NoiseInterval share = variance_share_of(centred, noisy, reach);
  const double half = reach_of(centred);
  const auto value = [&](double of) {
    return std::min(of * half * half, std::numeric_limits<double>::max());
  };
  return {value(share.low), value(share.high)};
}

NoiseInterval normal_stddev_interval(const Lattice& centred, const SpreadCells& noisy,
                                     const NormalReach& reach) {
  const NoiseInterval share = variance_share_of(centred, noisy, reach);
  return {std::sqrt(share.low) * reach_of(centred), std::sqrt(share.high) * reach_of(centred)};
}

}  // namespace dpmix
