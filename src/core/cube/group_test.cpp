#include "core/cube/group_test.hpp"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "core/algebra/cholesky.hpp"
#include "core/base/normal_reach.hpp"
#include "core/base/poll.hpp"

namespace dpmix {
namespace {

using Eigen::Index;

// So many deviations that all groups together are within them, on one side.
double reach_of_groups(Index groups) {
  return normal_reach(1 - 2 * kNuisance / static_cast<double>(groups));
}

// Rates, and sums less rates times sizes: [group, number], stacked group by group.
class Outcomes {
 public:
  explicit Outcomes(const OutcomeCounts& counts) : counts_(counts), most_(groups()) {
    const double reach = reach_of_groups(groups());
    for (Index g = 0; g < groups(); ++g) {
      const double variance =
          counts.noise.block(g * outcomes(), g * outcomes(), outcomes(), outcomes()).sum();
      most_[g] = std::max(0.0, size(g) + reach * std::sqrt(variance));
    }
  }

  Index groups() const { return counts_.count.rows(); }
  Index numbers() const { return outcomes() - 1; }
  double size(Index group) const { return counts_.count.row(group).sum(); }
  double sum(Index group, Index number) const { return counts_.count(group, number + 1); }
  double lowest() const { return 0; }

  // Of sums less rates times sizes.
  Matrix covariance(const Matrix& rates) const {
    const Index k = numbers(), c = outcomes();
    Matrix moves = Matrix::Zero(groups() * k, groups() * c);
    for (Index g = 0; g < groups(); ++g) {
      for (Index i = 0; i < k; ++i) {
        moves.block(g * k + i, g * c, 1, c).setConstant(-rates(g, i));
        moves(g * k + i, g * c + i + 1) += 1;
      }
    }
    Matrix all = congruence(moves, counts_.noise);
    for (Index g = 0; g < groups(); ++g) {
      for (Index i = 0; i < k; ++i) {
        for (Index j = 0; j < k; ++j) {
          all(g * k + i, g * k + j) += most_[g] * rates(g, i) * ((i == j) - rates(g, j));
        }
      }
    }
    return all;
  }

 private:
  Index outcomes() const { return counts_.count.cols(); }

  const OutcomeCounts& counts_;
  Vector most_;  // people
};

class Means {
 public:
  explicit Means(const GroupMoments& moments)
      : moments_(moments), reach_(reach_of_groups(moments.size.size())) {}

  Index groups() const { return moments_.size.size(); }
  Index numbers() const { return 1; }
  double size(Index group) const { return moments_.size[group]; }
  double sum(Index group, Index) const { return moments_.sum[group]; }
  double lowest() const { return -1; }

  Matrix covariance(const Matrix& rates) const {
    Matrix all(groups(), groups());
    for (Index g = 0; g < groups(); ++g) {
      for (Index h = 0; h < groups(); ++h) {
        all(g, h) =
            moments_.noise(g, h) * (square(moments_.sum_stddev) +
                                    rates(g, 0) * rates(h, 0) * square(moments_.size_stddev));
      }
      all(g, g) += most_scatter(g, rates(g, 0));
    }
    return all;
  }

 private:
  static double square(double x) { return x * x; }

  // The sum of (w - rate)^2, which is the variance of the sum of w - rate.
  double most_scatter(Index g, double rate) const {
    const double scatter =
        moments_.squares[g] - 2 * rate * moments_.sum[g] + square(rate) * moments_.size[g];
    const double variance = square(moments_.squares_stddev + square(rate) * moments_.size_stddev) +
                            4 * square(rate * moments_.sum_stddev);
    return std::max(0.0, scatter + reach_ * std::sqrt(variance * moments_.noise(g, g)));
  }

  const GroupMoments& moments_;
  double reach_;
};

template <class Groups>
Vector residuals(const Groups& of, const Matrix& rates) {
  const Index k = of.numbers();
  Vector left(of.groups() * k);
  for (Index g = 0; g < of.groups(); ++g) {
    for (Index i = 0; i < k; ++i) left[g * k + i] = of.sum(g, i) - rates(g, i) * of.size(g);
  }
  return left;
}

// The statistic at these rates of each group. Infinite where they leave no room at all.
template <class Groups>
double misfit(const Groups& of, const Matrix& rates) {
  poll();
  const std::optional<Matrix> lower = cholesky(of.covariance(rates));
  if (!lower) return std::numeric_limits<double>::infinity();
  return solve_lower(*lower, residuals(of, rates)).squaredNorm();
}

template <class Groups>
Matrix common(const Groups& of, const Vector& rate) {
  return rate.transpose().replicate(of.groups(), 1);
}

// The least misfit of one rate, the second group's being so much lower: the best of a grid, then
// golden sections around it. The misfit need not have one valley.
template <class Groups>
double least_misfit(const Groups& of, double difference) {
  constexpr int kPoints = 16, kSections = 30;
  constexpr double kGolden = 0.6180339887498949;
  const auto at = [&](double rate) {
    Matrix rates = Matrix::Constant(of.groups(), 1, rate);
    rates(1, 0) -= difference;
    return misfit(of, rates);
  };
  const double low = std::max(of.lowest(), of.lowest() + difference),
               high = std::min(1.0, 1 + difference), step = (high - low) / kPoints;
  double least = std::numeric_limits<double>::infinity(), best = low;
  for (int i = 0; i <= kPoints; ++i) {
    const double found = at(low + i * step);
    if (found >= least) continue;
    least = found;
    best = low + i * step;
  }
  double left = std::max(low, best - step), right = std::min(high, best + step);
  double a = right - kGolden * (right - left), b = left + kGolden * (right - left);
  double at_a = at(a), at_b = at(b);
  for (int i = 0; i < kSections; ++i) {
    if (at_a < at_b) {
      right = b;
      b = a;
      at_b = at_a;
      at_a = at(a = right - kGolden * (right - left));
    } else {
      left = a;
      a = b;
      at_a = at_b;
      at_b = at(b = left + kGolden * (right - left));
    }
  }
  return std::min({least, at_a, at_b});
}

// Of several: generalized least squares, at the covariance of the last rates, until they settle.
template <class Groups>
double least_misfit_of_several(const Groups& of) {
  constexpr int kRounds = 30;
  const Index k = of.numbers(), groups = of.groups();
  Matrix sizes = Matrix::Zero(groups * k, k);
  for (Index g = 0; g < groups; ++g) {
    for (Index i = 0; i < k; ++i) sizes(g * k + i, i) = of.size(g);
  }
  const Vector sums = residuals(of, Matrix::Zero(groups, k));
  Vector rate = Vector::Constant(k, 1.0 / static_cast<double>(k + 1));
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds; ++round) {
    const double before = least;
    least = std::min(least, misfit(of, common(of, rate)));
    if (round > 2 && before - least < 1e-6) break;
    const std::optional<Matrix> lower = cholesky(of.covariance(common(of, rate)));
    if (!lower) break;
    const Matrix scaled = solve_lower(*lower, sizes);
    const std::optional<Matrix> normal = cholesky(scaled.transpose() * scaled);
    if (!normal) break;
    const Vector told = scaled.transpose() * solve_lower(*lower, sums);
    rate = solve_cholesky(*normal, told);
    rate = rate.cwiseMax(0).cwiseMin(1);
    rate /= std::max(1.0, rate.sum());
  }
  return least;
}

template <class Groups>
GroupTest test_of(const Groups& of) {
  const double statistic = of.numbers() == 1 ? least_misfit(of, 0) : least_misfit_of_several(of);
  const int degrees = static_cast<int>((of.groups() - 1) * of.numbers());
  const double tail =
      std::isfinite(statistic) ? boost::math::gamma_q(degrees / 2.0, statistic / 2) : 0;
  return {statistic, degrees, std::min(1.0, tail + kNuisance)};
}

template <class Groups>
GroupDifference difference_of(const Groups& of, double level) {
  constexpr int kPoints = 32, kHalvings = 16;
  const double reach = normal_reach(level + kNuisance), most = 1 - of.lowest();
  const auto is_possible = [&](double difference) {
    return least_misfit(of, difference) <= reach * reach;
  };
  const auto mean = [&](Index g) {
    return std::clamp(of.sum(g, 0) / std::max(of.size(g), 1.0), of.lowest(), 1.0);
  };
  const double estimate = mean(0) - mean(1);
  // From what is farthest to the estimate: the set may have gaps.
  const auto end = [&](double farthest) {
    if (is_possible(farthest)) return farthest;
    double outside = farthest, inside = estimate;
    for (int i = 1; i < kPoints; ++i) {
      const double at = farthest + (estimate - farthest) * i / kPoints;
      if (is_possible(at)) {
        inside = at;
        break;
      }
      outside = at;
    }
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (inside + outside) / 2;
      (is_possible(middle) ? inside : outside) = middle;
    }
    return outside;
  };
  return {estimate, end(-most), end(most)};
}

}  // namespace

GroupTest test_of_outcomes(const OutcomeCounts& counts) {
  return test_of(Outcomes(counts));
}
GroupTest test_of_means(const GroupMoments& moments) {
  return test_of(Means(moments));
}
GroupDifference difference_of_shares(const OutcomeCounts& counts, double level) {
  return difference_of(Outcomes(counts), level);
}
GroupDifference difference_of_means(const GroupMoments& moments, double level) {
  return difference_of(Means(moments), level);
}

}  // namespace dpmix
