#include "core/query/shared_noise.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dpmix {
namespace {

constexpr double kRoundUp = 1 + 0x1p-48;
constexpr double kWeightUnit = 0x1p-30;  // so that they add up to 1 exactly

double square(double x) {
  return x * x;
}

double cost_of(const Draw& draw) {
  return draw.deviation == 0 ? 0 : square(draw.l2 / draw.deviation);
}

// Weighs columns by how precise a count of rows each makes: its values, and as many missing ones as
// cost no more than the column does.
void weigh(std::span<const Draw> draws, const std::vector<double>& column_cost,
           SharedCount& count) {
  double sum = 0;
  std::vector<double> precision;
  for (const SharedCount::Part& part : count.parts) {
    const auto values = static_cast<std::size_t>(part.values);
    precision.push_back(1 / (square(draws[values].deviation) + 1 / column_cost[values]));
    sum += precision.back();
  }
  double left = 1;
  for (std::size_t c = 0; c < count.parts.size(); ++c) {
    count.parts[c].weight = std::floor(precision[c] / sum / kWeightUnit) * kWeightUnit;
    left -= count.parts[c].weight;
  }
  count.parts[0].weight += left;
  for (const SharedCount::Part& part : count.parts) {
    const auto values = static_cast<std::size_t>(part.values);
    count.shared_variance += square(part.weight * draws[values].deviation);
    count.free_rest += square(part.weight) / column_cost[values];
    count.column_squares += column_cost[values];
  }
}

std::vector<double> parts_of(std::span<const Draw> draws, const SharedCount& count) {
  std::vector<double> parts;
  for (const SharedCount::Part& part : count.parts) {
    parts.push_back(part.weight * draws[static_cast<std::size_t>(part.values)].deviation);
  }
  return parts;
}

// mu^2 of all, as a sum and by the share of J that each has; the lesser.
class Sums {
 public:
  explicit Sums(const JointPrice& joint) : joint_(joint) {}

  void add(double cost, double statistics = 1) {
    sum_ += cost;
    largest_ = std::max(largest_, cost / statistics);
  }
  double squares() const { return std::min(sum_, joint_.squares * largest_); }

 private:
  const JointPrice& joint_;
  double sum_ = 0, largest_ = 0;
};

}  // namespace

std::vector<SharedCount> shared_counts(std::span<const Draw> draws,
                                       std::span<const Sharing> sharing) {
  std::vector<SharedCount> counts;
  std::vector<double> column_cost(sharing.size());
  for (std::size_t i = 0; i < sharing.size(); ++i) {
    const auto [rows, values] = sharing[i];
    if (rows < 0 || draws[i].deviation == 0) continue;
    if (draws[static_cast<std::size_t>(values)].deviation == 0) continue;
    auto count = std::ranges::find(counts, rows, &SharedCount::rows);
    if (count == counts.end()) count = counts.insert(counts.end(), SharedCount{.rows = rows});
    if (std::cmp_equal(values, i)) count->parts.push_back({values, 0});
    count->columns.push_back(static_cast<int>(i));
    column_cost[static_cast<std::size_t>(values)] += cost_of(draws[i]);
  }
  for (SharedCount& count : counts) weigh(draws, column_cost, count);
  return counts;
}

double rest_deviation(double rows_deviation, std::span<const double> parts) {
  double rest = square(rows_deviation);
  for (const double part : parts) rest -= square(part);
  return rest > 0 ? std::sqrt(rest) : 0;
}

// A count of rows and the statistics of its columns spend what they would on their own, but the
// columns spend all of it.
std::vector<NoiseShare> noise_shares(std::span<const double> l2, const JointPrice& joint) {
  std::vector<NoiseShare> shares(l2.size(), {std::sqrt(joint.squares) * kRoundUp});
  std::vector<Draw> draws;
  for (std::size_t i = 0; i < l2.size(); ++i) draws.push_back({l2[i], l2[i] * shares[i].deviation});
  for (const SharedCount& count : shared_counts(draws, joint.sharing)) {
    const double statistics = static_cast<double>(count.columns.size());
    for (const int i : count.columns) {
      const auto column = static_cast<std::size_t>(i);
      shares[column].deviation =
          std::sqrt(joint.squares * statistics / (statistics + 1)) * kRoundUp;
      draws[column].deviation = l2[column] * shares[column].deviation;
    }
  }
  for (const SharedCount& count : shared_counts(draws, joint.sharing)) {
    const auto rows = static_cast<std::size_t>(count.rows);
    shares[rows].deviation = std::sqrt(count.shared_variance + count.free_rest) * kRoundUp;
    for (const auto& [values, weight] : count.parts) {
      shares[static_cast<std::size_t>(values)].rows = count.rows;
      shares[static_cast<std::size_t>(values)].weight = weight;
    }
  }
  return shares;
}

DrawsPrice price_of_draws(std::span<const Draw> draws, const JointPrice& joint) {
  Sums apart(joint), together(joint);
  for (const Draw& draw : draws) apart.add(cost_of(draw));
  DrawsPrice price = {apart.squares(), std::vector<double>(draws.size(), 0)};
  std::vector<double> weight = price.weight;
  std::vector<bool> shares(draws.size(), false);
  for (const SharedCount& count : shared_counts(draws, joint.sharing)) {
    const auto rows = static_cast<std::size_t>(count.rows);
    const double rest = rest_deviation(draws[rows].deviation, parts_of(draws, count));
    if (rest == 0) continue;
    together.add(count.column_squares * std::max(1.0, count.free_rest / square(rest)),
                 static_cast<double>(count.columns.size() + 1));
    shares[rows] = true;
    for (const int i : count.columns) shares[static_cast<std::size_t>(i)] = true;
    for (const SharedCount::Part& part : count.parts) {
      weight[static_cast<std::size_t>(part.values)] = part.weight;
    }
  }
  for (std::size_t i = 0; i < draws.size(); ++i) {
    if (!shares[i]) together.add(cost_of(draws[i]));
  }
  if (together.squares() < price.squares) price = {together.squares(), weight};
  return price;
}

}  // namespace dpmix
