#include "core/mixture/methods/em_start.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/algebra/inverse.hpp"
#include "core/mixture/fit/distance_edges.hpp"
#include "core/mixture/fit/moment_noise.hpp"
#include "core/mixture/methods/em_count.hpp"
#include "core/mixture/methods/em_directions.hpp"
#include "core/random/noisy.hpp"
#include "core/random/rounded_normal.hpp"

namespace dpmix {
namespace {

// Shares of the start's mu^2, chosen on simulated tables. Few features are all looked at together,
// so that none need be chosen.
constexpr std::array<double, 4> kFewShares = {.15, .15, .3, .4};
constexpr std::array<double, 5> kManyShares = {GmmStart::least_share, .12, .24, .17, .35};
constexpr int kFewFeatures = 2;
constexpr double kWidthQuantile = .6;  // of the distances: what sets the scale
constexpr double kFirstShare = .9;     // of a normal table lies inside the first ball
constexpr int kMostAxes = 3;           // of the grid
constexpr std::array<int, kMostAxes> kMostCells = {64, 30, 14};  // along each axis
constexpr double kLeastCells = 3;
// Rows per cell, on average, in deviations of the noise; of three axes most cells are empty.
constexpr std::array<double, kMostAxes> kRowsPerCell = {2, 2, 1};
constexpr std::array<double, kMostAxes> kReach = {3.5, 3.2, 2.5};  // in deviations of the table

}  // namespace

GmmStart::GmmStart(const GmmRequest& request, double mu)
    : adjacency_(request.adjacency),
      mu_(mu),
      wanted_(request.components),
      box_(box_frame(request.lower, request.upper, 1)),
      shares_(box_.features <= kFewFeatures ? std::span<const double>(kFewShares) : kManyShares) {
  const int d = box_.features;
  axes_ = std::min(d, kFewFeatures);
  all_.centre = Vector::Zero(d);
  all_.axes = Matrix::Identity(d, d);
  soft_ = box_pass(box_, {adjacency_, pass_mu(), CovarianceShape::full});
}

double GmmStart::pass_mu() const {
  return mu_ * std::sqrt(shares_[static_cast<std::size_t>(pass_)]);
}

double GmmStart::bin_noise() const {
  const double views = pass_ == 1 ? 1 : static_cast<double>(grid_.frame.classes.size());
  return dpmix::bin_noise(adjacency_, pass_mu()) * std::sqrt(views);
}

Pass GmmStart::next() const {
  if (pass_ == 0 || pass_ == 2) {
    return {PassKind::soft_moments, soft_.frame.frame, soft_.frame.extra()};
  }
  if (pass_ > 2) return {PassKind::cells, grid_.frame, grid_.extra()};
  MomentFrame frame = box_;
  frame.classes.front() =
      class_at(box_, all_.centre, Matrix::Identity(box_.features, box_.features), true);
  const GmmDistances distances{box_.features};
  frame.classes.front().radius = distances.farthest();
  std::vector<double> edges = distances.edges(frame.step(0));
  return {PassKind::class_distances, std::move(frame), std::move(edges)};
}

void GmmStart::take(RandomStream& random, const PassStatistics& exact) {
  const int last = static_cast<int>(shares_.size()) - 1;
  switch (pass_) {
    case 0:
      locate(add_noise(random, std::get<MomentTotals>(exact), soft_).front());
      break;
    case 1:
      take_distances(random, std::get<BinCounts>(exact));
      break;
    case 2: {
      std::vector<GmmComponent> all = {all_};
      absorb(all, add_noise(random, std::get<MomentTotals>(exact), soft_), soft_,
             CovarianceShape::full);
      all_ = all.front();
      rewhiten(all_, CovarianceShape::full);
      break;
    }
    default: {
      const std::vector<double> cells = noisy_cells(random, std::get<BinCounts>(exact));
      if (pass_ == last) {
        take_cells(random, cells);
      } else {
        choose_axes(cells);
      }
    }
  }
  ++pass_;
  if (pass_ == 2) {
    soft_ = soft_pass(box_, {all_}, {adjacency_, pass_mu(), CovarianceShape::full, kFirstShare});
  }
  if (pass_ == last) lay_grid();
  if (pass_ == 3 && pass_ != last) grid_ = views_along(box_, all_, candidate_directions(all_));
}

// The rest is post-processing, once the functions that take counts have added noise.

void GmmStart::locate(const NoisyMoments& moments) {
  const auto shares = static_cast<double>(MixtureFrame::whole);
  all_.rows = moments.count;
  all_.rows_variance = std::pow(soft_.noise.front().count / shares, 2);
  const double noise = soft_.noise.front().sum / shares * box_.step(0) / all_.divisor();
  all_.centre = Eigen::Map<const Vector>(moments.sums.data(), box_.features) / all_.divisor();
  all_.centre = all_.centre.cwiseMax(-1).cwiseMin(1);
  all_.mean_variance = std::min(noise * noise, 1.);
}

void GmmStart::take_distances(RandomStream& random, const BinCounts& exact) {
  const RoundedNormal law(bin_noise());
  constexpr int bins = GmmDistances::bins;
  Vector seen(bins);
  for (int b = 0; b < bins; ++b) seen[b] = to_double(noisy(random, law, exact.count(0, b)));
  int bin = 0;
  for (double sum = 0; bin < bins - 1; ++bin) {
    sum += seen[bin];
    if (sum >= kWidthQuantile * all_.divisor()) break;
  }
  const double scale = GmmDistances{box_.features}.end(bin) / std::sqrt(box_.features);
  all_.axes = Matrix::Identity(box_.features, box_.features) * scale;
  all_.mean_variance = std::min(all_.mean_variance / (scale * scale), 1.);
  all_.covariance = Matrix::Identity(box_.features, box_.features) / 2;
}

std::vector<double> GmmStart::noisy_cells(RandomStream& random, const BinCounts& exact) const {
  const RoundedNormal law(bin_noise());
  std::vector<double> cells;
  for (int v = 0; v < std::ssize(grid_.frame.classes); ++v) {
    for (int c = 0; c < grid_.bins(); ++c) {
      cells.push_back(to_double(noisy(random, law, exact.count(v, c))));
    }
  }
  return cells;
}

void GmmStart::choose_axes(const std::vector<double>& cells) {
  const Matrix directions =
      telling_directions(all_, candidate_directions(all_), cells, bin_noise(), kMostAxes);
  all_ = seen_along(all_, directions);
  axes_ = static_cast<int>(directions.rows());
}

void GmmStart::lay_grid() {
  const int d = box_.features;
  grid_.axes = axes_;
  grid_.frame = box_;
  grid_.frame.diagonal = false;
  grid_.frame.classes.resize(1);
  const auto n = static_cast<std::size_t>(axes_ - 1);
  const double cells = all_.divisor() / (kRowsPerCell[n] * bin_noise());
  grid_.side = static_cast<int>(
      std::clamp(std::pow(cells, 1. / axes_), kLeastCells, static_cast<double>(kMostCells[n])));
  Matrix map = inverse_of(all_.axes).matrix;
  map.bottomRows(d - grid_.axes).setZero();
  grid_.frame.classes = {class_at(box_, all_.centre, map, false)};
  grid_.frame.classes.front().radius = kReach[n];
}

void GmmStart::take_cells(RandomStream& random, const std::vector<double>& cells) {
  const GaussianMixture found = fit_cells({grid_, cells, bin_noise()}, wanted_, random);
  // In the directions that the grid did not look at, a component is as wide as all rows.
  const Eigen::Index d = box_.features, m = grid_.axes;
  for (const GaussianMixture::Component& f : found.components) {
    GmmComponent& c = components_.emplace_back(all_);
    c.covariance.topLeftCorner(m, m) = Eigen::Map<const Matrix>(f.covariance.data(), m, m);
    Vector mean = Vector::Zero(d);
    mean.head(m) = Eigen::Map<const Vector>(f.mean.data(), m);
    c.centre = (c.centre + c.axes * mean).cwiseMax(-1).cwiseMin(1);
    c.mean_variance = c.covariance_variance = 0;
    rewhiten(c, CovarianceShape::full);
    c.mean_variance = c.covariance_variance = 1;  // it may be anything
    c.rows = f.weight * all_.rows;
    c.rows_variance = std::pow(all_.divisor(), 2);
  }
}

}  // namespace dpmix
