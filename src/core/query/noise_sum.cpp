#include "core/query/noise_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/normal_tail.hpp"
#include "core/base/poll.hpp"
#include "core/noise/lattice_moments.hpp"

namespace dpmix {
namespace {

constexpr double kRoundUp = 1 + 0x1p-40;  // more than all roundings of a reach
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRoundingShare = 1.0 / 16;  // of the tail, for errors of rounding
constexpr double kCutShare = 1.0 / 64;       // of the tail, for a noise beyond its table

double normal_quantile(double tail) {  // not below the exact one
  double low = 0, high = 40;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (upper_tail(middle) <= tail * (1 - 0x1p-38) ? high : low) = middle;
  }
  return high;
}

double cosh_excess(double x) {  // cosh(x) - 1, without cancellation
  const double half = std::sinh(x / 2);
  return 2 * half * half;
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
    if (gaussian_ && laws[i].scale > 16) continue;  // its own reach is the shorter by far
    poll();
    table_.push_back(i > 0 && i == table_.size() && same(laws[i], laws[i - 1])
                         ? table_[i - 1]
                         : table_of(laws[i], stddev_[i], least * kCutShare / noises));
  }
}

// E cosh(s R) <= sum over j of (t_j - t_j+1) cosh(s q(t_j+1)), where |R| is clamped to q(cut).
NoiseSum::Table NoiseSum::table_of(const NoiseLaw& law, double stddev, double cut) {
  std::vector<double> mass, value;
  double above = 1;
  const auto slab_to = [&](double t) {
    const double q = lattice_tail_quantile(law, 1, t);
    mass.push_back(above - t);
    value.push_back(q);
    above = t;
  };
  for (int j = 1; j < 100; ++j) slab_to(1 - j / 100.0);
  while (above * 0.85 > cut) slab_to(above * 0.85);
  slab_to(cut);
  mass.push_back(above);
  value.push_back(value.back());

  Table table;
  for (double s = 1e-4 / stddev; s < 40 / stddev; s *= 1.05) {
    double excess = 0;
    for (std::size_t j = 0; j < mass.size(); ++j) excess += mass[j] * cosh_excess(s * value[j]);
    if (!(excess < 1e300)) break;
    table.at.push_back(s);
    table.bound.push_back(std::log1p(excess) * kRoundUp);
  }
  return table;
}

// Chords lie above a convex function; from (0, 0) on.
double NoiseSum::Table::operator()(double s) const {
  const auto above = std::ranges::lower_bound(at, s);
  if (above == at.end()) return kInfinity;
  const auto i = static_cast<std::size_t>(above - at.begin());
  if (i == 0) return bound[0] * (s / at[0]);
  const double part = (s - at[i - 1]) / (at[i] - at[i - 1]);
  return bound[i - 1] + part * (bound[i] - bound[i - 1]);
}

// Normal noises, and what rounding them to integers adds.
double NoiseSum::gaussian_reach(std::size_t tail, double normal, double squares,
                                double magnitudes) const {
  const double proxy = fine_ ? 1.0 / 12 : 0.25;
  const double out = -std::log(tails_[tail] * kRoundingShare) + (fine_ ? noises_ * 0x1p-26 : 0);
  const double rounding = std::min(magnitudes / 2, std::sqrt(2 * proxy * out * squares));
  return quantile_[tail] * std::sqrt(normal) + rounding;
}

double NoiseSum::chernoff_reach(std::size_t tail, std::span<const NoiseTerm> terms,
                                double variance) const {
  const double out = -std::log(tails_[tail] * (1 - kCutShare));
  const double about = std::sqrt(2 * out / variance);
  double least = kInfinity;
  for (double part = 0.1; part < 1.55; part += 0.1) {
    const double lambda = about * part;
    double sum = out;
    for (const NoiseTerm& term : terms) {
      if (term.weight != 0 && term.count != 0) {
        sum +=
            term.count * table_[static_cast<std::size_t>(term.law)](lambda * std::abs(term.weight));
      }
    }
    least = std::min(least, sum / lambda);
  }
  return least;
}

double NoiseSum::reach(std::span<const NoiseTerm> terms, std::size_t tail) const {
  if (none_) return 0;
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
  if (table_.size() == stddev_.size())
    least = std::min(least, chernoff_reach(tail, terms, variance));
  return least * kRoundUp;
}

}  // namespace dpmix
