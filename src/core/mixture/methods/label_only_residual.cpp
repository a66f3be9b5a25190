#include "core/mixture/methods/label_only_residual.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/algebra/product.hpp"
#include "core/base/poll.hpp"

namespace dpmix {
namespace {

// (1, z, z z^T) of a placed row, as a vector.
void features_of(const Vector& z, bool diagonal, Vector& out) {
  const Eigen::Index d = z.size();
  out[0] = 1;
  out.segment(1, d) = z;
  Eigen::Index at = 1 + d;
  for (Eigen::Index i = 0; i < d; ++i) {
    const Eigen::Index many = diagonal ? 1 : d - i;
    out.segment(at, many) = z[i] * z.segment(i, many);
    at += many;
  }
}

}  // namespace

ExpectedMoments expected_moments(const LabelledPoints& points, Eigen::Index k, const Vector& centre,
                                 const Matrix& inverse, double radius, bool diagonal) {
  const Eigen::Index d = centre.size(), many = 1 + d + (diagonal ? d : d * (d + 1) / 2);
  ExpectedMoments out{Vector::Zero(many), Vector::Zero(many), Vector::Zero(many),
                      Vector::Zero(many), Vector::Zero(many)};
  Vector misfit = Vector::Zero(many), whole = Vector::Zero(many), row(many), far(many);
  const bool sampled = !points.sums().empty();
  if (sampled) {
    const LabelledPoints::Sums& sums = points.sums()[static_cast<std::size_t>(k)];
    const Vector mean = inverse * (sums.mean - centre);
    features_of(mean, diagonal, whole);
    whole *= sums.rows;
    const Matrix scatter = congruence(inverse, sums.scatter);
    Eigen::Index at = 1 + d;
    for (Eigen::Index i = 0; i < d; ++i) {
      const Eigen::Index entries = diagonal ? 1 : d - i;
      whole.segment(at, entries) += scatter.row(i).segment(i, entries).transpose();
      at += entries;
    }
  }
  for (Eigen::Index n = 0; n < points.points().cols(); ++n) {
    if (n % 256 == 0) poll();
    const double w = points.weights()[n], p = std::clamp(points.shares()(k, n), 0., 1.);
    const double before = sampled ? points.shares_in_sums()(k, n) : 0;
    if (p < 1e-9 && before < 1e-9) continue;
    const Vector z = inverse * (points.points().col(n) - centre);
    features_of(z, diagonal, far);
    const double norm = z.norm();
    if (norm > radius) {
      features_of(z * (radius / norm), diagonal, row);
      out.hidden += w * p * (far - row);
      out.surely_hidden += w * p * p * (far - row);
      if (sampled) out.variance.array() += (w * p * (far - row).array()).square();
    } else {
      row = far;
    }
    whole += w * (p - before) * far;
    if (sampled) out.variance.array() += (w * (p - before) * far.array()).square();
    const double unsure = w * p * (1 - p);
    out.variance.array() += unsure * row.array().square();
    misfit.array() += unsure * row.array().abs();
    out.size.array() += w * p * row.array().abs();
  }
  out.clipped = whole - out.hidden;
  out.variance.array() += (kMisfit * misfit.array()).square() + 1e-9;
  return out;
}

JoinedMoments join(const ExpectedMoments& expected, const Vector& seen, const Vector& noise) {
  const Vector off = (seen - expected.clipped).array().square();
  const auto entries = static_cast<double>(seen.size());
  // A model that is wrong where it is sure shows by residuals beyond all that was allowed for: then
  // each sum may be off by the same part of its size, the least that explains them.
  const auto excess = [&](double part) {
    const Vector allowed = expected.variance + noise + (part * expected.size).cwiseAbs2();
    return off.cwiseQuotient(allowed).sum() - entries;
  };
  double part = 0;
  if (excess(0) > kSurprise * std::sqrt(2 * entries)) {
    double low = 0, high = 4;
    for (int i = 0; i < 40; ++i) {
      part = (low + high) / 2;
      (excess(part) > 0 ? low : high) = part;
    }
  }
  const Vector variance = expected.variance + (part * expected.size).cwiseAbs2();
  const Vector trust = variance.cwiseQuotient(variance + noise);
  // Far points of which it claims a small part are then more likely none of its rows.
  const Vector& hidden = part > 0 ? expected.surely_hidden : expected.hidden;
  return {expected.clipped + hidden + trust.cwiseProduct(seen - expected.clipped),
          trust.cwiseProduct(noise)};
}

}  // namespace dpmix
