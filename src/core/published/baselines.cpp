#include "core/published/baselines.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/algebra/cholesky.hpp"
#include "core/algebra/spectrum.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/input/moment_frame_placer.hpp"
#include "core/mixture/fit/moments.hpp"
#include "core/mixture/fit/place.hpp"
#include "core/noise/gaussian/gdp.hpp"
#include "core/published/covering_ellipsoid.hpp"
#include "core/published/double_draws.hpp"
#include "core/random/geometric.hpp"
#include "core/stats/class_moments.hpp"

namespace dpmix {
namespace {

using Eigen::Index;

constexpr std::array<std::string_view, 6> names{
    "published", "record", "iid_laplace", "iid_gaussian", "coloured_gaussian", "r1smg"};

// Slack for the roundings between real numbers and doubles.
constexpr double outward = 1 + 0x1p-40;

MomentTotals exact_moments(const LabelledRows& rows, const MomentFrame& frame) {
  std::vector<double> memory(FramePlacer::memory_size(frame));
  const FramePlacer placer(frame, memory.data());
  const MomentShape shape{rows.classes, rows.features, frame.resolution, 1};
  std::vector<std::uint64_t> words(ClassMoments::word_count(shape));
  ClassMoments moments = ClassMoments::create(words.data(), shape);
  std::array<std::int32_t, FramePlacer::max_row> q;
  for (std::size_t n = 0; n < rows.label.size(); ++n) {
    if (placer.place(rows.label[n], rows.row(n).data(), q.data())) {
      moments.add(rows.label[n], q.data());
    }
  }
  return moments.totals();
}

// The nearest parameters that are valid: at least one row, means within the bounds, variances
// between (2^-7.5 half widths)^2 and what the bounds allow.
GaussianMixture project(const std::vector<NoisyMoments>& noisy, const MomentFrame& frame) {
  constexpr double least_variance = 0x1p-15;
  const Index d = frame.features;
  GaussianMixture mixture;
  mixture.features = frame.features;
  double total = 0;
  for (const NoisyMoments& m : noisy) {
    GaussianMixture::Component& c = mixture.components.emplace_back();
    c.rows = std::max(m.count, 1.);
    total += c.rows;
    const Vector mean =
        (Eigen::Map<const Vector>(m.sums.data(), d) / c.rows).cwiseMin(1).cwiseMax(-1);
    const Matrix square = Eigen::Map<const Matrix>(m.products.data(), d, d) / c.rows;
    const Spectrum seen = spectrum_of(square - mean * mean.transpose());
    place_component(mean, seen.with(seen.values.cwiseMax(least_variance).cwiseMin(1)), frame, c);
  }
  for (GaussianMixture::Component& c : mixture.components) c.weight = c.rows / total;
  return mixture;
}

NoisyMoments add_laplace(RandomStream& random, const MomentTotals::Class* exact, int features,
                         double epsilon, const MomentFrame& frame) {
  const auto d = static_cast<std::size_t>(features);
  const IidSensitivity moved = iid_sensitivity(frame);
  const TwoSidedGeometric count({epsilon, 1, 3}), sum({epsilon, 1, 3 * moved.sum_l1}),
      product({epsilon, 1, 3 * moved.product_l1});
  const double step = frame.step(0);
  NoisyMoments out;
  out.count = to_double((exact != nullptr ? exact->count : 0) + count(random));
  out.products.assign(d * d, 0);
  std::size_t at = 0;
  for (std::size_t i = 0; i < d; ++i) {
    out.sums.push_back(to_double((exact != nullptr ? exact->sums[i] : 0) + sum(random)) * step);
    for (std::size_t j = i; j < d; ++j, ++at) {
      const Int128 noisy = (exact != nullptr ? exact->products[at] : 0) + product(random);
      out.products[i * d + j] = out.products[j * d + i] = to_double(noisy) * step * step;
    }
  }
  return out;
}

GaussianMixture iid_laplace(RandomStream& random, const LabelledRows& rows,
                            const PublishedRequest& request) {
  const MomentFrame frame = box_frame(request.lower, request.upper, rows.classes);
  const MomentTotals exact = exact_moments(rows, frame);
  std::vector<NoisyMoments> noisy;
  for (std::size_t k = 0; k < frame.classes.size(); ++k) {
    noisy.push_back(add_laplace(random, exact.classes.empty() ? nullptr : &exact.classes[k],
                                rows.features, request.epsilon, frame));
  }
  return project(noisy, frame);
}

// Variances in half widths of the bounds, so that units do not matter.
Matrix unit_cost(const PublishedRequest& request) {
  Vector weights(static_cast<Index>(request.lower.size()));
  for (std::size_t i = 0; i < request.lower.size(); ++i) {
    const double half_width = request.upper[i] / 2 - request.lower[i] / 2;
    weights[static_cast<Index>(i)] = 1 / (half_width * half_width);
  }
  return weights.asDiagonal();
}

// Weights and covariances of iid_gaussian; means as published, not kept within the bounds.
GaussianMixture with_published_means(RandomStream& random, const LabelledRows& rows,
                                     const PublishedRequest& request) {
  static const NormalDraws normals;
  const double epsilon = request.epsilon / 3, delta = request.delta / 3;
  const std::vector<PublishedClass> fit = published_fit(rows);
  GaussianMixture mixture =
      iid_gaussian(random, rows, request.lower, request.upper, gdp_mu(2 * epsilon, 2 * delta));
  const Index d = rows.features;
  for (std::size_t k = 0; k < fit.size(); ++k) {
    const Matrix shifts = label_shifts(rows, fit[k], static_cast<int>(k));
    Vector noise;
    if (request.method == PublishedMethod::r1smg) {
      noise =
          r1smg_noise(random, rows.features, shifts.rowwise().norm().maxCoeff(), epsilon, delta);
    } else {
      const Matrix cover = least_ellipsoid(shifts, unit_cost(request)).cover;
      const Matrix factor = cholesky(cover).value();
      noise = factor * normals.vector(random, d) * (std::sqrt(2 * std::log(2 / delta)) / epsilon);
    }
    Eigen::Map<Vector>(mixture.components[k].mean.data(), d) = fit[k].mean + noise;
  }
  return mixture;
}

void check(const PublishedRequest& request, const LabelledRows& rows) {
  const bool record = request.method == PublishedMethod::record;
  if (record != request.clip.has_value()) {
    refuse_parameter(
        "clip belongs to method record, and only to it",
        record ? "Method record needs a bound on the norm of a row." : "clip is given.",
        "Give clip => B with method => 'record', and leave it out elsewhere.");
  }
  if (record && !(*request.clip > 0 && std::isfinite(*request.clip))) {
    refuse_parameter("clip is out of range", "A bound on the norm of a row is positive and finite.",
                     "Give the largest norm that rows usually have.");
  }
  if (request.method == PublishedMethod::r1smg && rows.features < 3) {
    refuse_parameter("r1smg needs three features", "Its scale is not defined for fewer.",
                     "Name more features, or choose another method.");
  }
}

std::string note_of(PublishedMethod method) {
  const std::string sums = "not charged, so not for others. Private for one row more or less; ";
  switch (method) {
    case PublishedMethod::published:
      return "NOT PRIVATE: covariances are only widened, weights of neighbours have different "
             "outcomes, and the noise of the means depends on the rows";
    case PublishedMethod::record:
      return "NOT PRIVATE: covariances are only widened, so one that is too narrow rules a table "
             "out "
             "for certain";
    case PublishedMethod::iid_laplace:
      return sums +
             "L1 sensitivities in half widths of the bounds: counts 1, sums d, second moments "
             "d(d+1)/2, a third of epsilon each";
    case PublishedMethod::iid_gaussian:
      return sums +
             "L2 sensitivities in half widths of the bounds: counts 1, sums sqrt(d), second "
             "moments sqrt(d(d+1)/2), a third of the Gaussian budget each";
    case PublishedMethod::coloured_gaussian:
      return "NOT PRIVATE: the noise of the means depends on the rows";
    case PublishedMethod::r1smg:
      return "NOT PRIVATE: the noise of the means depends on the rows, and its law piles up at the "
             "exact means";
  }
  return {};
}

}  // namespace

std::string_view name(PublishedMethod method) {
  return names[static_cast<std::size_t>(method)];
}

std::optional<PublishedMethod> published_method_of(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<PublishedMethod>(found - names.begin());
}

// Guaranteed of a row: |q| <= R; in a frame made from the box |q_i| <= R / sqrt(d), up to 2^-48. So
//   sum |q_i| <= sqrt(d) R,  sum_{i<=j} |q_i q_j| = ((sum |q_i|)^2 + |q|^2) / 2 <= R^2 (d + 1) / 2,
//   sum_{i<=j} (q_i q_j)^2 = (|q|^4 + sum q_i^4) / 2 <= R^4 (1 + 1 / d) / 2.
IidSensitivity iid_sensitivity(const MomentFrame& box) {
  const auto steps = static_cast<std::uint64_t>(box.resolution);
  const double r = static_cast<double>(steps), d = box.features;
  return {static_cast<std::uint64_t>(std::sqrt(d) * r) + 1,
          (steps * steps * (static_cast<std::uint64_t>(box.features) + 1) + 1) / 2, r,
          r * r * std::sqrt((1 + 1 / d) / 2) * outward};
}

GaussianMixture iid_gaussian(RandomStream& random, const LabelledRows& rows,
                             const std::vector<double>& lower, const std::vector<double>& upper,
                             double mu) {
  const MomentFrame frame = box_frame(lower, upper, rows.classes);
  const IidSensitivity moved = iid_sensitivity(frame);
  const double unit = std::sqrt(3.) / mu * outward;
  const MomentNoise noise{unit, unit * moved.sum_l2, unit * moved.product_l2,
                          unit * moved.product_l2};
  const MomentTotals exact = exact_moments(rows, frame);
  std::vector<NoisyMoments> noisy;
  for (std::size_t k = 0; k < frame.classes.size(); ++k) {
    noisy.push_back(add_noise(random, exact.classes.empty() ? nullptr : &exact.classes[k],
                              frame.features, noise, frame.step(k)));
  }
  return project(noisy, frame);
}

Vector r1smg_noise(RandomStream& random, int numbers, double sensitivity, double epsilon,
                   double delta) {
  static const NormalDraws normals;
  const double m = numbers;
  const double log_psi =
      2 / (m - 2) *
      (std::log(delta) + std::lgamma((m - 1) / 2) - std::lgamma(m / 2) - std::log(M_PI) / 2);
  const double variance = 2 * sensitivity * sensitivity / (epsilon * std::exp(log_psi));
  const Vector direction = normals.vector(random, numbers).normalized();
  return direction * (std::sqrt(variance) * normals(random));
}

PublishedRelease release_published(RandomStream& random, const LabelledRows& rows,
                                   const PublishedRequest& request) {
  check(request, rows);
  PublishedRelease out{{}, false, note_of(request.method)};
  PublishedOptions options;
  switch (request.method) {
    case PublishedMethod::record:
      options.level = PublishedLevel::record;
      options.clip = *request.clip;
      [[fallthrough]];
    case PublishedMethod::published:
      out.mixture =
          draw_published(random, design_published(rows, request.epsilon, request.delta, options));
      break;
    case PublishedMethod::iid_laplace:
      out.mixture = iid_laplace(random, rows, request);
      out.is_private = true;
      break;
    case PublishedMethod::iid_gaussian:
      out.mixture = iid_gaussian(random, rows, request.lower, request.upper,
                                 gdp_mu(request.epsilon, request.delta));
      out.is_private = true;
      break;
    case PublishedMethod::coloured_gaussian:
    case PublishedMethod::r1smg:
      out.mixture = with_published_means(random, rows, request);
      break;
  }
  return out;
}

}  // namespace dpmix
