#include "core/query/noise_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "core/base/normal_tail.hpp"
#include "core/base/poll.hpp"
#include "core/noise/lattice_moments.hpp"

namespace dpmix {
namespace {

constexpr double kRoundUp = 1 + 0x1p-40;  // more than all roundings of a reach
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRoundingShare = 1.0 / 64;  // of the tail, for errors of rounding
constexpr double kCutShare = 1.0 / 64;       // of the tail, for a noise beyond its table
constexpr double kCoarseShare = 1.0 / 32;    // of the tail, for what coarsening leaves out
constexpr double kSpare = 1.0 / 1024;        // of the tail: errors below it are of no account
constexpr double kMostWaves = 0x1p20;        // times noises: fewer make a reach longer, not wrong

double normal_quantile(double tail) {  // not below the exact one
  double low = 0, high = 40;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (upper_tail(middle) <= tail * (1 - 0x1p-38) ? high : low) = middle;
  }
  return high;
}

bool same(const NoiseLaw& a, const NoiseLaw& b) {
  return a.family == b.family && a.sensitivity == b.sensitivity && a.scale == b.scale &&
         a.components == b.components && a.weight_epsilon == b.weight_epsilon && a.steps == b.steps;
}

}  // namespace

NoiseSum::NoiseSum(std::span<const NoiseLaw> laws, double noises, std::span<const double> tails)
    : tails_(tails.begin(), tails.end()),
      noises_(noises),
      none_(true),
      gaussian_(true),
      fine_(true) {
  for (const double tail : tails) quantile_.push_back(normal_quantile(tail * (1 - kRoundingShare)));
  const double least = std::ranges::min(tails);
  for (const NoiseLaw& law : laws) {
    none_ = none_ && lattice_tail_quantile(law, 1, least / noises) == 0;
    gaussian_ = gaussian_ && law.family == Family::gaussian;
    fine_ = fine_ && law.scale >= 1;
    scale_.push_back(law.scale);
    stddev_.push_back(std::max(lattice_moments(law, 1).stddev, 1e-30));
  }
  if (none_) return;
  for (std::size_t i = 0; i < laws.size(); ++i) {
    if (gaussian_ && laws[i].scale > 128) continue;  // its own reach is as short
    poll();
    law_.push_back(
        i > 0 && i == law_.size() && same(laws[i], laws[i - 1])
            ? law_[i - 1]
            : std::make_shared<CoarseLaw>(laws[i], stddev_[i], least * kCutShare / noises));
  }
}

// Normal noises, and what rounding them to integers adds.
double NoiseSum::gaussian_reach(std::size_t tail, double normal, double squares,
                                double magnitudes) const {
  const double proxy = fine_ ? 1.0 / 12 : 0.25;
  const double out = -std::log(tails_[tail] * kRoundingShare) + (fine_ ? noises_ * 0x1p-26 : 0);
  const double rounding = std::min(magnitudes / 2, std::sqrt(2 * proxy * out * squares));
  return quantile_[tail] * std::sqrt(normal) + rounding;
}

NoiseSum::Bound NoiseSum::chernoff_bound(std::size_t tail, std::span<const NoiseTerm> terms,
                                         double variance) const {
  const double out = -std::log(tails_[tail] * (1 - kCutShare));
  const double about = std::sqrt(2 * out / variance);
  Bound least = {0, 0, kInfinity};
  for (double part = 0.1; part < 1.55; part += 0.1) {
    const double rate = about * part;
    double sum = 0;
    for (const NoiseTerm& term : terms) {
      sum += term.count * law_of(term).log_cosh(rate * std::abs(term.weight));
    }
    const double reach = (sum + out) / rate;
    if (reach < least.reach) least = {rate, sum, reach};
  }
  return least;
}

// What coarsening leaves out: independent, of mean 0, each at most half a step times the weight.
double NoiseSum::coarse_reach(std::size_t tail, std::span<const NoiseTerm> terms) const {
  double squares = 0, magnitudes = 0;
  for (const NoiseTerm& term : terms) {
    const double step = law_of(term).step();
    if (step == 1) continue;
    const double most = std::abs(term.weight) * step / 2;
    squares += term.count * most * most;
    magnitudes += term.count * most;
  }
  return std::min(magnitudes, std::sqrt(-2 * std::log(tails_[tail] * kCoarseShare) * squares));
}

// The law of the sum of coarse noises and a little normal noise, from its characteristic function:
// chances of a square wave of a period so long that it is a step where the sum is.
double NoiseSum::inverted_reach(std::size_t tail, std::span<const NoiseTerm> terms, double variance,
                                const Bound& bound) const {
  constexpr double kTwoByPi = 2 / std::numbers::pi;
  constexpr double kBack = 3;  // deviations by which the normal noise may hide the sum
  const double chance = tails_[tail];
  const double spare = chance * kSpare;
  const double half_period = 2 * bound.reach + 7 / bound.rate;
  const double first = std::numbers::pi / half_period;
  const double last = 3000 / std::sqrt(variance);
  const double most_waves = std::clamp(kMostWaves / noises_, 256.0, 2048.0);

  std::vector<std::pair<double, double>> waves;  // odd multiples of `first`, and their means
  double error = 0x1p-40;                        // more than the roundings of the sums below
  double m = 1;
  while (m * first < last) {
    // A block of waves: by their bound, if that is small, else one by one.
    const double end = m + 2 * std::ceil(m / 8);  // the first of the next block
    double crest = 1;
    for (const NoiseTerm& term : terms) {
      const double weight = std::abs(term.weight) * first;
      crest *= std::pow(law_of(term).crest(weight * m, weight * (end - 2)), term.count);
      if (crest < 1e-30) break;
    }
    const double most = kTwoByPi * crest * (1 / m + std::log(end / m) / 2);
    if (most < spare / 16) {
      error += most;
      m = end;
      continue;
    }
    if (static_cast<double>(waves.size()) + (end - m) / 2 > most_waves) break;
    for (; m < end; m += 2) {
      double mean = 1, off = 0;
      for (const NoiseTerm& term : terms) {
        const double t = std::abs(term.weight) * m * first;
        const double wave = law_of(term).wave(t);
        mean *= term.count == 1 ? wave : std::pow(wave, term.count);
        off += term.count * law_of(term).error(t);
      }
      waves.emplace_back(m, mean);
      error += kTwoByPi / m * off;
    }
  }
  // The normal noise leaves less than `spare` of the waves from m on.
  const double damping = std::sqrt(-2 * std::log(spare));
  const double stddev = damping / (m * first);
  error += kTwoByPi * spare * (1 / m + 1 / (2 * damping * damping));
  error +=
      std::exp(bound.log_moment + std::pow(bound.rate * stddev, 2) / 2 - bound.rate * half_period);
  for (auto& [at, mean] : waves) {
    mean *= kTwoByPi / at * std::exp(-std::pow(at * first * stddev, 2) / 2);
  }
  const double coarse = coarse_reach(tail, terms);
  const double target =
      chance * (1 - kCutShare - (coarse > 0 ? kCoarseShare : 0)) * (1 - upper_tail(kBack));
  const auto passed = [&](double reach) {
    double sum = 0.5 + error;
    for (const auto& [at, mean] : waves) sum -= mean * std::sin(at * first * reach);
    return sum;
  };
  double low = 0, high = bound.reach;
  if (!(passed(high) <= target)) return kInfinity;
  for (int i = 0; i < 16; ++i) {
    const double middle = (low + high) / 2;
    (passed(middle) <= target ? high : low) = middle;
  }
  return high + kBack * stddev + coarse;
}

double NoiseSum::reach(std::span<const NoiseTerm> all, std::size_t tail) const {
  if (none_) return 0;
  std::vector<NoiseTerm> terms;
  for (const NoiseTerm& term : all) {
    if (term.weight != 0 && term.count != 0) terms.push_back(term);
  }
  double normal = 0, variance = 0, squares = 0, magnitudes = 0;
  for (const NoiseTerm& term : terms) {
    const auto law = static_cast<std::size_t>(term.law);
    const double square = term.count * term.weight * term.weight;
    normal += square * scale_[law] * scale_[law];
    variance += square * stddev_[law] * stddev_[law];
    squares += square;
    magnitudes += term.count * std::abs(term.weight);
  }
  if (squares == 0) return 0;
  double least = kInfinity;
  if (gaussian_) least = gaussian_reach(tail, normal, squares, magnitudes);
  if (law_.size() == stddev_.size()) {
    const Bound bound = chernoff_bound(tail, terms, variance);
    least = std::min(least, bound.reach);
    if (std::isfinite(bound.reach)) {
      least = std::min(least, inverted_reach(tail, terms, variance, bound));
    }
  }
  return least * kRoundUp;
}

}  // namespace dpmix
