#include "core/query/shared_draws.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/query/shared_noise.hpp"
#include "core/random/normal_point.hpp"

namespace dpmix {

SharedDraws::SharedDraws(int rows, double deviation, std::vector<Part> parts)
    : rows_(rows), parts_(std::move(parts)) {
  std::vector<double> coefficients;
  for (const Part& part : parts_) coefficients.push_back(part.coefficient);
  rest_ = rest_deviation(deviation, coefficients);
  if (rest_ == 0) throw std::logic_error("a count of rows without noise of its own");
}

std::vector<Int128> SharedDraws::operator()(RandomStream& random) const {
  std::vector<NormalPoint> points;
  for (std::size_t i = 0; i <= parts_.size(); ++i) points.push_back(normal_point(random));
  std::vector<Int128> drawn;
  std::vector<NormalTerm> sum;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const NormalTerm alone = {parts_[i].deviation, &points[i]};
    drawn.push_back(rounded_sum(random, {&alone, 1}));
    sum.push_back({parts_[i].coefficient, &points[i]});
  }
  sum.push_back({rest_, &points.back()});
  drawn.push_back(rounded_sum(random, sum));
  return drawn;
}

std::vector<SharedDraws> shared_draws(std::span<const StatisticNoise> noise) {
  std::vector<int> counts;  // of rows
  for (const StatisticNoise& each : noise) {
    if (each.weight > 0 && std::ranges::find(counts, each.rows) == counts.end()) {
      counts.push_back(each.rows);
    }
  }
  std::vector<SharedDraws> draws;
  for (const int rows : counts) {
    std::vector<SharedDraws::Part> parts;
    for (std::size_t i = 0; i < noise.size(); ++i) {
      if (!(noise[i].weight > 0) || noise[i].rows != rows) continue;
      const double deviation = noise[i].law.scale;
      parts.push_back({static_cast<int>(i), deviation, noise[i].weight * deviation});
    }
    draws.emplace_back(rows, noise[static_cast<std::size_t>(rows)].law.scale, parts);
  }
  return draws;
}

}  // namespace dpmix
