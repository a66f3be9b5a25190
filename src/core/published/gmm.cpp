#include "core/published/gmm.hpp"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <string>

#include "core/algebra/cholesky.hpp"
#include "core/algebra/product.hpp"
#include "core/base/poll.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/published/covering_ellipsoid.hpp"
#include "core/published/double_draws.hpp"

namespace dpmix {
namespace {

using Eigen::Index;

// What does not depend on the design in (13): -(d ln 2 + psi_d((d + 1) / 2)) / 2.
double wishart_constant(int d) {
  double sum = d * std::log(2.);
  for (int j = 1; j <= d; ++j) sum += boost::math::digamma((d + 1) / 2. + (1 - j) / 2.);
  return -sum / 2;
}

// What class k's noise adds to (13), per unit of its weight.
double component_cost(const PublishedDesign& design, std::size_t k) {
  const Matrix& precision = design.fit[k].precision;
  const auto d = static_cast<double>(precision.rows());
  const double gamma = design.gamma[k];
  return (d * std::log(gamma) + (d + 1) / gamma * precision.trace() +
          precision.cwiseProduct(design.mean_noise[k]).sum()) /
         2;
}

// The least Gamma_k^-1, up to 2 ln(2 / delta) / epsilon_k^2.
Matrix unit_noise(const LabelledRows& rows, PublishedDesign& design, std::size_t k,
                  const PublishedOptions& options) {
  const PublishedClass& fit = design.fit[k];
  if (design.level == PublishedLevel::record) {
    const double shift = 2 * options.clip / fit.rows;  // (31)
    return Matrix::Identity(rows.features, rows.features) * (shift * shift);
  }
  const CoveringEllipsoid least = least_ellipsoid(label_shifts(rows, fit, static_cast<int>(k)),
                                                  fit.precision, options.tolerance);
  design.gap = std::max(design.gap, least.gap);
  return least.cover;
}

// The column of the true weights, or at record level the weights themselves.
double divergence_of(const PublishedDesign& design) {
  double sum = 0;
  for (std::size_t i = 0; i < design.weights.outcome.size(); ++i) {
    sum += design.weights.divergence[i] * design.weights.probability[i];
  }
  if (design.level == PublishedLevel::record) {
    double rows = 0;
    for (const PublishedClass& c : design.fit) rows += c.rows;
    for (std::size_t k = 0; k < design.fit.size(); ++k) {
      sum += design.fit[k].rows / rows * component_cost(design, k);
    }
  }
  return sum + wishart_constant(static_cast<int>(design.fit.front().mean.size()));
}

// The largest sum of a column.
double norm(const Matrix& matrix) {
  return matrix.cwiseAbs().colwise().sum().maxCoeff();
}

}  // namespace

std::vector<PublishedClass> published_fit(const LabelledRows& rows) {
  const Index d = rows.features;
  if (rows.classes < 2) {
    refuse_parameter("the published mixture needs two classes", "No label can change to another.",
                     "Name a label of at least two categories.");
  }
  std::vector<PublishedClass> fit(static_cast<std::size_t>(rows.classes));
  for (PublishedClass& c : fit) {
    c.mean = Vector::Zero(d);
    c.covariance = Matrix::Zero(d, d);
  }
  for (std::size_t n = 0; n < rows.label.size(); ++n) {
    PublishedClass& c = fit[static_cast<std::size_t>(rows.label[n])];
    ++c.rows;
    c.mean += rows.row(n);
  }
  for (std::size_t k = 0; k < fit.size(); ++k) {
    if (fit[k].rows >= d + 2) continue;
    refuse_parameter("a class has too few rows for the published mixture",
                     "Class " + std::to_string(k + 1) + " has " + std::to_string(fit[k].rows) +
                         "; needed are two more than features, " + std::to_string(d + 2) + ".",
                     "Leave out the category, or name fewer features.");
  }
  for (PublishedClass& c : fit) c.mean /= c.rows;
  for (std::size_t n = 0; n < rows.label.size(); ++n) {
    PublishedClass& c = fit[static_cast<std::size_t>(rows.label[n])];
    const Vector off = rows.row(n) - c.mean;
    c.covariance.noalias() += off * off.transpose();
  }
  for (std::size_t k = 0; k < fit.size(); ++k) {
    PublishedClass& c = fit[k];
    c.covariance /= c.rows - 1;
    // Singular as a correlation matrix: whatever the units of the features.
    const Vector unit = c.covariance.diagonal().cwiseSqrt().cwiseInverse();
    const Matrix correlation = unit.asDiagonal() * c.covariance * unit.asDiagonal();
    const auto root = unit.allFinite() ? cholesky(correlation) : std::nullopt;
    const Matrix inverse = root ? solve_cholesky(*root, Matrix::Identity(d, d)) : Matrix();
    if (!root || norm(correlation) * norm(inverse) > 1e13) {
      refuse_parameter("a class has a singular covariance",
                       "Class " + std::to_string(k + 1) + " does not vary in every direction.",
                       "Leave out features that are constant or sums of others.");
    }
    c.precision = unit.asDiagonal() * inverse * unit.asDiagonal();
    c.precision = (c.precision + c.precision.transpose()).eval() / 2;
  }
  return fit;
}

LabelledRows clip_rows(LabelledRows rows, double bound) {
  for (std::size_t n = 0; n < rows.label.size(); ++n) {
    Eigen::Map<Vector> x(rows.value.data() + n * static_cast<std::size_t>(rows.features),
                         rows.features);
    const double norm = x.norm();
    if (norm > bound) x *= bound / norm;
  }
  return rows;
}

Matrix label_shifts(const LabelledRows& rows, const PublishedClass& fit, int k) {
  Matrix shifts(static_cast<Index>(rows.label.size()), rows.features);
  for (std::size_t n = 0; n < rows.label.size(); ++n) {
    const double left = rows.label[n] == k ? fit.rows - 1 : -(fit.rows + 1);
    shifts.row(static_cast<Index>(n)) = (rows.row(n) - fit.mean).transpose() / left;
  }
  return shifts;
}

PublishedDesign design_published(const LabelledRows& given, double epsilon, double delta,
                                 const PublishedOptions& options) {
  const bool by_record = options.level == PublishedLevel::record;
  const LabelledRows clipped = by_record ? clip_rows(given, options.clip) : LabelledRows{};
  const LabelledRows& rows = by_record ? clipped : given;
  PublishedDesign design{};
  design.level = options.level;
  design.smoothing = 1e-3;
  design.fit = published_fit(rows);
  const double d = rows.features, calibration = 2 * std::log(2 / delta);
  const std::size_t classes = design.fit.size();
  // The shape that (24) asks for does not depend on epsilon: one program per class.
  std::vector<Matrix> unit;
  std::vector<int> counts;
  for (std::size_t k = 0; k < classes; ++k) {
    poll();
    unit.push_back(unit_noise(rows, design, k, options));
    counts.push_back(design.fit[k].rows);
  }

  design.epsilon0 = by_record ? 0 : epsilon / 3;
  design.epsilon_mean.assign(classes, epsilon / 3);
  design.gamma.resize(classes);
  design.mean_noise.resize(classes);
  for (design.iterations = 1;; ++design.iterations) {
    const double before = design.claimed_kl;
    double dearest = 0;
    std::vector<double> cost(classes);
    for (std::size_t k = 0; k < classes; ++k) {
      const PublishedClass& c = design.fit[k];
      double& gamma = design.gamma[k];
      double& own = design.epsilon_mean[k];
      gamma = std::min((d + 1) / d * c.precision.trace(),
                       2 * c.rows * (epsilon - design.epsilon0 - own) / 3);  // (23)
      own = epsilon - design.epsilon0 - 1.5 * gamma / c.rows;                // (24)
      design.mean_noise[k] = unit[k] * (calibration / (own * own));
      dearest = std::max(dearest, own + 1.5 * gamma / c.rows);
      cost[k] = component_cost(design, k);
    }
    if (!by_record) {
      design.epsilon0 = epsilon - dearest;                          // (26)
      design.weights = map_weights(counts, cost, design.epsilon0);  // (27), (28)
    }
    design.claimed_kl = divergence_of(design);
    const bool settled = design.iterations > 1 && std::abs(design.claimed_kl - before) <= 1e-3;
    if (settled || design.iterations >= options.iterations) return design;
  }
}

GaussianMixture draw_published(RandomStream& random, const PublishedDesign& design) {
  static const NormalDraws normals;
  GaussianMixture mixture = mixture_of(design.fit);
  std::vector<int> counts;
  int total = 0;
  for (const PublishedClass& c : design.fit) {
    counts.push_back(c.rows);
    total += c.rows;
  }
  if (design.level == PublishedLevel::label) {
    counts = draw_weights(random, design.weights, design.smoothing);
  }
  const Index d = mixture.features;
  for (std::size_t k = 0; k < design.fit.size(); ++k) {
    GaussianMixture::Component& c = mixture.components[k];
    c.rows = counts[k];
    c.weight = counts[k] / static_cast<double>(total);
    const Matrix factor = cholesky(design.mean_noise[k]).value();
    Eigen::Map<Vector>(c.mean.data(), d) += factor * normals.vector(random, d);  // (5)
    const Matrix a = normals.matrix(random, d, d + 1) / std::sqrt(design.gamma[k]);
    const Matrix widening = product(a, a.transpose());
    Eigen::Map<Matrix>(c.covariance.data(), d, d) += (widening + widening.transpose()) / 2;  // (6)
  }
  return mixture;
}

GaussianMixture mixture_of(const std::vector<PublishedClass>& fit) {
  GaussianMixture mixture;
  mixture.features = static_cast<int>(fit.front().mean.size());
  double total = 0;
  for (const PublishedClass& c : fit) total += c.rows;
  for (const PublishedClass& c : fit) {
    mixture.components.push_back(
        {c.rows / total,
         static_cast<double>(c.rows),
         {c.mean.begin(), c.mean.end()},
         {c.covariance.data(), c.covariance.data() + c.covariance.size()}});
  }
  return mixture;
}

}  // namespace dpmix
