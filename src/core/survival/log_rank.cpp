#include "core/survival/log_rank.hpp"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>

#include "core/algebra/cholesky.hpp"
#include "core/survival/noise_variance.hpp"

namespace dpmix {
namespace {

// Counts of each group in each bin: people at risk of its events, half of those who are censored
// there among them, and events.
struct Counts {
  std::vector<std::vector<double>> exposed, events;
};

void count(const SurvivalTable& table, int bins, Counts* counts) {
  const AtRisk risk = at_risk(table);
  std::vector<double> exposed, events;
  for (int bin = 0; bin < bins; ++bin) {
    const double censored = table.one_time ? 0 : table.censored(bin);
    exposed.push_back(risk.people[static_cast<std::size_t>(bin)] - censored / 2);
    events.push_back(table.events(bin));
  }
  counts->exposed.push_back(std::move(exposed));
  counts->events.push_back(std::move(events));
}

Counts counts_of(std::span<const SurvivalTable> groups, int bins) {
  Counts counts;
  for (const SurvivalTable& group : groups) count(group, bins, &counts);
  return counts;
}

double sum_in(const std::vector<std::vector<double>>& numbers, std::size_t bin) {
  double sum = 0;
  for (const std::vector<double>& of : numbers) sum += of[bin];
  return sum;
}

// Events less those expected, of all groups but the last, whose number is what the others leave.
std::vector<double> differences(const Counts& counts, std::size_t bins) {
  const std::size_t groups = counts.events.size();
  std::vector<double> sums(groups - 1);
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const double hazard = sum_in(counts.events, bin) / sum_in(counts.exposed, bin);
    for (std::size_t g = 0; g + 1 < groups; ++g) {
      sums[g] += counts.events[g][bin] - counts.exposed[g][bin] * hazard;
    }
  }
  return sums;
}

Matrix sampling_covariance(const Counts& counts, std::size_t bins) {
  const std::size_t free = counts.events.size() - 1;
  Matrix covariance =
      Matrix::Zero(static_cast<Eigen::Index>(free), static_cast<Eigen::Index>(free));
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const double people = sum_in(counts.exposed, bin), events = sum_in(counts.events, bin);
    const double weight = people > 1 ? events * (people - events) / (people - 1) : 0;
    for (std::size_t g = 0; g < free; ++g) {
      for (std::size_t h = 0; h < free; ++h) {
        const double share = counts.exposed[g][bin] / people,
                     other = counts.exposed[h][bin] / people;
        covariance(static_cast<Eigen::Index>(g), static_cast<Eigen::Index>(h)) +=
            weight * ((g == h ? share : 0) - share * other);
      }
    }
  }
  return covariance;
}

void add_noise(std::span<const SurvivalTable> groups, int bins, Matrix* covariance) {
  const auto told = static_cast<std::size_t>(bins);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::vector<SurvivalTable> all(groups.begin(), groups.end());
    const auto moves = noise_moves(groups[g], [&](const SurvivalTable& moved) {
      all[g] = moved;
      return differences(counts_of(all, bins), told);
    });
    for (std::size_t i = 0; i < moves.size(); ++i) {
      for (std::size_t j = 0; j < moves.size(); ++j) {
        double sum = 0;
        for (std::size_t cell = 0; cell < moves[i].size(); ++cell) {
          sum += moves[i][cell] * moves[j][cell];
        }
        (*covariance)(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) += sum;
      }
    }
  }
}

}  // namespace

std::optional<LogRank> log_rank(std::span<const SurvivalTable> groups) {
  if (groups.size() < 2) return std::nullopt;
  int bins = groups.front().bins;
  for (const SurvivalTable& group : groups) bins = std::min(bins, told_bins(group));
  if (bins == 0) return std::nullopt;
  const auto told = static_cast<std::size_t>(bins);
  const Counts counts = counts_of(groups, bins);
  Matrix covariance = sampling_covariance(counts, told);
  add_noise(groups, bins, &covariance);
  const std::optional<Matrix> lower = cholesky(covariance);
  if (!lower) return std::nullopt;
  const std::vector<double> sums = differences(counts, told);
  const Matrix scaled =
      solve_lower(*lower, Eigen::Map<const Matrix>(sums.data(), covariance.rows(), 1));
  const double statistic = scaled.squaredNorm();
  const int degrees = static_cast<int>(sums.size());
  return LogRank{statistic, degrees, boost::math::gamma_q(degrees / 2.0, statistic / 2), bins};
}

}  // namespace dpmix
