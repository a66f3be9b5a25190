#include "core/regression/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

// One of each kind.
constexpr double linear_version = 1, logistic_version = 2, coordinate_version = 3;

// What exact sets are made of: three numbers, the products, the terms' upper triangle.
void pack_sums(const NoisySums& sums, std::vector<double>* packed) {
  packed->insert(packed->end(), {sums.variance, sums.residual, sums.alike});
  packed->insert(packed->end(), sums.products.begin(), sums.products.end());
  for (Eigen::Index j = 0; j < sums.terms.cols(); ++j) {
    packed->insert(packed->end(), sums.terms.data() + j * sums.terms.rows(),
                   sums.terms.data() + j * sums.terms.rows() + j + 1);
  }
}

std::size_t packed_sums(std::size_t p) {
  return 3 + p + p * (p + 1) / 2;
}

NoisySums unpack_sums(std::span<const double> packed, Eigen::Index p) {
  NoisySums sums{Matrix(p, p), Vector(p), packed[0], packed[1], packed[2]};
  const double* at = packed.data() + 3;
  for (double& product : sums.products) product = *at++;
  for (Eigen::Index j = 0; j < p; ++j) {
    for (Eigen::Index i = 0; i <= j; ++i) sums.terms(i, j) = sums.terms(j, i) = *at++;
  }
  return sums;
}

}  // namespace

void RegressionModel::add(const LinearFit& fit) {
  classes.push_back({fit.rows,
                     fit.variance,
                     fit.ridge,
                     {fit.coefficients.begin(), fit.coefficients.end()},
                     coefficients_of(fit, design, kind),
                     fit.sums});
}

double RegressionModel::predict(std::size_t k, const double* x) const {
  double input[MomentFrame::max_features + 1], z[MomentFrame::max_features];
  const auto inputs = static_cast<std::size_t>(design.inputs()) - 1;
  std::copy_n(x, inputs, input);
  input[inputs] = design.target_lower;  // of no use, but not missing
  if (!design.code(input, z)) return std::numeric_limits<double>::quiet_NaN();
  const std::vector<double>& b = classes[k].coded;
  double y = b[0];
  for (std::size_t i = 1; i < b.size(); ++i) y += b[i] * z[i - 1];
  if (kind == RegressionKind::logistic) return y;
  return design.target_centre() + design.target_half() * y;
}

std::vector<double> RegressionModel::pack() const {
  const std::vector<double> coding = design.pack();
  const double logistic = coordinate ? coordinate_version : logistic_version;
  std::vector<double> packed{kind == RegressionKind::linear ? linear_version : logistic,
                             static_cast<double>(coding.size()),
                             static_cast<double>(classes.size())};
  packed.insert(packed.end(), coding.begin(), coding.end());
  for (const Class& c : classes) {
    packed.insert(packed.end(), {c.rows, c.variance, c.ridge, c.sums ? 1. : 0.});
    packed.insert(packed.end(), c.coded.begin(), c.coded.end());
    for (const Coefficient& b : c.coefficients) {
      packed.insert(packed.end(), {b.estimate, b.centre, b.noise_stddev, b.stddev});
    }
    if (c.sums) pack_sums(*c.sums, &packed);
  }
  return packed;
}

RegressionModel RegressionModel::unpack(std::span<const double> packed) {
  const auto refuse = [] {
    refuse_parameter("invalid regression", "It is not as dpmix packs it.", "Release it again.");
  };
  const auto whole = [](double x, double most) {
    return x >= 0 && x <= most && x == std::floor(x);
  };
  if (packed.size() < 3 ||
      (packed[0] != linear_version && packed[0] != logistic_version &&
       packed[0] != coordinate_version) ||
      !whole(packed[1], static_cast<double>(packed.size()) - 3) ||
      !whole(packed[2], MomentFrame::max_classes)) {
    refuse();
  }
  const auto coding = static_cast<std::size_t>(packed[1]);
  const auto classes = static_cast<std::size_t>(packed[2]);
  RegressionModel model;
  model.kind = packed[0] == linear_version ? RegressionKind::linear : RegressionKind::logistic;
  model.coordinate = packed[0] == coordinate_version;
  model.design = Design::unpack(packed.subspan(3, coding));
  const auto p = static_cast<std::size_t>(model.design.columns()) + 1;
  packed = packed.subspan(3 + coding);
  const std::size_t fixed = 4 + 5 * p;
  for (std::size_t k = 0; k < classes; ++k) {
    if (packed.size() < fixed || !whole(packed[3], 1)) refuse();
    Class c{packed[0], packed[1], packed[2], {}, {}, {}};
    const bool has_sums = packed[3] != 0;
    c.coded.assign(packed.begin() + 4, packed.begin() + 4 + static_cast<std::ptrdiff_t>(p));
    const std::span<const double> of = packed.subspan(4 + p);
    for (std::size_t i = 0; i < p; ++i) {
      c.coefficients.push_back({of[4 * i], of[4 * i + 1], of[4 * i + 2], of[4 * i + 3]});
    }
    packed = packed.subspan(fixed);
    if (has_sums) {
      if (packed.size() < packed_sums(p) || !(packed[0] > 0)) refuse();
      c.sums = unpack_sums(packed, static_cast<Eigen::Index>(p));
      packed = packed.subspan(packed_sums(p));
    }
    model.classes.push_back(std::move(c));
  }
  if (!packed.empty()) refuse();
  return model;
}

}  // namespace dpmix
