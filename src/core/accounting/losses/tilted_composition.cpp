#include "core/accounting/losses/tilted_composition.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include <Eigen/Core>
#include <unsupported/Eigen/FFT>

#include "core/base/poll.hpp"

namespace dpmix {
namespace {

constexpr double kUnit = 0x1p-53;
// ||computed - exact|| <= kFourier log2(4n) kUnit ||exact|| in the 2-norm, for a transform of n.
constexpr double kFourier = 32;
// log of what may be lost beyond the top of a window.
constexpr double kEnough = -32;
constexpr std::size_t kBetweenPolls = 4096;

// z^n by binary powers.
std::complex<double> power(std::complex<double> z, std::int64_t n) {
  std::complex<double> result = 1;
  for (; n > 0; n >>= 1, z *= z) {
    if (n & 1) result *= z;
  }
  return result;
}

// P(tilted loss beyond the edge), by Chernoff; direction 1: above, -1: below.
double chernoff(const std::vector<LossPart>& parts, const TiltedLosses& at, double edge,
                int direction) {
  const double distance = direction * (edge - at.mean());
  if (!(distance > 0)) return 1;
  double best = 0;
  double further =
      std::min(distance / std::max(at.deviation() * at.deviation(), 1e-300), TiltedLosses::kMost);
  for (; further > TiltedLosses::kLeast && best > kEnough; further /= 3) {
    const TiltedLosses beyond(parts, at.tilt() + direction * further);
    const double bound =
        beyond.log() + beyond.sum_error() - at.log() + at.sum_error() - direction * further * edge;
    if (std::isfinite(bound)) best = std::min(best, bound);
    if (best < 0 && bound > best) break;  // the exponent is convex
  }
  return std::exp(best);
}

}  // namespace

void LossPart::add(std::int64_t index, double log_mass) {
  indices.push_back(index);
  losses.push_back(static_cast<double>(index) * step);
  log_masses.push_back(log_mass);
  largest_log = std::max(largest_log, std::fabs(log_mass));
  largest_loss = std::max(largest_loss, std::fabs(losses.back()));
}

TiltedLosses::TiltedLosses(const std::vector<LossPart>& parts, double tilt) : tilt_(tilt) {
  for (const LossPart& part : parts) {
    const Eigen::Map<const Eigen::ArrayXd> loss(part.losses.data(), std::ssize(part.losses)),
        log_mass(part.log_masses.data(), std::ssize(part.losses));
    Eigen::ArrayXd term = log_mass + tilt * loss;
    const double top = term.maxCoeff();
    term = (term - top).exp();
    const double sum = term.sum(), mean = (term * loss).sum() / sum;
    const double square = (term * (loss - mean).square()).sum() / sum;
    const auto n = static_cast<double>(part.times);
    part_log_.push_back(top + std::log(sum));
    log_ += n * part_log_.back();
    const double largest = part.largest_log + std::fabs(tilt) * part.largest_loss;
    sum_error_ += n * kUnit *
                  (8 * (largest + std::fabs(part_log_.back()) + 16) +
                   static_cast<double>(std::ssize(part.losses)));
    mean_ += n * mean;
    variance_ += n * square;
  }
  poll();
}

TiltedLosses TiltedLosses::centred(const std::vector<LossPart>& parts, double loss) {
  double low = kLeast, high = kMost;
  while (high > low * 1.1) {
    const double middle = std::sqrt(low * high);
    (TiltedLosses(parts, middle).mean() < loss ? low : high) = middle;
  }
  return {parts, high};
}

double TiltedLosses::deviation() const {
  return std::sqrt(variance_);
}

TiltedComposition::TiltedComposition(const std::vector<LossPart>& parts, const TiltedLosses& at,
                                     std::int64_t wanted, std::int64_t most_points)
    : step_(parts.front().step), tilt_(at.tilt()), log_(at.log()) {
  choose_window(parts, at, wanted, most_points);
  convolve(parts, at);
  for (const LossPart& part : parts) {
    infinite_ += part.infinite * static_cast<double>(part.times) * (1 + 1e-12);
  }
}

// Any window gives a bound.
void TiltedComposition::choose_window(const std::vector<LossPart>& parts, const TiltedLosses& at,
                                      std::int64_t wanted, std::int64_t most_points) {
  const auto centre = static_cast<std::int64_t>(std::nearbyint(at.mean() / step_));
  std::int64_t n = 1024;
  const double span = std::max(16 * at.deviation(), 2 * (at.mean() - wanted * step_ + step_));
  while (static_cast<double>(n) * step_ < span && n < most_points) n *= 2;
  // Rare large losses need room above the mean, not below.
  for (std::int64_t below = n / 2;;) {
    lowest_ = centre - below;
    const double top = static_cast<double>(lowest_ + n) * step_;
    const double lost = chernoff(parts, at, top, 1);
    // e^{log - tilt l} never exceeds its value at the top there.
    beyond_ = lost * std::exp(log_ - tilt_ * top) * (1 + 1e-9);
    if (lost >= std::exp(kEnough) && n < most_points) {
      n *= 2;
      continue;
    }
    const double aliased = chernoff(parts, at, static_cast<double>(lowest_) * step_, -1);
    outside_ = lost + aliased;
    if (aliased < 1e-9 || n >= most_points) break;
    below *= 2;
    n *= 2;
  }
  y_.resize(static_cast<std::size_t>(n));
}

std::size_t TiltedComposition::slot(std::int64_t j) const {
  const auto n = static_cast<std::int64_t>(y_.size());
  return static_cast<std::size_t>(((j % n) + n) % n);
}

void TiltedComposition::convolve(const std::vector<LossPart>& parts, const TiltedLosses& at) {
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
    const LossPart& part = parts[i];
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
    poll();
    fft.fwd(spectrum, x);
    for (std::size_t k = 0; k < product.size(); ++k) {
      product[k] *= power(spectrum[k], part.times);
      if (k % kBetweenPolls == 0) poll();
    }
  }
  double squares = 0;
  for (std::size_t k = 0; k < product.size(); ++k) {
    squares += (k == 0 || k == n / 2 ? 1 : 2) * std::norm(product[k]);
  }
  const double size = std::sqrt(squares);
  error_ = (worst * std::exp(worst + relative_ + at.sum_error()) +
            (total * 8 * kUnit + transform) * size) /
           root;
  poll();
  fft.inv(y_, product, static_cast<Eigen::Index>(n));
  poll();
  for (double& value : y_) value = std::max(value, 0.0);
}

TiltedComposition::Fall::Fall(const TiltedComposition& of)
    : of_(&of),
      j_(of.lowest_ + of.points() - 1),
      shrink_(std::exp(-of.step_)),
      grow_(-std::expm1(-of.step_)) {
  const auto points = static_cast<double>(of.points());
  // Errors of a factor: rounding of tilts and sums.
  margin_ = std::exp(of.relative_) * (1 + points * 8 * kUnit);
  root_reach_ = std::sqrt(of.tilt_ > 0 ? std::min(points, 1 / -std::expm1(-2 * of.tilt_ * of.step_))
                                       : points);
}

double TiltedComposition::Fall::round_off() const {
  const double l0 = static_cast<double>(j_ + 1) * of_->step_;
  return of_->error_ * std::exp(of_->log_ - of_->tilt_ * l0) * root_reach_ * 1.001 * margin_;
}

double TiltedComposition::Fall::blur() const {
  const double l0 = static_cast<double>(j_ + 1) * of_->step_;
  return of_->beyond_ + of_->outside_ * std::exp(of_->log_ - of_->tilt_ * l0) + round_off();
}

double TiltedComposition::Fall::bound() const {
  return (delta_ + of_->beyond_) * margin_ + round_off() * (1 + 8 * kUnit) + of_->infinite_;
}

void TiltedComposition::Fall::down() {
  if (j_ % static_cast<std::int64_t>(kBetweenPolls) == 0) poll();
  above_ += of_->y_[of_->slot(j_)] *
            std::exp(of_->log_ - of_->tilt_ * static_cast<double>(j_) * of_->step_);
  delta_ = shrink_ * delta_ + grow_ * above_;
  --j_;
}

}  // namespace dpmix
