#include "core/survival/hazard_ratios.hpp"

#include <algorithm>
#include <cmath>

#include "core/algebra/cholesky.hpp"
#include "core/survival/noise_variance.hpp"

namespace dpmix {
namespace {

constexpr int kMostSteps = 50;
constexpr double kMostRatio = 20, kSmall = 1e-10;  // of logarithms
constexpr double kDeviations = 3;

using Index = Eigen::Index;

// One bin of all groups: the time that people are at risk, in bins, and events.
struct Bin {
  Vector time, events;
};

// The mean time at risk in a bin of people of whom a share has an event, at a constant hazard.
double time_of_one(double share) {
  if (std::fabs(share) < 1e-8) return 1 - share / 2;
  return share / -std::log1p(-share);
}

std::vector<Bin> bins_of(std::span<const SurvivalTable> groups, int bins) {
  std::vector<AtRisk> risk;
  for (const SurvivalTable& group : groups) risk.push_back(at_risk(group));
  std::vector<Bin> made;
  for (int bin = 0; bin < bins; ++bin) {
    Bin of = {Vector(static_cast<Index>(groups.size())), Vector(static_cast<Index>(groups.size()))};
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const double events = groups[g].events(bin),
                   censored = groups[g].one_time ? 0 : groups[g].censored(bin),
                   people = risk[g].people[static_cast<std::size_t>(bin)] - censored / 2;
      of.time[static_cast<Index>(g)] =
          groups[g].one_time ? people : people * time_of_one(events / people);
      of.events[static_cast<Index>(g)] = events;
    }
    made.push_back(std::move(of));
  }
  return made;
}

// The score of all groups but the first at these logarithms of ratios, the first one's being 0.
struct Score {
  Vector sums;
  Matrix information;
};

Score score(const std::vector<Bin>& bins, const Vector& ratios) {
  const Index groups = ratios.size();
  Score made = {Vector::Zero(groups), Matrix::Zero(groups, groups)};
  for (const Bin& bin : bins) {
    Vector shares = bin.time.cwiseProduct(ratios.array().exp().matrix());
    shares /= shares.sum();
    const double events = bin.events.sum();
    made.sums += bin.events - events * shares;
    made.information += events * (Matrix(shares.asDiagonal()) - shares * shares.transpose());
  }
  return {made.sums.tail(groups - 1), made.information.bottomRightCorner(groups - 1, groups - 1)};
}

std::optional<Vector> solved(const std::vector<Bin>& bins, Index groups) {
  Vector ratios = Vector::Zero(groups);
  for (int step = 0; step < kMostSteps; ++step) {
    const Score at = score(bins, ratios);
    const std::optional<Matrix> lower = cholesky(at.information);
    if (!lower) return std::nullopt;
    Vector move = solve_cholesky(*lower, at.sums);
    const double far = move.cwiseAbs().maxCoeff();
    if (!(far < HUGE_VAL)) return std::nullopt;
    if (far > 1) move /= far;
    ratios.tail(groups - 1) += move;
    if (ratios.cwiseAbs().maxCoeff() > kMostRatio) return std::nullopt;
    if (far < kSmall) return ratios;
  }
  return std::nullopt;
}

std::vector<double> numbers_of(const Vector& vector) {
  return {vector.data(), vector.data() + vector.size()};
}

struct Noise {
  Matrix of_sums;         // their covariance
  Vector of_information;  // variances of its diagonal
};

Noise noise_at(std::span<const SurvivalTable> groups, int bins, const Vector& ratios) {
  const Index free = ratios.size() - 1;
  Noise noise = {Matrix::Zero(free, free), Vector::Zero(free)};
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::vector<SurvivalTable> all(groups.begin(), groups.end());
    const auto moves = noise_moves(groups[g], [&](const SurvivalTable& moved) {
      all[g] = moved;
      const Score at = score(bins_of(all, bins), ratios);
      Vector both(2 * free);
      both << at.sums, at.information.diagonal();
      return numbers_of(both);
    });
    const auto product = [&](Index i, Index j) {
      double sum = 0;
      for (std::size_t cell = 0; cell < groups[g].cell.size(); ++cell) {
        sum += moves[static_cast<std::size_t>(i)][cell] * moves[static_cast<std::size_t>(j)][cell];
      }
      return sum;
    };
    for (Index i = 0; i < free; ++i) {
      for (Index j = 0; j < free; ++j) noise.of_sums(i, j) += product(i, j);
      noise.of_information[i] += product(free + i, free + i);
    }
  }
  return noise;
}

}  // namespace

std::optional<std::vector<LogRatio>> hazard_ratios(std::span<const SurvivalTable> groups) {
  if (groups.size() < 2) return std::nullopt;
  int bins = groups.front().bins;
  for (const SurvivalTable& group : groups) bins = std::min(bins, told_bins(group));
  const std::vector<Bin> counts = bins_of(groups, bins);
  const bool positive =
      std::ranges::all_of(counts, [](const Bin& bin) { return bin.time.minCoeff() > 0; });
  if (bins == 0 || !positive) return std::nullopt;
  const std::optional<Vector> ratios = solved(counts, static_cast<Index>(groups.size()));
  if (!ratios) return std::nullopt;
  const Matrix information = score(counts, *ratios).information;
  const Noise noise = noise_at(groups, bins, *ratios);
  const std::optional<Matrix> lower = cholesky(information);
  if (!lower) return std::nullopt;
  const Matrix inverse =
      solve_cholesky(*lower, Matrix::Identity(information.rows(), information.cols()));
  const Matrix of_noise = inverse * noise.of_sums * inverse;
  std::vector<LogRatio> made;
  for (Index i = 0; i < information.rows(); ++i) {
    if (1 / inverse(i, i) < kDeviations * std::sqrt(noise.of_information[i])) return std::nullopt;
    made.push_back({(*ratios)[i + 1], std::sqrt(of_noise(i, i) + inverse(i, i))});
  }
  return made;
}

}  // namespace dpmix
