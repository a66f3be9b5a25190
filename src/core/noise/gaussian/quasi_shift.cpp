#include "core/noise/gaussian/quasi_shift.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/base/poll.hpp"
#include "core/noise/gaussian/line_bounds.hpp"
#include "core/noise/gaussian/quasi_log_density.hpp"

namespace dpmix {
namespace {

constexpr int kMostNodes = 20'000, kMostDepth = 200;

// An integral, and how far the truth may be from it.
struct Mass {
  double value = 0, error = 0;
};

class Scan {
 public:
  Scan(const QuasiGaussian& law, double epsilon, double shift, double tolerance)
      : log_(law), epsilon_(epsilon), shift_(shift), tolerance_(tolerance) {
    // Beyond: less than e^-10 times the tolerance.
    const double deviations = std::sqrt(std::max(0.0, -2 * std::log(tolerance)) + 20);
    reach_ = 1 + law.scale * std::min(deviations, 39.0);
  }

  HockeyStick run() {
    Node left = node(-reach_);
    for (const double z : cuts()) {
      if (z <= left.z) continue;
      const Node right = node(z);
      visit(left, right, kMostDepth, false);
      left = right;
    }
    close(reach_);
    const double outside = 2.01 * upper_tail((reach_ - 1) / log_.scale() * (1 - 0x1p-48));
    const double slack = outside + 0x1p-40 * (undecided_ + gains_) + QuasiLog::kTiny;
    const double upper = gains_ - losses_ + errors_ + undecided_ + slack;
    // Written so that a NaN, were there one, would count as 1.
    const double lower = lost_ ? 0 : gains_ - losses_ - errors_ - slack;
    return {std::max(0.0, lower), std::max(0.0, gains_ - losses_),
            upper <= 1 ? std::max(0.0, upper) : 1};
  }

 private:
  // The mean m(z) = sign(z) p(|z|) of the centre given Z = z: (log f)' = (m(z) - z)/s^2. It never
  // decreases, and jumps upwards at 0. As an integer and rests, on both sides of z.
  struct Mean {
    int whole;
    double left, right, error;
  };
  // excess = log f(z) - log f(z + shift) - epsilon.
  struct Node {
    double z, excess, error;
    double log_density;
    Mean here, there;
  };

  static Mean mean(double z, const QuasiLog::Point& point) {
    const double error = std::fabs(point.rest) * point.relative + QuasiLog::kTiny;
    if (z < 0) return {-point.centre, -point.rest, -point.rest, error};
    return {point.centre, z > 0 ? point.rest : -point.rest, point.rest, error};
  }

  Node node(double z) {
    ++nodes_;
    const double moved = z + shift_;  // has the right sign, as every rounding of a sum
    const QuasiLog::Point here = log_.at(std::fabs(z)), there = log_.at(std::fabs(moved));
    // |z + shift| -/+ |z| are +-shift and the sum of both, or the other way round.
    const double sum = 2 * z + shift_;
    const QuasiLog::Fall fall = z < 0 && moved >= 0
                                    ? log_.fall(here, there, shift_, sum, true, epsilon_)
                                : z < 0 ? log_.fall(here, there, -shift_, -sum, false, epsilon_)
                                        : log_.fall(here, there, shift_, sum, false, epsilon_);
    return {z, fall.value, fall.error, log_.log_density(here), mean(z, here), mean(moved, there)};
  }

  // The ends of the first cells: kinks, and where the shares of the components change.
  std::array<double, 7> cuts() const {
    const double s = log_.scale();
    const double even = 0.5 + s * s * log_.weight_epsilon();
    std::array<double, 7> cuts = {-even - shift_, -even, -shift_, 0, even - shift_, even, reach_};
    for (double& cut : cuts) cut = std::clamp(cut, -reach_, reach_);
    std::sort(cuts.begin(), cuts.end());
    return cuts;
  }

  // (offset + m(p) - m(q)) / s^2, from m(p) = whole + part.
  double scaled(double offset, const Mean& p, double part_p, const Mean& q, double part_q,
                int direction) const {
    const double whole = offset + (p.whole - q.whole), parts = part_p - part_q;
    const double error = p.error + q.error + 0x1p-47 * (std::fabs(whole) + std::fabs(parts));
    return (whole + parts + direction * error) * log_.precision();
  }

  // The slope of the excess: (shift + m(z) - m(z + shift)) / s^2, and m never decreases.
  Slopes slope(const Node& a, const Node& b) const {
    return {scaled(shift_, a.here, a.here.right, b.there, b.there.left, -1),
            scaled(shift_, b.here, b.here.left, a.there, a.there.right, 1)};
  }

  // P(Z in the cell) at most.
  double mass_bound(const Node& a, const Node& b) const {
    static constexpr Mean none{0, 0, 0, 0};
    const double width = b.z - a.z;
    const Slopes slope{scaled(-b.z, a.here, a.here.right, none, 0, -1),
                       scaled(-a.z, b.here, b.here.left, none, 0, 1)};
    const double top = highest(a.log_density, b.log_density, slope, width);
    return std::min(1.0, 1.001 * width * std::exp(top));
  }

  // halve: the cell is the larger part of one that was cut at a secant, which may be slow.
  void visit(const Node& a, const Node& b, int depth, bool halve) {
    const double width = b.z - a.z;
    const Slopes slopes = slope(a, b);
    const double top = highest(a.excess + a.error, b.excess + b.error, slopes, width);
    if (top <= 0) return close(a.z);
    if (lowest(a.excess - a.error, b.excess - b.error, slopes, width) >= 0) return open(a.z);

    // On the cell (f - e^epsilon f(. + shift))_+ <= f (1 - e^-top).
    const double overcount = mass_bound(a, b) * -std::expm1(-top) * 1.0001;
    // No cut helps where the excess is rounding alone, at both ends.
    const double noise = 4 * std::max(a.error, b.error);
    const bool resolved =
        overcount <= tolerance_ / 16 ||
        (top <= noise && std::max(std::fabs(a.excess), std::fabs(b.excess)) <= noise);
    const double middle = resolved ? a.z : halve ? a.z + 0.5 * width : split(a, b);
    if (middle <= a.z || middle >= b.z || nodes_ >= kMostNodes || depth == 0) {
      undecided_ += overcount;
      return close(a.z);
    }
    const Node between = node(middle);
    const bool left_is_larger = middle - a.z > 0.5 * width;
    visit(a, between, depth - 1, left_is_larger);
    visit(between, b, depth - 1, !left_is_larger);
  }

  // Where to cut: the middle when the signs agree.
  static double split(const Node& a, const Node& b) {
    const double width = b.z - a.z;
    const bool signs_differ = (a.excess > 0) != (b.excess > 0);
    return a.z + (signs_differ ? beyond_secant(a.excess, b.excess, width) : 0.5 * width);
  }

  void open(double z) {
    if (!is_open_) region_start_ = z;
    is_open_ = true;
  }
  void close(double z) {
    if (!is_open_) return;
    is_open_ = false;
    // In y = |z| the components of f have the centres 0 and 1; those of f(. + shift) by the signs
    // of z and z + shift.
    add_part(std::max(region_start_, 0.0), z, {-shift_, 1 - shift_});
    add_part(std::max(-z, 0.0), std::min(-region_start_, shift_), {shift_, shift_ - 1});
    add_part(std::max(-z, shift_), -region_start_, {shift_, shift_ + 1});
  }

  // Adds int_from^to of f - e^epsilon f(. + shift), with y as variable. Where components of both
  // coincide, at full shift, their difference is taken first: they may cancel to all digits.
  void add_part(double from, double to, std::array<double, 2> shifted) {
    if (from >= to) return;
    std::array<bool, 2> merged = {false, false};
    for (const int centre : {0, 1}) {
      double log_weight = log_.log_weight(centre);
      int sign = 1;
      for (const int other : {0, 1}) {
        if (shift_ != 1 || shifted[other] != centre) continue;
        merged[other] = true;
        const double log_ratio = epsilon_ - log_.weight_epsilon() * (other - centre);
        sign = log_ratio < 0 ? 1 : -1;
        log_weight += log_distance_from_one(log_ratio);
      }
      add_component(sign, log_weight, centre, from, to);
    }
    for (const int other : {0, 1}) {
      if (merged[other]) continue;
      add_component(-1, log_.log_weight(other) + epsilon_, shifted[other], from, to);
    }
  }

  // log |1 - e^x|
  static double log_distance_from_one(double x) {
    return x > 0 ? x + std::log(-std::expm1(-x)) : std::log(-std::expm1(x));
  }

  void add_component(int sign, double log_weight, double centre, double a, double b) {
    if (log_weight == -HUGE_VAL) return;
    Mass mass;
    const double from = (a - centre) / log_.scale(), to = (b - centre) / log_.scale();
    const auto add = [&](int tail_sign, double log_tail, double y, double x) {
      const double value = std::exp(log_weight + log_tail);
      mass.value += tail_sign * value;
      mass.error += value * tail_error(log_weight, y, x) + QuasiLog::kTiny;
    };
    if (from >= 0) {
      add(1, log_upper_tail(from), from, a);
      add(-1, log_upper_tail(to), to, b);
    } else if (to <= 0) {
      add(1, log_upper_tail(-to), -to, b);
      add(-1, log_upper_tail(-from), -from, a);
    } else {
      add(1, 0, 0, 1);
      add(-1, log_upper_tail(-from), -from, a);
      add(-1, log_upper_tail(to), to, b);
    }
    if (sign < 0 && !std::isfinite(mass.error)) {
      lost_ = true;  // a loss that overflows is left out: it could only lower delta
      return;
    }
    (sign > 0 ? gains_ : losses_) += mass.value;
    errors_ += mass.error;
  }

  // The relative error of e^log_weight times a tail at y = |x - centre| / s.
  double tail_error(double log_weight, double y, double x) const {
    return 0x1p-48 * ((x + 1) / log_.scale() * (y + 1) + 16 + log_.weight_epsilon() +
                      std::fabs(epsilon_) + std::fabs(log_weight));
  }

  const QuasiLog log_;
  double epsilon_, shift_, tolerance_, reach_;
  int nodes_ = 0;
  bool is_open_ = false, lost_ = false;
  double region_start_ = 0;
  // Sums over the regions proved positive, and what the other cells may add.
  double gains_ = 0, losses_ = 0, errors_ = 0, undecided_ = 0;
};

// h on [0, 1], relative to h(0).
class Flatness {
 public:
  explicit Flatness(const QuasiGaussian& law) : log_(law), origin_(log_.at(0)) {}

  struct Node {
    QuasiLog::Point point;
    double value, error;
  };
  Node node(double x) const {
    const QuasiLog::Point point = log_.at(x);
    const QuasiLog::Fall fall = log_.fall(origin_, point, x, x, false, 0);
    return {point, -fall.value, fall.error};
  }

  // Is it within [low, high] between a and b, where its slope is (p - x)/s^2?
  bool within(const Node& a, const Node& b, double low, double high, int depth) const {
    const double width = b.point.x - a.point.x;
    const Slopes slope{(share(a.point) - b.point.x - share_error(a.point)) * log_.precision(),
                       (share(b.point) - a.point.x + share_error(b.point)) * log_.precision()};
    if (highest(a.value + a.error, b.value + b.error, slope, width) <= high &&
        lowest(a.value - a.error, b.value - b.error, slope, width) >= low) {
      return true;
    }
    if (depth == 0 || std::max(a.value, b.value) > high || std::min(a.value, b.value) < low) {
      return false;
    }
    const Node middle = node(a.point.x + 0.5 * width);
    return within(a, middle, low, high, depth - 1) && within(middle, b, low, high, depth - 1);
  }

 private:
  static double share(const QuasiLog::Point& point) { return point.centre + point.rest; }
  static double share_error(const QuasiLog::Point& point) {
    return std::fabs(point.rest) * point.relative + 0x1p-47;
  }

  const QuasiLog log_;
  const QuasiLog::Point origin_;
};

}  // namespace

HockeyStick quasi_stick(const QuasiGaussian& law, double epsilon, double shift, double tolerance) {
  poll();
  if (shift == 0) {
    const double exact = std::max(0.0, -std::expm1(epsilon));
    return {exact * (1 - 0x1p-50), exact, exact * (1 + 0x1p-50)};
  }
  return Scan(law, epsilon, shift, tolerance).run();
}

bool proved_flat(const QuasiGaussian& law, double most) {
  constexpr int kSamples = 128, kDepth = 9;
  const Flatness flatness(law);
  std::vector<Flatness::Node> nodes;
  double low = 0, high = 0;
  for (int i = 0; i <= kSamples; ++i) {
    nodes.push_back(flatness.node(i / static_cast<double>(kSamples)));
    low = std::min(low, nodes.back().value);
    high = std::max(high, nodes.back().value);
  }
  // What is left of `most` is shared by what the samples missed above and below.
  const double spare = (most - (high - low)) * (1 - 0x1p-48);
  if (!(spare >= 0)) return false;
  for (int i = 0; i < kSamples; ++i) {
    if (!flatness.within(nodes[i], nodes[i + 1], low - 0.499 * spare, high + 0.499 * spare,
                         kDepth)) {
      return false;
    }
  }
  return true;
}

}  // namespace dpmix
