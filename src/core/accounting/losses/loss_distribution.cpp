#include "core/accounting/losses/loss_distribution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "core/base/normal_tail.hpp"
#include "core/base/poll.hpp"
#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Covers every relative error of a panel's mass: quadrature, exp, expm1, sums.
constexpr double kMassMargin = 1 + 0x1p-36;
// Added to the share of a panel that moves to the upper grid point: what its weights and sums may
// be wrong by, besides the losses.
constexpr double kShareMargin = 0x1p-36;
// What a loss l may be wrong by, in units of 1 + |l|; rates are no smaller than kLeastRate for it.
constexpr double kLossError = 256 * 0x1p-53;
constexpr double kLeastRate = 1e-30, kMostShift = 64;
constexpr double kLeastTail = 1e-30;
constexpr double kMostCells = 0x1p26;

// Masses by grid index, while they are being collected.
class Grid {
 public:
  Grid(double step, std::int64_t first, std::int64_t last)
      : step_(step), first_(first), mass_(static_cast<std::size_t>(last - first + 1)) {}

  // P's mass p of losses in [cell, cell + 1] steps, of which `share` moves up. Whatever lies
  // outside of the grid is moved up into it, or to infinity.
  void add(std::int64_t cell, double p, double share) {
    const double loss = static_cast<double>(cell) * step_;
    const double margin = kShareMargin + kLossError * (1 + std::fabs(loss)) / step_;
    p *= kMassMargin;
    const double up = p * std::min(1.0, share + margin);
    at(cell) += p - up;
    at(cell + 1) += up;
  }
  void add_infinite(double p) { infinite_ += p; }

  LossDistribution finish() && {
    return {step_, first_, std::move(mass_), infinite_ * kMassMargin};
  }

 private:
  double& at(std::int64_t index) {
    const std::int64_t i = std::max<std::int64_t>(index - first_, 0);
    return i < std::ssize(mass_) ? mass_[static_cast<std::size_t>(i)] : infinite_;
  }

  double step_;
  std::int64_t first_;
  std::vector<double> mass_;
  double infinite_ = 0;
};

// The share of a loss `above` a grid point by that much that moves to the next one, so that Q's
// mass is kept: (1 - e^-above) / (1 - e^-step).
double share_above(double above, double step) {
  return std::clamp(std::expm1(-above) / std::expm1(-step), 0.0, 1.0);
}

// Collects an increasing loss of one real variable, panel by panel: no panel is wider than `widest`
// or crosses a grid point. density(x) is P's, loss(x) increases, inverse(l) is where it is l.
template <class Density, class Loss, class Inverse>
void add_panels(Grid& grid, double step, double from, double to, double widest, Density density,
                Loss loss, Inverse inverse) {
  // Gauss-Legendre, four points on [-1, 1].
  constexpr std::array<double, 4> node = {-0.8611363115940526, -0.3399810435848563,
                                          0.3399810435848563, 0.8611363115940526};
  constexpr std::array<double, 4> weight = {0.3478548451374538, 0.6521451548625461,
                                            0.6521451548625461, 0.3478548451374538};
  auto cell = static_cast<std::int64_t>(std::floor(loss(from) / step));
  int since_poll = 0;
  for (double x = from; x < to;) {
    const double crossing = inverse(static_cast<double>(cell + 1) * step);
    if (crossing <= x) {  // the grid point lies in the rounding of x
      ++cell;
      continue;
    }
    const double end = std::min({x + widest, crossing, to});
    const double middle = (x + end) / 2, half = (end - x) / 2;
    double p = 0, up = 0;
    for (std::size_t i = 0; i < node.size(); ++i) {
      const double at = middle + half * node[i];
      const double share = half * weight[i] * density(at);
      p += share;
      up += share * share_above(loss(at) - static_cast<double>(cell) * step, step);
    }
    if (p > 0) grid.add(cell, p, up / p);
    if (end == crossing) ++cell;
    x = end;
    if (++since_poll == 4096) {
      poll();
      since_poll = 0;
    }
  }
}

// log(1 - q + q e^z), z = mu x - mu^2/2, increases in x. Where q is large, 1 - q is kept apart:
// both ways, cancellation would lose what is left of it.
struct SubsampledLoss {
  double rate, mu;

  double density(double x) const {  // with the record
    const double whole = rate * normal_density(x - mu);
    return rate == 1 ? whole : whole + (1 - rate) * normal_density(x);
  }
  double at(double x) const {
    const double z = mu * (x - mu / 2);
    if (rate == 1) return z;
    if (z < 1) {
      return rate > .5 ? std::log(1 - rate + rate * std::exp(z)) : std::log1p(rate * std::expm1(z));
    }
    return z + std::log(rate + (1 - rate) * std::exp(-z));
  }
  // -infinity: the loss is larger everywhere.
  double inverse(double l) const {
    if (rate == 1) return l / mu + mu / 2;
    if (rate > .5 && l < 0) {
      const double odds = std::exp(l) - (1 - rate);
      return odds > 0 ? std::log(odds / rate) / mu + mu / 2 : -kInfinity;
    }
    const double excess = std::expm1(l) / rate;  // e^z - 1
    if (!(excess > -1)) return -kInfinity;
    const double z =
        l > 40 ? l + std::log1p((rate - 1) * std::exp(-l)) - std::log(rate) : std::log1p(excess);
    return z / mu + mu / 2;
  }
};

// The loss of a replaced record, log of (1 - q + q e^z(x)) / (1 - q + q e^z(-x)). Of the two logs
// the second is small where the first is not.
struct ReplacedLoss {
  SubsampledLoss one;

  double at(double x) const { return one.rate == 1 ? 2 * one.mu * x : one.at(x) - one.at(-x); }
  // A quadratic equation for e^(mu x), solved so that nothing cancels.
  double inverse(double l) const {
    const double log_odds = std::log((1 - one.rate) / one.rate) + one.mu * one.mu / 2;
    return (l / 2 + std::copysign(arsinh_of_product(log_odds, std::fabs(l) / 2), l)) / one.mu;
  }

 private:
  // arsinh(e^a sinh b), b >= 0
  static double arsinh_of_product(double a, double b) {
    if (b == 0) return 0;
    const double log_sinh = b < 30 ? std::log(std::sinh(b)) : b - std::numbers::ln2;
    const double log_product = a + log_sinh;
    return log_product > 40 ? log_product + std::numbers::ln2 : std::asinh(std::exp(log_product));
  }
};

// The distance beyond which a standard normal has at most this probability.
double normal_reach(double tail) {
  return std::sqrt(-2 * std::log(std::max(tail, kLeastTail)));
}

void check_subsampled(double rate, double mu, double step, double tail) {
  check_grid_step(step);
  check_parameter(rate > 0 && rate <= 1, "sampling rate", rate, "above 0 and at most 1");
  check_parameter(mu > 0 && mu <= kMostShift, "mu", mu, "above 0 and at most 64");
  check_parameter(tail > 0 && tail < 1, "tail", tail, "between 0 and 1, both excluded");
}

// The losses of one real variable x, in which the loss increases. density(x), P's, is at most that
// of N(0,1) or of N(shift,1), or a mixture of these, where N(0,1) has no part if not `wide`.
template <class Density, class Loss, class Inverse>
LossDistribution loss_between(double shift, bool wide, double mu, double step, double tail,
                              Density density, Loss loss, Inverse inverse) {
  const double reach = normal_reach(tail);
  const double from = (wide ? 0 : shift) - reach, to = shift + reach;
  check_parameter((loss(to) - loss(from)) / step <= kMostCells, "range of losses", loss(to),
                  "at most 2^26 grid steps");
  const auto index = [&](double l) { return static_cast<std::int64_t>(std::floor(l / step)); };
  Grid grid(step, index(loss(from)), index(loss(to)) + 2);
  // What is left of `from` has at most the loss there; what is right of `to` counts as infinite.
  const double beyond = upper_tail(reach) * kMassMargin;
  grid.add(index(loss(from)), beyond, 1);
  grid.add_infinite(beyond);
  // Narrow enough for the densities and for the loss's bend.
  const double widest = std::min(1. / 128, 1 / (16 + 8 * mu));
  add_panels(grid, step, from, to, widest, density, loss, inverse);
  return std::move(grid).finish();
}

}  // namespace

void check_grid_step(double step) {
  int exponent = 0;
  check_parameter(step >= 0x1p-36 && step <= 1 && std::frexp(step, &exponent) == .5, "grid step",
                  step, "a power of two between 2^-36 and 1");
}

LossDistribution loss_of_subsampled_gaussian(double rate, double mu, Direction direction,
                                             double step, double tail) {
  check_subsampled(rate, mu, step, tail);
  const SubsampledLoss pair{std::max(rate, kLeastRate), mu};  // a larger rate shows more
  if (direction == Direction::with_record) {
    return loss_between(
        mu, rate < 1, mu, step, tail, [&](double x) { return pair.density(x); },
        [&](double x) { return pair.at(x); }, [&](double l) { return pair.inverse(l); });
  }
  // The loss increases in the mirrored x.
  return loss_between(
      0, true, mu, step, tail, normal_density, [&](double x) { return -pair.at(-x); },
      [&](double l) {
        const double x = pair.inverse(-l);
        return x == -kInfinity ? kInfinity : -x;
      });
}

LossDistribution loss_of_replaced_gaussian(double rate, double mu, double step, double tail) {
  check_subsampled(rate, mu, step, tail);
  const ReplacedLoss pair{{std::max(rate, kLeastRate), mu}};
  return loss_between(
      mu, rate < 1, mu, step, tail, [&](double x) { return pair.one.density(x); },
      [&](double x) { return pair.at(x); }, [&](double l) { return pair.inverse(l); });
}

LossDistribution loss_of_guarantee(double epsilon, double delta, double step) {
  check_grid_step(step);
  check_parameter(epsilon >= 0 && epsilon / step <= kMostCells, "epsilon", epsilon,
                  "0 to 2^26 grid steps");
  check_parameter(delta >= 0 && delta <= 1, "delta", delta, "0 to 1");
  const double cells = std::floor(epsilon / step);
  const auto cell = static_cast<std::int64_t>(cells);
  Grid grid(step, -cell - 1, cell + 2);
  const double truthful = (1 - delta) / (1 + std::exp(-epsilon));
  grid.add(cell, truthful, share_above(epsilon - cells * step, step));
  grid.add(-cell - 1, truthful * std::exp(-epsilon),
           share_above((cells + 1) * step - epsilon, step));
  grid.add_infinite(delta);
  return std::move(grid).finish();
}

LossDistribution loss_of_geometric(double epsilon, double steps, double step) {
  check_grid_step(step);
  check_parameter(epsilon > 0 && epsilon / step <= kMostCells, "epsilon", epsilon,
                  "above 0, to 2^26 grid steps");
  check_parameter(steps >= 1 && steps <= 0x1p53 && steps == std::floor(steps),
                  "number of lattice steps", steps, "an integer, 1 to 2^53");
  const double rate = epsilon / steps, ratio = std::exp(-rate);
  const double top = std::floor(epsilon / step);
  Grid grid(step, static_cast<std::int64_t>(-top) - 2, static_cast<std::int64_t>(top) + 2);
  const auto add = [&](double loss, double p) {  // all of p at one loss
    const double cell = std::floor(loss / step);
    grid.add(static_cast<std::int64_t>(cell), p, share_above(loss - cell * step, step));
  };
  add(epsilon, 1 / (1 + ratio));                    // k <= 0
  add(-epsilon, std::exp(-epsilon) / (1 + ratio));  // k >= steps
  // 0 < k < steps: loss epsilon - 2 k rate. All k of a cell together.
  const double point = -std::expm1(-rate) / (1 + ratio);
  for (double k = 1; k < steps;) {
    const double loss = epsilon - 2 * k * rate;
    const double cell = std::floor(loss / step);
    const double last =
        std::min(steps - 1, std::max(k, std::floor((epsilon - cell * step) / (2 * rate))));
    const double count = last - k + 1;
    const double spread = std::expm1(-rate * count) / std::expm1(-rate);
    const double p = point * std::exp(-rate * k) * spread;
    // Q's masses, point e^{-epsilon + rate j}, sum to p e^{-epsilon + rate (k + last)}.
    const double mean_loss = epsilon - rate * (k + last);
    grid.add(static_cast<std::int64_t>(cell), p, share_above(mean_loss - cell * step, step));
    k = last + 1;
    poll();
  }
  return std::move(grid).finish();
}

}  // namespace dpmix
