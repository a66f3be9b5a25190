#include "core/regression/coordinate_fit.hpp"

#include <algorithm>
#include <cmath>

namespace dpmix {
namespace {

constexpr double resolution = static_cast<double>(MomentFrame::max_resolution);
constexpr double columns_radius = 16;  // above any row's norm: sqrt(most_columns + 1)
constexpr double columns_steps = resolution / columns_radius;  // lattice steps in 1
constexpr double largest_step = 2;                             // of scores, on average over rows
constexpr double least_clip = 3;                               // deviations of a column
constexpr double least_variance = 1e-4;

double soft_threshold(double b, double by) {
  return b > by ? b - by : b < -by ? b + by : 0;
}

}  // namespace

MomentFrame column_frame(const Design& design) {
  static_assert(columns_radius * columns_radius >= Design::most_columns + 1);
  MomentFrame frame = design.frame(1);
  frame.classes[0].radius = columns_radius;
  return frame;
}

ColumnMoments noisy_columns(RandomStream& random, const MomentTotals::Class* exact,
                            const CoordinatePlan& plan) {
  const auto number = [&](Int128 sum, double sensitivity) {
    return plan.exact_moments ? to_double(sum) : noisy_number(random, plan, sum, sensitivity);
  };
  // A number from -1 to 1 moves its sum by so much at most: more where it stands in for another.
  const double sides = plan.twice ? 2 : 1;
  ColumnMoments moments;
  moments.rows = number(exact != nullptr ? exact->count : 0, 1);
  std::size_t square = 0;  // in the upper triangle, which the target is in, too
  for (int j = 0; j < plan.columns; ++j) {
    const auto n = static_cast<std::size_t>(j);
    const Int128 sum = exact != nullptr ? exact->sums[n] : 0;
    const Int128 squares = exact != nullptr ? exact->products[square] : 0;
    moments.sums.push_back(number(sum, columns_steps * sides) / columns_steps);
    moments.squares.push_back(number(squares, columns_steps * columns_steps) /
                              (columns_steps * columns_steps));
    square += static_cast<std::size_t>(plan.columns + 1 - j);
  }
  return moments;
}

CoordinateFit::CoordinateFit(const ColumnMoments& moments, const CoordinatePlan& plan)
    : plan_(plan), rows_(std::max(moments.rows, 1.)) {
  const auto p = static_cast<std::size_t>(plan.columns) + 1;
  centre_.assign(p, 0);
  variance_.assign(p, 1);
  radius_.assign(p, 1);
  at_.assign(p, 0);
  mean_.assign(p, 0);
  // What the noise of the moments hides of a variance, and how far clipping is of use.
  const double deviation = plan.count_stddev() / rows_;
  const double noise = std::sqrt(variance(plan.unit)) * (plan.twice ? 2 : 1);
  const double clip = std::max(least_clip, .15 * std::sqrt(rows_) / noise);
  for (std::size_t j = 1; j < p; ++j) {
    const double centre = std::clamp(moments.sums[j - 1] / rows_, -1., 1.);
    const double seen = moments.squares[j - 1] / rows_ - centre * centre;
    centre_[j] = centre;
    variance_[j] = std::clamp(seen, std::min(std::max(least_variance, 2 * deviation), 1.), 1.);
    radius_[j] = std::min(1 + std::fabs(centre), clip * std::sqrt(variance_[j]));
  }
}

double CoordinateFit::intercept() const {
  double intercept = at_[0];
  for (std::size_t j = 1; j < at_.size(); ++j) intercept -= at_[j] * centre_[j];
  return intercept;
}

LogisticFrame CoordinateFit::frame() const {
  const std::size_t p = at_.size(), j = static_cast<std::size_t>(coordinate());
  LogisticFrame frame;
  frame.seen.features = static_cast<int>(p);
  frame.seen.diagonal = true;
  frame.seen.lower.assign(p, -1);
  frame.seen.upper.assign(p, 1);
  MomentFrame::Class seen{radius_[j], std::vector<double>(p, 0), std::vector<double>(p, 0)};
  seen.centre[j] = centre_[j];
  seen.whitening[j] = 1;
  frame.seen.classes.push_back(seen);
  const auto units = [](double b) {
    return std::clamp(std::nearbyint(b / LogisticFrame::unit), -LogisticFrame::most_units,
                      LogisticFrame::most_units);
  };
  for (const double b : at_) frame.coefficients.push_back(units(b));
  frame.coefficients[0] = units(intercept());
  frame.check();
  return frame;
}

void CoordinateFit::step(double slope) {
  const auto j = static_cast<std::size_t>(coordinate());
  const double curvature = rows_ / 4 * variance_[j];
  const double limit = largest_step / std::sqrt(variance_[j]);
  const double move = -slope * (radius_[j] / resolution) / curvature;
  double b = at_[j] + std::clamp(move, -limit, limit);
  if (j > 0) {  // the penalties' proximal map
    b = soft_threshold(b, rows_ * plan_.settings.l1 / curvature) /
        (1 + rows_ * plan_.settings.l2 / curvature);
  }
  at_[j] = b;
  ++update_;
  const std::int64_t pass = (update_ - 1) / (plan_.columns + 1), first = plan_.settings.passes / 2;
  if (pass >= first) mean_[j] += b / static_cast<double>(plan_.settings.passes - first);
}

LinearFit CoordinateFit::result() const {
  CoordinateFit last = *this;
  // Means are less noisy, but hardly ever 0.
  if (plan_.settings.l1 == 0) last.at_ = mean_;
  LinearFit fit;
  fit.rows = rows_;
  fit.ridge = 1;
  fit.coefficients = Eigen::Map<const Vector>(last.at_.data(), std::ssize(last.at_));
  fit.coefficients[0] = last.intercept();
  return fit;
}

}  // namespace dpmix
