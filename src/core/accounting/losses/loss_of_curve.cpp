#include "core/accounting/losses/loss_of_curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/poll.hpp"
#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

constexpr double kMostLoss = 512;  // e^-loss stays a double
constexpr std::int64_t kMostIndex = std::int64_t{1} << 22;
// Covers each chain of roundings below, a handful each.
constexpr double kUp = 1 + 0x1p-48, kDown = 1 - 0x1p-48;
// Added wherever a product may underflow.
constexpr double kLeastMass = std::numeric_limits<double>::min();

// The chord between the points a and b of a curve, as a function of e^epsilon, at an index between.
double chord(const CurvePoint& a, const CurvePoint& b, std::int64_t at, double step) {
  const double come = static_cast<double>(at - a.index) * step;
  const double whole = static_cast<double>(b.index - a.index) * step;
  const double share = std::exp(come - whole) * std::expm1(-come) / std::expm1(-whole);
  return a.delta - share * (a.delta - b.delta);
}

// Hardly falls from one to the other.
bool is_flat(const CurvePoint& from, const CurvePoint& to) {
  return to.delta >= from.delta * (1 - 1e-6);
}

// Leaves the corners of the greatest convex curve below the points, as a function of e^epsilon and
// together with its mirror image below epsilon = 0. Every choice of points gives a bound, so
// nothing here has to be exact; but mirrored chords are bounds of their own.
void leave_corners(std::vector<CurvePoint>& points, double step) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    points[i].delta = std::min(points[i].delta, points[i - 1].delta);  // delta never increases
    const double width = std::expm1(static_cast<double>(points[i].index) * step);
    const double mirrored = (width + 2 * points[i].delta) / (width + 2);
    points[0].delta = std::min(points[0].delta, mirrored * kUp);
  }
  std::vector<CurvePoint> corners;
  for (const CurvePoint& point : points) {
    while (corners.size() > 1 && corners.back().delta >= chord(corners[corners.size() - 2], point,
                                                               corners.back().index, step)) {
      corners.pop_back();
    }
    corners.push_back(point);
  }
  while (corners.size() > 1 && is_flat(corners[corners.size() - 2], corners.back())) {
    corners.pop_back();
  }
  points = std::move(corners);
}

// Where a curve is looked at.
class CurveSearch {
 public:
  CurveSearch(const std::function<double(double)>& delta_bound, double step, double tail)
      : delta_bound_(delta_bound), step_(step), tail_(tail) {}

  std::vector<CurvePoint> run() {
    const auto last =
        static_cast<std::int64_t>(std::min(kMostLoss / step_, static_cast<double>(kMostIndex)));
    points_.push_back(at(0));
    // Steps that double: close to 0 most is to be seen, far out the curve may be flat for long.
    std::int64_t next = 1;
    while (static_cast<double>(next) * step_ < 0x1p-6) next *= 2;
    for (; points_.back().delta > tail_ && points_.back().index < last; next *= 2) {
      const CurvePoint from = points_.back(), to = at(std::min(next, last));
      if (!is_flat(from, to)) refine(from, to);
      points_.push_back(to);
    }
    return std::move(points_);
  }

 private:
  // A chord may lie above the curve by this share: the more, the rarer the losses are.
  static double spare(double delta) { return 5e-5 - 3e-5 * std::log(std::max(delta, 1e-300)); }
  static constexpr double kWide = 1;  // of an interval, in epsilon: chords bend with e^epsilon
  static constexpr std::int64_t kMostPoints = 1 << 14;

  CurvePoint at(std::int64_t index) {
    poll();
    const double delta = delta_bound_(static_cast<double>(index) * step_);
    return {index, std::min(1.0, delta)};
  }

  void refine(const CurvePoint& a, const CurvePoint& b) {
    if (b.index - a.index < 2 || std::ssize(points_) >= kMostPoints) return;
    const double width = static_cast<double>(b.index - a.index) * step_;
    const CurvePoint middle = at(a.index + (b.index - a.index) / 2);
    // The chord of a convex curve is nowhere more than twice as far above it as in its middle.
    const double above = chord(a, b, middle.index, step_) - middle.delta;
    const bool close = above <= spare(middle.delta) * middle.delta;
    const bool go_on = !close || width > kWide;
    if (go_on) refine(a, middle);
    points_.push_back(middle);
    if (go_on) refine(middle, b);
  }

  const std::function<double(double)>& delta_bound_;
  double step_, tail_;
  std::vector<CurvePoint> points_;
};

}  // namespace

LossDistribution loss_of_curve(std::vector<CurvePoint> points, double step) {
  check_grid_step(step);
  const double last = points.empty() ? -1 : static_cast<double>(points.back().index);
  check_parameter(last >= 0 && last <= static_cast<double>(kMostIndex) &&
                      last * step <= kMostLoss && points.front().index == 0,
                  "range of a privacy curve", last * step, "0 to 512 and at most 2^22 grid steps");
  for (std::size_t i = 0; i < points.size(); ++i) {
    check_parameter(points[i].delta >= 0 && points[i].delta <= 1, "delta of a privacy curve",
                    points[i].delta, "0 to 1");
    check_parameter(i == 0 || points[i].index > points[i - 1].index, "index on a privacy curve",
                    static_cast<double>(points[i].index), "above the one before it");
  }
  leave_corners(points, step);
  const std::int64_t reach = points.back().index;
  LossDistribution loss{step, -reach, std::vector<double>(static_cast<std::size_t>(2 * reach + 1)),
                        points.back().delta};
  // P's mass at a corner: what is above it, going by the chord on its left, less what is beyond it,
  // going by the chord on its right. At -l the mass is Q's at l.
  double before = (1 - points[0].delta) * kUp;
  for (std::size_t i = 0; i < points.size(); ++i) {
    double beyond = 0, next_before = 0;
    if (i + 1 < points.size()) {
      const double gap = static_cast<double>(points[i + 1].index - points[i].index) * step;
      const double drop = points[i].delta - points[i + 1].delta;
      beyond = drop / std::expm1(gap) * kDown;
      next_before = drop / -std::expm1(-gap) * kUp;
    }
    if (i == 0) beyond *= 2;
    const double mass = std::max(0.0, before - beyond) + kLeastMass;
    const std::int64_t index = points[i].index;
    loss.mass[static_cast<std::size_t>(reach + index)] = mass;
    if (index > 0) {
      const double mirrored = std::exp(-static_cast<double>(index) * step) * mass * kUp;
      loss.mass[static_cast<std::size_t>(reach - index)] = mirrored + kLeastMass;
    }
    before = next_before;
  }
  return loss;
}

LossDistribution loss_of_curve(const std::function<double(double)>& delta_bound, double step,
                               double tail) {
  check_grid_step(step);
  check_parameter(tail > 0 && tail < 1, "tail", tail, "between 0 and 1, both excluded");
  return loss_of_curve(CurveSearch(delta_bound, step, tail).run(), step);
}

LossDistribution loss_of_both_orders(const LossDistribution& one) {
  const std::int64_t reach =
      std::max<std::int64_t>(one.first + static_cast<std::int64_t>(one.mass.size()) - 1, 0);
  LossDistribution loss{one.step, -reach,
                        std::vector<double>(static_cast<std::size_t>(2 * reach + 1)), one.infinite};
  double others = one.infinite;  // all mass but that at 0
  for (std::int64_t index = reach; index > std::max<std::int64_t>(0, one.first - 1); --index) {
    const double mass = one.mass[static_cast<std::size_t>(index - one.first)];
    if (mass == 0) continue;
    const double mirrored = std::exp(-static_cast<double>(index) * one.step) * mass;
    others += mass + mirrored;
    loss.mass[static_cast<std::size_t>(reach + index)] = mass;
    loss.mass[static_cast<std::size_t>(reach - index)] = mirrored * kUp + kLeastMass;
  }
  const double error = static_cast<double>(reach + 8) * 0x1p-50 * others;
  loss.mass[static_cast<std::size_t>(reach)] = std::max(0.0, 1 - others + error) * kUp;
  return loss;
}

}  // namespace dpmix
