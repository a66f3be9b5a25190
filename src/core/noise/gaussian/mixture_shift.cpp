#include "core/noise/gaussian/mixture_shift.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "core/base/poll.hpp"
#include "core/noise/gaussian/line_bounds.hpp"

namespace dpmix {
namespace {

class Scan {
 public:
  Scan(const UnitMixture& law, double epsilon, double shift, double tolerance)
      : law_(law), epsilon_(epsilon), shift_(shift) {
    const double s = law.scale();
    log_floor_ = std::max(std::log(tolerance) - 14 - std::log(law.components()), -730.0);
    precision_ = 1 / (s * s);
    // From s = 1 on, f is log-concave but for a ripple that this bounds.
    least_slope_ = s >= 1 ? -80 * shift * std::exp(-2 * std::numbers::pi * std::numbers::pi * s * s)
                          : -HUGE_VAL;
    step_ = std::exp2(std::floor(std::log2(std::max(0.5, 0.5 * s))));
    reach_ = step_ * std::ceil((law.components() + 1 + s * std::sqrt(-2 * log_floor_)) / step_);
    bulk_ = law.bulk();
    cell_tolerance_ = tolerance / (16 * (2 * (law.components() - bulk_.units) + 5));
    quantum_ = std::ldexp(1.0, -finest_level(law));
    shift_ = quantum_ * std::nearbyint(shift / quantum_);
    budget_ = 100'000 + 400L * law.components();
  }

  HockeyStick run() {
    if (bulk_.units == 0) {
      scan(-reach_, reach_, 1);
    } else {
      const int a = bulk_.from, b = bulk_.from + bulk_.units;
      scan(-reach_, -b - 1, 1);
      scan(-a - 2, -a - 1, bulk_.sum);
      scan(-a - 1, a, 1);
      scan(a, a + 1, bulk_.sum);
      scan(b, reach_, 1);
    }
    // What lies beyond the reach, and in components left out of the masses of the regions.
    const double outside = (2 + regions_ * (2.0 * law_.components() + 1)) * std::exp(log_floor_);
    const double sum_error = 0x1p-39 * (undecided_ + gains_);
    const double upper = upper_ + undecided_ + outside + sum_error;
    // Written so that a NaN, were there one, would count as 1.
    return {std::max(0.0, lower_ - outside - sum_error), std::max(0.0, value_),
            upper <= 1 ? std::max(0.0, upper) : 1};
  }

 private:
  // excess = log f(z) - log f(z + shift) - epsilon.
  struct Node {
    double z;
    Approximate excess;
    double log_density;       // at z, rounded up
    Approximate here, there;  // posterior means at z and z + shift
  };

  void scan(double from, double to, double copies) {
    copies_ = copies;
    Node left = node(from);
    while (left.z < to) {
      const Node right = node(left.z + step_);
      visit(left, right);
      left = right;
    }
    close(to);
  }

  Node node(double z) {
    poll();
    ++nodes_;
    const UnitMixture::Point here = law_.at(z), there = law_.at(z + shift_);
    const double excess = here.log_density.value - there.log_density.value - epsilon_;
    const double error = here.log_density.error + there.log_density.error +
                         0x1p-51 * (std::fabs(here.log_density.value) +
                                    std::fabs(there.log_density.value) + std::fabs(epsilon_)) +
                         0x1p-60;  // from one unit of the bulk to another
    return {z, {excess, error}, here.log_density.high(), here.mean, there.mean};
  }

  // The excess has the slope (shift + E(k|z) - E(k|z + shift)) / scale^2, and means never decrease.
  Slopes slope(const Node& a, const Node& b) const {
    const double low = shift_ + a.here.low() - b.there.high();
    const double high = std::min(shift_, shift_ + b.here.high() - a.there.low());
    const double slack = 0x1p-47 * (law_.components() + 1);
    return {std::max((low - slack) * precision_, least_slope_), (high + slack) * precision_};
  }

  // P(Z in the cell) at most.
  double mass_bound(const Node& a, const Node& b) const {
    const double width = b.z - a.z;
    const Slopes slope{(a.here.low() - b.z) * precision_ * (1 + 0x1p-45),
                       (b.here.high() - a.z) * precision_ * (1 + 0x1p-45)};
    const double top = highest(a.log_density, b.log_density, slope, width);
    return 1.0001 * width * std::exp(top + law_.log_norm());
  }

  // Settles [left, right] from the left to the right, cutting what cannot be settled as a whole.
  void visit(Node left, const Node& right) {
    pending_.assign(1, right);
    while (!pending_.empty()) {
      const Node& next = pending_.back();
      if (const double cut = settle(left, next); cut > left.z) {
        pending_.push_back(node(cut));
      } else {
        left = next;
        pending_.pop_back();
      }
    }
  }

  // Counts the cell [a.z, b.z], or says where to cut it: inside. a.z: it is counted.
  double settle(const Node& a, const Node& b) {
    const double width = b.z - a.z;
    const Slopes slopes = slope(a, b);
    const double top = highest(a.excess.high(), b.excess.high(), slopes, width);
    if (top <= 0) {
      close(a.z);
      return a.z;
    }
    if (lowest(a.excess.low(), b.excess.low(), slopes, width) >= 0) {
      open(a.z);
      return a.z;
    }
    // On the cell (f - e^epsilon f(.+shift))_+ <= f (1 - e^-top).
    const double overcount = copies_ * mass_bound(a, b) * -std::expm1(-top) * 1.0001;
    // No cut helps where the excess is rounding alone.
    const bool resolved =
        overcount <= cell_tolerance_ || top <= 4 * std::max(a.excess.error, b.excess.error);
    const double cut = resolved ? a.z : split(a, b);
    if (cut > a.z && cut < b.z && nodes_ < budget_) return cut;
    undecided_ += overcount;
    close(a.z);
    return a.z;
  }

  // Where to cut: the middle when the signs agree.
  double split(const Node& a, const Node& b) const {
    const double width = b.z - a.z;
    double t = 0.5 * width;
    // Secants that keep cutting off a sliver would pile up cells.
    constexpr std::size_t kMostSecants = 64;
    if ((a.excess.value > 0) != (b.excess.value > 0) && pending_.size() < kMostSecants) {
      t = beyond_secant(a.excess.value, b.excess.value, width);
    }
    return quantum_ * std::nearbyint((a.z + t) / quantum_);
  }

  void open(double z) {
    if (!is_open_) region_start_ = z;
    is_open_ = true;
  }
  void close(double z) {
    if (!is_open_) return;
    is_open_ = false;
    const Approximate gain = law_.mass(region_start_, z, 0, log_floor_);
    const Approximate loss = law_.mass(region_start_ + shift_, z + shift_, epsilon_, log_floor_);
    regions_ += copies_;
    gains_ += copies_ * gain.high();
    value_ += copies_ * (gain.value - loss.value);
    lower_ += copies_ * (gain.low() - loss.high());
    // An overflow of the loss proves nothing about it.
    upper_ += copies_ * (gain.high() - (std::isfinite(loss.low()) ? std::max(0.0, loss.low()) : 0));
  }

  const UnitMixture& law_;
  double epsilon_, shift_;
  double log_floor_, cell_tolerance_, precision_, least_slope_;
  double step_, reach_, quantum_;  // positions are multiples of the quantum: z + shift is exact
  UnitMixture::Bulk bulk_;         // one unit tells of all
  double copies_ = 1;              // what is scanned now stands for so many
  long nodes_ = 0, budget_ = 0;
  std::vector<Node> pending_;  // right ends of cells not settled yet, the nearest last
  bool is_open_ = false;
  double region_start_ = 0;
  // Sums over the regions proved positive, and what the other cells may add.
  double lower_ = 0, value_ = 0, upper_ = 0, gains_ = 0, undecided_ = 0;
  double regions_ = 0;
};

}  // namespace

int finest_level(const UnitMixture& law) {
  // 40 scales, because no tail beyond 39 is a normal double.
  return 50 - std::ilogb(law.components() + 2 + 40 * law.scale());
}

HockeyStick hockey_stick(const UnitMixture& law, double epsilon, double shift, double tolerance) {
  if (shift == 0) {
    const double exact = std::max(0.0, -std::expm1(epsilon));
    return {exact * (1 - 0x1p-50), exact, exact * (1 + 0x1p-50)};
  }
  return Scan(law, epsilon, shift, tolerance).run();
}

}  // namespace dpmix
