#include "core/accounting/loss_composition.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include <Eigen/Core>
#include <unsupported/Eigen/FFT>

#include "core/accounting/check_parameter.hpp"
#include "core/mechanism/normal_tail.hpp"
#include "core/next_double.hpp"
#include "core/poll.hpp"

namespace dpmix {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnit = 0x1p-53;
// ||computed - exact|| <= kFourier log2(4n) kUnit ||exact|| in the 2-norm, for a transform of n.
constexpr double kFourier = 32;
// log of what may be lost beyond the top of a window.
constexpr double kEnough = -32;
constexpr std::int64_t kMostPoints = std::int64_t{1} << 20;  // 50 MB
constexpr int kMostTilts = 64;
constexpr double kLeastTilt = 1e-3, kMostTilt = 1e6;
constexpr double kMostIndex = 0x1p52;
constexpr std::int64_t kMostTimes = std::int64_t{1} << 30;  // indices of sums stay below 2^63

// z^n by binary powers.
std::complex<double> power(std::complex<double> z, std::int64_t n) {
  std::complex<double> result = 1;
  for (; n > 0; n >>= 1, z *= z) {
    if (n & 1) result *= z;
  }
  return result;
}

// Below gdp_delta(epsilon, mu), by little; in double, for many epsilons.
double gdp_delta_below(double epsilon, double mu) {
  const double near = epsilon / mu - mu / 2, far = epsilon / mu + mu / 2;
  if (far > 37) return 0;
  const double tail = upper_tail(near);
  const double rest = std::exp(epsilon) * upper_tail(far);
  // docs/proofs/loss_distribution.md: arguments to 4 u far, tails to (4 x^2 + 24) u, exp to
  // epsilon.
  const double margin = kUnit * (64 + 16 * far * far + 4 * epsilon);
  return std::max(0.0, tail * (1 - margin) - rest * (1 + margin));
}

// Covers what a chord and its inverse may be wrong by, relatively.
constexpr double kChordMargin = 32 * kUnit;

// delta is convex in e^epsilon: between grid points it lies below the chord of bounds at both.
double chord(double below, double above, double past, double step) {
  const double share = std::expm1(past) / std::expm1(step) * (1 - kChordMargin);
  return std::min(below, (below - share * (below - above)) * (1 + kChordMargin));
}

// How far past the lower grid point that chord is at most delta, above <= delta < below.
double chord_reaches(double delta, double below, double above, double step) {
  const double share = (below - delta) / (below - above) * (1 + kChordMargin);
  return std::log1p(share * std::expm1(step)) * (1 + kChordMargin);
}

}  // namespace

// log sum mass e^{tilt loss} of all parts together, with its first two derivatives.
class LossComposition::Tilted {
 public:
  Tilted(const std::vector<Part>& parts, double tilt) : tilt_(tilt) {
    for (const Part& part : parts) {
      const Eigen::Map<const Eigen::ArrayXd> loss(part.losses.data(), size(part)),
          log_mass(part.log_masses.data(), size(part));
      Eigen::ArrayXd term = log_mass + tilt * loss;
      const double top = term.maxCoeff();
      term = (term - top).exp();
      const double sum = term.sum(), mean = (term * loss).sum() / sum;
      const double square = (term * (loss - mean).square()).sum() / sum;
      const auto n = static_cast<double>(part.times);
      part_log_.push_back(top + std::log(sum));
      log_ += n * part_log_.back();
      const double largest = part.largest_log + std::fabs(tilt) * part.largest_loss;
      sum_error_ +=
          n * kUnit *
          (8 * (largest + std::fabs(part_log_.back()) + 16) + static_cast<double>(size(part)));
      mean_ += n * mean;
      variance_ += n * square;
    }
    poll();
  }

  double tilt() const { return tilt_; }
  double log() const { return log_; }
  double mean() const { return mean_; }
  double deviation() const { return std::sqrt(variance_); }
  double part_log(std::size_t i) const { return part_log_[i]; }
  // What log() may be wrong by.
  double sum_error() const { return sum_error_; }

 private:
  static Eigen::Index size(const Part& part) { return std::ssize(part.losses); }

  double tilt_;
  std::vector<double> part_log_;
  double log_ = 0, mean_ = 0, variance_ = 0, sum_error_ = 0;
};

// The composition on a window of the grid, tilted: y_J e^{log - tilt J step} bounds the mass of the
// total loss J step from above, but for the errors that bound() adds.
class LossComposition::Composed {
 public:
  // The window reaches down to `wanted` where that costs nothing much.
  Composed(const std::vector<Part>& parts, const Tilted& at, std::int64_t wanted)
      : step_(parts.front().step), tilt_(at.tilt()), log_(at.log()) {
    choose_window(parts, at, wanted);
    convolve(parts, at);
    for (const Part& part : parts) {
      infinite_ += part.infinite * static_cast<double>(part.times) * (1 + 1e-12);
    }
  }

  std::int64_t points() const { return static_cast<std::int64_t>(y_.size()); }

  // Visits delta(J step), from above, for J from the top of the window down, until visit says stop.
  template <class Visit>
  void falling(Visit visit) const {
    const double shrink = std::exp(-step_), grow = -std::expm1(-step_);
    // Errors of a factor: rounding of tilts and sums.
    const double margin = std::exp(relative_) * (1 + static_cast<double>(points()) * 8 * kUnit);
    const double reach =
        tilt_ > 0 ? std::min(static_cast<double>(points()), 1 / -std::expm1(-2 * tilt_ * step_))
                  : static_cast<double>(points());
    double above = 0, delta = 0;  // of what lies above J: its mass, and delta(J step)
    for (std::int64_t j = lowest_ + points() - 1; j >= lowest_; --j) {
      const double l0 = static_cast<double>(j + 1) * step_;
      const double scale = std::exp(log_ - tilt_ * l0);
      const double round_off = error_ * scale * std::sqrt(reach) * 1.001;
      const double bound = (delta + beyond_ + round_off) * margin + infinite_;
      if (!visit(j, bound)) return;
      // One grid point down.
      above += y_[slot(j)] * std::exp(log_ - tilt_ * static_cast<double>(j) * step_);
      delta = shrink * delta + grow * above;
    }
  }

 private:
  // P(tilted loss beyond the edge), by Chernoff; direction 1: above, -1: below.
  static double chernoff(const std::vector<Part>& parts, const Tilted& at, double edge,
                         int direction) {
    const double distance = direction * (edge - at.mean());
    if (!(distance > 0)) return 1;
    double best = 0;
    double further =
        std::min(distance / std::max(at.deviation() * at.deviation(), 1e-300), kMostTilt);
    for (; further > kLeastTilt && best > kEnough; further /= 3) {
      const Tilted beyond(parts, at.tilt() + direction * further);
      const double bound = beyond.log() + beyond.sum_error() - at.log() + at.sum_error() -
                           direction * further * edge;
      if (std::isfinite(bound)) best = std::min(best, bound);
      if (best < 0 && bound > best) break;  // the exponent is convex
    }
    return std::exp(best);
  }

  void choose_window(const std::vector<Part>& parts, const Tilted& at, std::int64_t wanted) {
    const auto centre = static_cast<std::int64_t>(std::nearbyint(at.mean() / step_));
    std::int64_t n = 1024;
    const double span = std::max(16 * at.deviation(), 2 * (at.mean() - wanted * step_ + step_));
    while (static_cast<double>(n) * step_ < span && n < kMostPoints) n *= 2;
    for (;; n *= 2) {
      lowest_ = centre - n / 2;
      const double top = static_cast<double>(lowest_ + n) * step_;
      const double lost = chernoff(parts, at, top, 1);
      // e^{log - tilt l} never exceeds its value at the top there.
      beyond_ = lost * std::exp(log_ - tilt_ * top) * (1 + 1e-9);
      const double aliased = chernoff(parts, at, static_cast<double>(lowest_) * step_, -1);
      if ((lost < std::exp(kEnough) && aliased < 1e-9) || n >= kMostPoints) break;
    }
    y_.resize(static_cast<std::size_t>(n));
  }

  std::size_t slot(std::int64_t j) const {
    const auto n = static_cast<std::int64_t>(y_.size());
    return static_cast<std::size_t>(((j % n) + n) % n);
  }

  void convolve(const std::vector<Part>& parts, const Tilted& at) {
    const std::size_t n = y_.size();
    const double root = std::sqrt(static_cast<double>(n));
    const double transform = kFourier * std::log2(4. * static_cast<double>(n)) * kUnit;
    Eigen::FFT<double> fft;
    fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
    std::vector<double> x;
    std::vector<std::complex<double>> spectrum, product(n / 2 + 1, 1.0);
    double worst = 0, total = 0;  // what the forward transforms may be wrong by; number of factors
    relative_ = 8 * kUnit * (std::fabs(log_) + 16);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Part& part = parts[i];
      const auto count = static_cast<double>(part.times);
      x.assign(n, 0);
      for (std::size_t k = 0; k < part.losses.size(); ++k) {
        x[slot(part.indices[k])] +=
            std::exp(part.log_masses[k] + tilt_ * part.losses[k] - at.part_log(i));
      }
      const double largest = part.largest_log + std::fabs(tilt_) * part.largest_loss;
      relative_ += count * 8 * kUnit * (largest + std::fabs(at.part_log(i)) + 16);
      double squares = 0;
      for (double value : x) squares += value * value;
      worst += count * transform * root * std::sqrt(squares);
      total += count;
      fft.fwd(spectrum, x);
      for (std::size_t k = 0; k < product.size(); ++k) product[k] *= power(spectrum[k], part.times);
      poll();
    }
    double squares = 0;
    for (std::size_t k = 0; k < product.size(); ++k) {
      squares += (k == 0 || k == n / 2 ? 1 : 2) * std::norm(product[k]);
    }
    const double size = std::sqrt(squares);
    error_ = (worst * std::exp(worst + relative_ + at.sum_error()) +
              (total * 8 * kUnit + transform) * size) /
             root;
    fft.inv(y_, product, static_cast<Eigen::Index>(n));
    for (double& value : y_) value = std::max(value, 0.0);
  }

  double step_, tilt_, log_;
  std::int64_t lowest_ = 0;
  std::vector<double> y_;  // at J mod its size
  double infinite_ = 0, beyond_ = 0, error_ = 0, relative_ = 0;
};

void LossComposition::add(const LossDistribution& loss, std::int64_t times) {
  check_parameter(times >= 1 && times <= kMostTimes, "number of compositions",
                  static_cast<double>(times), "1 to 2^30");
  check_parameter(parts_.empty() || parts_.front().step == loss.step, "grid step", loss.step,
                  "the same for all that is composed");
  Part part;
  part.times = times;
  part.step = loss.step;
  part.infinite = loss.infinite;
  for (std::size_t i = 0; i < loss.mass.size(); ++i) {
    if (loss.mass[i] == 0) continue;
    part.indices.push_back(loss.first + static_cast<std::int64_t>(i));
    part.losses.push_back(static_cast<double>(part.indices.back()) * loss.step);
    part.log_masses.push_back(std::log(loss.mass[i]));
    part.largest_log = std::max(part.largest_log, std::fabs(part.log_masses.back()));
    part.largest_loss = std::max(part.largest_loss, std::fabs(part.losses.back()));
  }
  parts_.push_back(std::move(part));
}

bool LossComposition::reveals_all() const {
  return std::ranges::any_of(
      parts_, [](const Part& part) { return part.infinite >= 1 || part.losses.empty(); });
}

// The tilt that makes epsilon the mean loss keeps round-off smallest there; any would be valid.
LossComposition::Tilted LossComposition::centred(double epsilon) const {
  double low = kLeastTilt, high = kMostTilt;
  while (high > low * 1.1) {
    const double middle = std::sqrt(low * high);
    (Tilted(parts_, middle).mean() < epsilon ? low : high) = middle;
  }
  return {parts_, high};
}

double LossComposition::delta(double epsilon) const {
  check_parameter(epsilon >= 0 && std::isfinite(epsilon), "epsilon", epsilon, "0 or more");
  if (parts_.empty()) return 0;
  if (reveals_all()) return 1;
  const double grid = std::floor(epsilon / parts_.front().step);
  check_parameter(grid <= kMostIndex, "epsilon", epsilon, "at most 2^52 grid steps");
  const auto wanted = static_cast<std::int64_t>(grid);
  double below = 1, above = 1;  // bounds at the grid points around epsilon
  Composed(parts_, centred(epsilon), wanted).falling([&](std::int64_t j, double bound) {
    if (j > wanted + 1) return true;
    above = std::min(above, bound);  // delta never increases
    if (j > wanted) return true;
    below = std::min(1.0, bound);
    return false;
  });
  return chord(below, above, epsilon - grid * parts_.front().step, parts_.front().step);
}

bool LossComposition::dominated(double mu, double slack) const {
  check_parameter(mu > 0 && std::isfinite(mu), "mu", mu, "above 0");
  check_parameter(slack > 0 && slack < 1, "slack", slack, "between 0 and 1, both excluded");
  if (parts_.empty()) return true;
  if (reveals_all()) return false;
  // One tilt is sharp around one epsilon. Walk down from where the slack alone suffices, with a new
  // tilt wherever the last one stops being a proof.
  double low = 0, high = 1;
  while (gdp_delta_below(high, mu) > slack) {
    low = high;
    high *= 2;
  }
  while (high > low * 1.01 + 1e-6) {
    const double middle = low + (high - low) / 2;
    (gdp_delta_below(middle, mu) > slack ? low : high) = middle;
  }
  const double step = parts_.front().step;
  auto next = std::numeric_limits<std::int64_t>::max();  // all above it is proved
  double around = high;
  for (int tilts = 0; tilts < kMostTilts; ++tilts, around = static_cast<double>(next) * step) {
    const std::int64_t before = next;
    Composed(parts_, centred(around), 0).falling([&](std::int64_t j, double bound) {
      // delta never increases, so delta(j step) speaks for the cell above it, and at the window's
      // top for all that is higher.
      if (j > next) return true;
      const bool top = next == std::numeric_limits<std::int64_t>::max();
      if (!top && j < next) return false;  // a window that misses the cell at next
      const double target = top ? 0 : gdp_delta_below(static_cast<double>(j + 1) * step, mu);
      if (!(bound <= slack + (1 - slack) * target)) return false;
      next = j - 1;
      return j > 0;
    });
    if (next < 0) return true;
    if (next == before) return false;
  }
  return false;  // so close to the target that every tilt proves but a few cells
}

double LossComposition::epsilon(double delta) const {
  check_parameter(delta > 0 && delta < 1, "delta", delta, "between 0 and 1, both excluded");
  if (parts_.empty()) return 0;
  if (reveals_all()) return kInfinity;
  // Chernoff: delta(epsilon) <= e^{log M(tilt) - tilt epsilon}. Its best tilt is nearly the best.
  const auto chernoff = [&](double tilt) {
    return (Tilted(parts_, tilt).log() - std::log(delta)) / tilt;
  };
  double best_tilt = 1, best = kInfinity;
  for (double step : {4.0, 1.4, 1.1}) {
    const double from = best_tilt;
    if (const double here = chernoff(from); here < best) best = here;
    for (double factor : {step, 1 / step}) {
      for (double tilt = from * factor; tilt > kLeastTilt && tilt < kMostTilt; tilt *= factor) {
        const double here = chernoff(tilt);
        if (!(here < best)) break;
        best = here;
        best_tilt = tilt;
      }
    }
  }
  double found = reached(Tilted(parts_, best_tilt), delta);
  // Where losses end, Chernoff's tilt is too steep further down: look from what was found.
  for (int tilts = 0; found < kInfinity && tilts < kMostTilts; ++tilts) {
    const double next = reached(centred(found), delta);
    if (!(next < found * (1 - 1e-9))) break;
    found = next;
  }
  return found;
}

double LossComposition::reached(const Tilted& at, double delta) const {
  double found = kInfinity, above = 0;
  const double step = parts_.front().step;
  Composed(parts_, at, 0).falling([&](std::int64_t j, double bound) {
    if (j < 0) return false;
    const double here = static_cast<double>(j) * step;
    if (bound <= delta) {
      found = here;
      above = bound;
      return true;
    }
    // A bound may be no number; but delta is at most 1.
    const double below = std::min(1.0, bound);
    if (found < kInfinity) {
      found = std::min(found, next_up(here + chord_reaches(delta, below, above, step)));
    }
    return false;
  });
  return found;
}

}  // namespace dpmix
