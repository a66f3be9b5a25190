#include "core/query/coarse_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/poll.hpp"
#include "core/noise/lattice_moments.hpp"

namespace dpmix {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kRoundUp = 1 + 0x1p-40;  // more than all roundings of a bound
constexpr double kStepsOfDeviation = 128;
constexpr double kMostMasses = 4096;
constexpr double kMostPoints = 16384;  // of the table of waves
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double cosh_excess(double x) {  // cosh(x) - 1, without cancellation
  const double half = std::sinh(x / 2);
  return 2 * half * half;
}

}  // namespace

CoarseLaw::CoarseLaw(const NoiseLaw& law, double stddev, double cut) {
  const double most = lattice_tail_quantile(law, 1, cut);
  const double about = std::max(stddev / kStepsOfDeviation, most / kMostMasses);
  step_ = 2 * std::floor(about / 2) + 1;
  const auto last = static_cast<std::size_t>(std::floor(most / step_ + 0.5));
  std::vector<double> mass;  // of |C| / step
  double above = 1, expected = 0;
  for (std::size_t j = 0; j < last; ++j) {
    const double next =
        lattice_tail(law, 1, step_ * static_cast<double>(j) + std::floor(step_ / 2));
    mass.push_back(std::max(above - next, 0.0));
    above = next;
    expected += next;
  }
  mass.push_back(above);
  rounding_ = 0x1p-37 * step_ * (expected + 1);
  tabulate_moments(mass, stddev);
  tabulate_waves(mass);
}

void CoarseLaw::tabulate_moments(const std::vector<double>& mass, double stddev) {
  const double spare = step_ > 1 ? step_ / 2 : 0;  // R lies beyond C by this at most
  for (double s = 1e-4 / stddev; s < 40 / stddev; s *= 1.05) {
    double excess = 0;
    for (std::size_t j = 0; j < mass.size(); ++j) {
      excess += mass[j] * cosh_excess(s * (step_ * static_cast<double>(j) + spare));
    }
    if (!(excess < 1e300)) break;
    at_.push_back(s);
    bound_.push_back(std::log1p(excess) * (1 + 0x1p-30));
    poll();
  }
}

// Taylor's series of fifth order around each point: between two of them it is off by
// (spacing / 2)^6 E (C / step)^6 / 720 at most.
void CoarseLaw::tabulate_waves(const std::vector<double>& mass) {
  double sixth = 0;
  for (std::size_t j = 0; j < mass.size(); ++j) {
    sixth += mass[j] * std::pow(static_cast<double>(j), 6);
  }
  constexpr double kWanted = 1e-11;
  const double points =
      std::clamp(std::ceil(kPi / 2 * std::pow(sixth / 720 / kWanted, 1.0 / 6)), 16.0, kMostPoints);
  spacing_ = kPi / points;
  table_error_ = std::pow(spacing_ / 2, 6) * sixth / 720 + 0x1p-40;
  for (double i = 0; i <= points; ++i) {
    std::array<double, kTerms> sum{};
    // The waves of j = 0, 1, ...: by turning, from a fresh one every 64.
    const double turn_cos = std::cos(i * spacing_), turn_sin = std::sin(i * spacing_);
    double c = 1, s = 0;
    for (std::size_t j = 0; j < mass.size(); ++j) {
      const auto n = static_cast<double>(j);
      if (j % 64 == 0) {
        c = std::cos(n * (i * spacing_));
        s = std::sin(n * (i * spacing_));
      }
      const double n2 = n * n, even = mass[j] * c, odd = mass[j] * n * s;
      sum[0] += even;
      sum[1] -= odd;
      sum[2] -= even * n2;
      sum[3] += odd * n2;
      sum[4] += even * n2 * n2;
      sum[5] -= odd * n2 * n2;
      const double turned = c * turn_cos - s * turn_sin;
      s = s * turn_cos + c * turn_sin;
      c = turned;
    }
    double factorial = 1;
    for (int d = 2; d < kTerms; ++d) sum[static_cast<std::size_t>(d)] /= (factorial *= d);
    wave_.push_back(sum);
    double high = 0, reach = 1;
    for (const double term : sum) {
      high += std::abs(term) * reach;
      reach *= spacing_ / 2;
    }
    crest_.push_back(std::min(1.0, high + error(kPi / step_)));
    if (wave_.size() % 64 == 0) poll();
  }
  for (std::size_t i = crest_.size() - 1; i-- > 0;) crest_[i] = std::max(crest_[i], crest_[i + 1]);
}

double CoarseLaw::wave(double t) const {
  double x = std::fmod(t * step_, 2 * kPi);
  if (x > kPi) x = 2 * kPi - x;
  const auto i = static_cast<std::size_t>(x / spacing_ + 0.5);
  const double off = x - static_cast<double>(i) * spacing_;
  const std::array<double, kTerms>& c = wave_[i];
  const double value =
      c[0] + off * (c[1] + off * (c[2] + off * (c[3] + off * (c[4] + off * c[5]))));
  return std::clamp(value, -1.0, 1.0);
}

double CoarseLaw::crest(double from, double to) const {
  const double low = from * step_ / (2 * kPi), high = to * step_ / (2 * kPi);
  if (!(high < 1e6) || std::floor(low) != std::floor(high)) return 1;
  const double turn = std::floor(low);  // both lie between multiples of 2 pi
  const double away = std::min(low - turn, turn + 1 - high) * (2 * kPi);
  return crest_[static_cast<std::size_t>(std::max(away / spacing_ - 0.001, 0.0) + 0.5)];
}

// Chords lie above a convex function; from (0, 0) on.
double CoarseLaw::log_cosh(double s) const {
  const auto above = std::ranges::lower_bound(at_, s);
  if (above == at_.end()) return kInfinity;
  const auto i = static_cast<std::size_t>(above - at_.begin());
  if (i == 0) return bound_[0] * (s / at_[0]);
  const double part = (s - at_[i - 1]) / (at_[i] - at_[i - 1]);
  return (bound_[i - 1] + part * (bound_[i] - bound_[i - 1])) * kRoundUp;
}

}  // namespace dpmix
