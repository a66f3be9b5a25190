#include "core/mixture/methods/em_directions.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/algebra/cholesky.hpp"
#include "core/algebra/inverse.hpp"
#include "core/algebra/product.hpp"
#include "core/algebra/spectrum.hpp"
#include "core/base/poll.hpp"

namespace dpmix {
namespace {

constexpr int kMostFeatures = 16, kMostPrincipal = 5;
constexpr int kSide = 40;
constexpr double kReach = 3.2;        // deviations of the table
constexpr double kCutOff = 2;         // deviations of noise: cells below are taken for empty
constexpr double kNotNormal = .1;     // how much that counts, besides not being one heap
constexpr double kStandsOut = .45;    // nats a row: above, where rows lie in heaps is plain to see
constexpr double kOfWidth = .1;       // below: what a wider principal direction counts for
constexpr double kWorthAnAxis = .15;  // of the best direction's score
constexpr double kSame = .9;          // correlation above which a direction repeats another

std::vector<int> widest_first(const Vector& width) {
  std::vector<int> order;
  for (int i = 0; i < width.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return width[a] > width[b]; });
  return order;
}

// Widened by what noise may hide.
Matrix covariance_of(const GmmComponent& all) {
  return product(all.axes, all.axes.transpose());
}

// The least squares fit of what only rises to counts, pools of equals merged: also the likeliest.
std::vector<double> rising(std::span<const double> counts) {
  std::vector<double> level, weight;
  for (const double c : counts) {
    level.push_back(c), weight.push_back(1);
    while (level.size() > 1 && level[level.size() - 2] >= level.back()) {
      const double w = weight.back(), l = level.back();
      level.pop_back(), weight.pop_back();
      level.back() = (level.back() * weight.back() + l * w) / (weight.back() + w);
      weight.back() += w;
    }
  }
  std::vector<double> fit;
  for (std::size_t i = 0; i < level.size(); ++i) {
    fit.insert(fit.end(), static_cast<std::size_t>(weight[i]), level[i]);
  }
  return fit;
}

// Nats a row that a fit with expected[c] rows loses.
double divergence(std::span<const double> counts, std::span<const double> expected) {
  double sum = 0, rows = 0;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] > 0) sum += counts[c] * std::log(counts[c] / std::max(expected[c], 1e-9));
    rows += counts[c];
  }
  return rows > 0 ? sum / rows : 0;
}

// How far the rows are from one heap: from all that rise to one cell and fall from there.
double from_one_heap(const std::vector<double>& counts) {
  double least = HUGE_VAL;
  for (std::size_t top = 0; top <= counts.size(); ++top) {
    std::vector<double> fit = rising({counts.data(), top});
    const std::vector<double> backwards(counts.rbegin(),
                                        counts.rend() - static_cast<std::ptrdiff_t>(top));
    const std::vector<double> fall = rising(backwards);
    fit.insert(fit.end(), fall.rbegin(), fall.rend());
    least = std::min(least, divergence(counts, fit));
  }
  return least;
}

double from_normal(const std::vector<double>& counts) {
  double rows = 0, mean = 0, variance = 1. / 12;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    rows += counts[c], mean += counts[c] * static_cast<double>(c);
  }
  if (rows <= 0) return 0;
  mean /= rows;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    variance += counts[c] / rows * std::pow(static_cast<double>(c) - mean, 2);
  }
  std::vector<double> expected;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    const double z = (static_cast<double>(c) - mean) / std::sqrt(variance);
    expected.push_back(rows * std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi * variance));
  }
  return std::max(divergence(counts, expected), 0.);
}

}  // namespace

Matrix candidate_directions(const GmmComponent& all) {
  const Eigen::Index d = all.centre.size();
  const Vector deviation = covariance_of(all).diagonal().cwiseSqrt();
  const std::vector<int> features = widest_first(deviation);
  const std::vector<int> principal = widest_first(all.axes.colwise().squaredNorm());
  const Matrix map = inverse_of(all.axes).matrix;
  const Eigen::Index m = std::min<Eigen::Index>(d, kMostFeatures),
                     p = std::min<Eigen::Index>(d, kMostPrincipal);
  Matrix directions = Matrix::Zero(p + m, d);
  for (Eigen::Index i = 0; i < p; ++i) {
    directions.row(i) = map.row(principal[static_cast<std::size_t>(i)]);
  }
  for (Eigen::Index i = 0; i < m; ++i) {
    const int f = features[static_cast<std::size_t>(i)];
    directions(p + i, f) = 1 / deviation[f];
  }
  return directions;
}

CellGrid views_along(const MomentFrame& box, const GmmComponent& all, const Matrix& directions) {
  CellGrid grid;
  grid.axes = 1;
  grid.side = kSide;
  grid.frame = box;
  grid.frame.diagonal = false;
  grid.frame.classes.clear();
  const Eigen::Index d = directions.cols();
  for (const auto& w : directions.rowwise()) {
    Matrix map = Matrix::Zero(d, d);
    map.row(0) = w;
    grid.frame.classes.push_back(class_at(box, all.centre, map, false));
    grid.frame.classes.back().radius = kReach;
  }
  return grid;
}

Matrix telling_directions(const GmmComponent& all, const Matrix& directions,
                          std::span<const double> counts, double noise, int most) {
  std::vector<double> scores;
  const std::size_t side = counts.size() / static_cast<std::size_t>(directions.rows());
  for (std::size_t v = 0; v * side < counts.size(); ++v) {
    poll();
    std::vector<double> seen(counts.begin() + static_cast<std::ptrdiff_t>(v * side),
                             counts.begin() + static_cast<std::ptrdiff_t>((v + 1) * side));
    for (double& c : seen) c = c > kCutOff * noise ? c : 0;
    scores.push_back(from_one_heap(seen) + kNotNormal * from_normal(seen));
  }
  const Eigen::Map<const Vector> score(scores.data(), std::ssize(scores));
  // Heaps that overlap along every direction are best told apart in the widest ones.
  if (*std::max_element(scores.begin(), scores.end()) < kStandsOut) {
    for (int v = 0; v < kMostPrincipal && v < all.centre.size(); ++v) {
      scores[static_cast<std::size_t>(v)] += kOfWidth * (kMostPrincipal - v);
    }
  }
  const Matrix covariance = covariance_of(all), products = congruence(directions, covariance);
  std::vector<int> chosen;
  for (const int v : widest_first(score)) {
    if (std::ssize(chosen) == most ||
        (!chosen.empty() && score[v] < kWorthAnAxis * score.maxCoeff())) {
      break;
    }
    const bool again = std::any_of(chosen.begin(), chosen.end(), [&](int c) {
      return std::abs(products(v, c)) > kSame * std::sqrt(products(v, v) * products(c, c));
    });
    if (!again) chosen.push_back(v);
  }
  // Uncorrelated, each without what those before it explain.
  Matrix best(std::ssize(chosen), directions.cols());
  for (int i = 0; i < std::ssize(chosen); i++) best.row(i) = directions.row(chosen[i]);
  for (;; best.conservativeResize(best.rows() - 1, Eigen::NoChange)) {
    if (auto root = cholesky(congruence(best, covariance))) return solve_lower(*root, best);
  }
}

GmmComponent seen_along(const GmmComponent& all, const Matrix& directions) {
  const Eigen::Index d = all.centre.size(), m = directions.rows();
  const Matrix covariance = covariance_of(all);
  const Matrix of_seen = congruence(directions, covariance);
  const Matrix explained =
      product(product(covariance, directions.transpose()), inverse_of(of_seen).matrix);
  const Matrix rest = covariance - congruence(explained, of_seen);
  const Spectrum unseen = spectrum_of((rest + rest.transpose()) / 2);
  GmmComponent seen = all;
  seen.axes.leftCols(m) = explained;
  // Whatever the rounding, no direction without width.
  const double least = 1e-12 * covariance.diagonal().maxCoeff();
  seen.axes.rightCols(d - m) = unseen.vectors.rightCols(d - m) *
                               unseen.values.tail(d - m).cwiseMax(least).cwiseSqrt().asDiagonal();
  seen.covariance = Matrix::Identity(d, d);
  return seen;
}

}  // namespace dpmix
