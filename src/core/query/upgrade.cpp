#include "core/query/upgrade.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/base/next_double.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/noise/lattice_moments.hpp"
#include "core/query/answers.hpp"
#include "core/query/shared_noise.hpp"

namespace dpmix {
namespace {

constexpr double kRoundUp = 1 + 0x1p-48;
constexpr double kMostDeviation = 0x1p80;  // of a draw
constexpr double kLeastEpsilon = 1e-6;     // of a charge
constexpr double kRoundedVariance = 1.0 / 12;

// Six digits, rounded up: what people read in the ledger.
double rounded_up(double epsilon) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.6g", epsilon * (1 + 5e-6));
  return std::max(std::strtod(digits, nullptr), kLeastEpsilon);
}

// The least epsilon, rounded up, at which mu-GDP gives delta, at most `most`; absent: more.
std::optional<double> declared_epsilon(double mu, double delta, double most) {
  if (!(gdp_delta(most, mu) <= delta)) return std::nullopt;
  double low = 0, high = most;
  for (int i = 0; i < 60 && high - low > 1e-9 * high; ++i) {
    const double middle = low + (high - low) / 2;
    (gdp_delta(middle, mu) <= delta ? high : low) = middle;
  }
  return std::min(rounded_up(high), most);
}

DrawsPrice price_of(std::span<const StatisticShift> shifts, std::span<const double> deviation,
                    const std::optional<JointPrice>& joint) {
  std::vector<Draw> draws;
  for (std::size_t i = 0; i < shifts.size(); ++i) draws.push_back({shifts[i].l2, deviation[i]});
  return price_of_draws(draws, joint.value_or(JointPrice{static_cast<double>(draws.size())}));
}

}  // namespace

double precision_of(double deviation) {
  return 1 / (deviation * deviation);
}

double deviation_of(double precision) {
  return 1 / std::sqrt(precision);
}

double precision_of_law(const NoiseLaw& law) {
  constexpr double kLeast = 1e-300;
  if (law.family == Family::gaussian) return precision_of(law.scale);
  const double stddev = lattice_moments(law, 1).stddev;
  return 1 / std::max(stddev * stddev - kRoundedVariance, kLeast);
}

double missing_deviation(double stored, double wanted) {
  const double missing = wanted - stored;
  return missing <= kPrecisionTolerance * wanted ? 0 : deviation_of(missing);
}

double mu_of_draws(std::span<const StatisticShift> shifts, std::span<const double> deviation,
                   const std::optional<JointPrice>& joint) {
  return std::sqrt(price_of(shifts, deviation, joint).squares) * kRoundUp;
}

void price_upgrade(const Accounting& table, double mu, QueryPlan& plan) {
  plan.has_own = table.counts_cost();
  plan.own = table.counts_cost() ? cost_of_gaussian(table, mu) : Cost{};
}

std::optional<UpgradePlan> plan_upgrade(const QueryPlan& full, const Accounting& table,
                                        std::span<const StatisticShift> shifts,
                                        std::span<const StatisticNoise> noise,
                                        std::span<const double> stored,
                                        const std::optional<JointPrice>& joint) {
  UpgradePlan made{full, {}, {}};
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const double deviation = missing_deviation(stored[i], precision_of(noise[i].law.scale));
    if (deviation > kMostDeviation) return std::nullopt;
    made.deviation.push_back(deviation);
  }
  const double mu = mu_of_draws(shifts, made.deviation, joint);
  const auto epsilon = declared_epsilon(mu, full.delta, full.epsilon);
  if (!epsilon) return std::nullopt;
  made.weight = price_of(shifts, made.deviation, joint).weight;
  made.plan.epsilon = *epsilon;
  price_upgrade(table, mu, made.plan);
  return made;
}

std::vector<double> answer_weights(std::span<const double> deviations) {
  std::vector<double> weights;
  double sum = 0;
  for (const double deviation : deviations) {
    weights.push_back(1 / (deviation * deviation + kRoundedVariance));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

Int128 combined_answer(std::span<const Int128> answers, std::span<const double> weights) {
  // The mean of distances from one of the answers: they are noise, however large the statistic is.
  double mean = 0;
  for (std::size_t i = 1; i < answers.size(); ++i) {
    mean += weights[i] * static_cast<double>(answers[i] - answers[0]);
  }
  return answers[0] + static_cast<Int128>(std::nearbyint(mean));
}

// sum w^2 deviation^2 < sum w^2 (deviation^2 + 1/12), which these weights make 1 / sum of
// precisions.
double combined_deviation(std::span<const double> deviations) {
  double sum = 0;
  for (const double deviation : deviations) sum += 1 / (deviation * deviation + kRoundedVariance);
  return std::sqrt(1 / sum) * kRoundUp;
}

double combined_reach(double combined_deviation, double tail) {
  // Each answer was rounded by half a step at most, hence their mean; and then the mean.
  return normal_tail_quantile(tail) * combined_deviation * (1 + 0x1p-40) + 1;
}

double ladder_level(double level, int answers) {
  return answers <= 1 ? level : 1 - (1 - level) / (static_cast<double>(answers) * (answers + 1));
}

double answer_reach(const StatisticNoise& noise, double level, int parts) {
  // What was no whole step is rounded with its noise: by half a step more than noise alone.
  if (noise.draws <= 1) return noise_reach(noise.law, level, parts) + (noise.fine_bits > 0);
  check_level(level);
  return combined_reach(noise.law.scale, (1 - ladder_level(level, noise.draws)) / parts);
}

}  // namespace dpmix
