#include "core/regression/coordinate_rows.hpp"

#include <algorithm>

#include "core/base/poll.hpp"

namespace dpmix {
namespace {

constexpr std::int64_t one = LogisticWeights::one;
constexpr double input_unit = 0x1p20;  // as LogisticPlacer sees z
constexpr std::size_t poll_rows = 1 << 16;

double inside(double x) {
  return std::clamp(x, -1., 1.);
}

}  // namespace

void CoordinateRows::add(const double* row) {
  for (std::size_t i = 0; i < z_.size(); ++i) z_[i].push_back(inside(row[i]));
  const double y = inside(row[z_.size()]);
  share_.push_back(static_cast<std::int32_t>((y + 1) * static_cast<double>(one / 2)));
  score_.push_back(0);
  coefficients_.assign(z_.size() + 1, 0);
}

void CoordinateRows::move_to(const std::vector<double>& coefficients) {
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    const auto move = static_cast<std::int64_t>(coefficients[i] - coefficients_[i]);
    if (move == 0) continue;
    for (std::size_t r = 0; r < score_.size(); ++r) {
      const double z = i == 0 ? 1 : z_[i - 1][r];
      score_[r] += move * static_cast<std::int64_t>(z * input_unit);
    }
  }
  coefficients_ = coefficients;
}

Int128 CoordinateRows::slope(const LogisticFrame& frame, int j) {
  if (score_.empty()) return 0;
  move_to(frame.coefficients);
  // The placement of this coordinate alone: others are 0, and add nothing to the norm.
  const auto at = static_cast<std::size_t>(j);
  const MomentFrame::Class& seen = frame.seen.classes[0];
  MomentFrame alone;
  alone.features = 1;
  alone.diagonal = true;
  alone.resolution = frame.seen.resolution;
  alone.lower = {frame.seen.lower[at]};
  alone.upper = {frame.seen.upper[at]};
  alone.classes = {{seen.radius, {seen.centre[at]}, {seen.whitening[at]}}};
  alone.check();
  std::vector<double> memory(FramePlacer::memory_size(alone) + 8);
  const FramePlacer placer(alone, memory.data());
  std::int32_t q[FramePlacer::max_row];
  double x[FramePlacer::max_row] = {};
  Int128 sum = 0;
  for (std::size_t r = 0; r < score_.size(); ++r) {
    if (r % poll_rows == 0) poll();
    x[0] = j == 0 ? 1 : z_[at - 1][r];
    if (!placer.place(0, x, q)) continue;
    const std::int64_t p = logistic_weights(static_cast<double>(score_[r])).probability;
    sum += q[0] * (p - share_[r]) / one;  // toward zero
  }
  return sum;
}

}  // namespace dpmix
