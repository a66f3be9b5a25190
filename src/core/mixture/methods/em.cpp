#include "core/mixture/methods/em.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>

#include "core/base/refuse_parameter.hpp"
#include "core/mixture/methods/em_split.hpp"
#include "core/random/rounded_normal.hpp"

namespace dpmix {
namespace {

// Shares of mu^2. Chosen on simulated tables.
constexpr double kStart = .25;
constexpr std::array<double, 3> kFewRounds = {.2, .25, .3};             // em
constexpr std::array<double, 5> kManyRounds = {.1, .1, .12, .16, .27};  // in more dimensions
constexpr int kFewFeatures = 3;  // of which the start has seen all
constexpr std::array<double, 4> kClusterRounds = {.1, .1, .2, .35};  // kmeans
constexpr int kLloyd = 2;                                        // the first rounds: centres only
constexpr double kSmallestInside = .5, kLargestInside = .99999;  // of best_radius

std::span<const double> rounds(GmmMethod method, int features) {
  if (method == GmmMethod::kmeans) return kClusterRounds;
  if (features <= kFewFeatures) return kFewRounds;
  return kManyRounds;
}

const GmmRequest& checked(const GmmRequest& request) {
  const auto refuse = [](std::string message, std::string detail, std::string hint) {
    refuse_parameter(std::move(message), std::move(detail), std::move(hint));
  };
  if (request.classes != 0) {
    refuse("em and kmeans are for rows without a label", "A label is named.",
           "Leave label out, or use method staged.");
  }
  if (request.adjacency == Adjacency::label) {
    refuse("em and kmeans protect whole rows", "The table's adjacency is label.",
           "Name the label, or use a table with adjacency add_remove or replace.");
  }
  const int components = request.components.value_or(1);
  if (components < 1 || components > most_components) {
    refuse("invalid number of components",
           "components is " + std::to_string(components) + "; it must be from 1 to " +
               std::to_string(most_components) + ".",
           "Leave it NULL to have it chosen privately.");
  }
  box_frame(request.lower, request.upper, components);
  return request;
}

}  // namespace

EmGmm::EmGmm(const GmmRequest& request)
    : method_(request.method.value_or(GmmMethod::em)),
      shape_(checked(request).shape.value_or(CovarianceShape::full)),
      adjacency_(request.adjacency),
      mu_(request.mu),
      start_(request, request.mu * std::sqrt(kStart)),
      rounds_(rounds(method_, start_.box().features)) {
  GmmComponent widest;
  const int d = start_.box().features;
  widest.centre = Vector::Zero(d);
  widest.axes = widest.covariance = Matrix::Identity(d, d);
  const double last = mu_ * std::sqrt(rounds_.back());
  require_drawable(widest);
  count_stddev_ =
      soft_pass(start_.box(), {widest}, {adjacency_, last, shape_, kLargestInside}).noise[0].count /
      static_cast<double>(MixtureFrame::whole);
}

// Refuses here, before any row, what a later pass could not draw, whatever radius it takes.
void EmGmm::require_drawable(const GmmComponent& widest) const {
  const double least = std::min(kStart * GmmStart::least_share, *std::ranges::min_element(rounds_));
  for (const double inside : {kSmallestInside, kLargestInside}) {
    const SoftPassRequest request{adjacency_, mu_ * std::sqrt(least), shape_, inside};
    const MomentNoise noise = soft_pass(start_.box(), {widest}, request).noise[0];
    for (const double deviation : {noise.count, noise.sum, noise.square, noise.product}) {
      if (deviation > 0) (void)RoundedNormal(2 * deviation);
    }
  }
}

double EmGmm::pass_mu() const {
  if (!start_.done()) return start_.pass_mu();
  return mu_ * std::sqrt(rounds_[static_cast<std::size_t>(round_)]);
}

const std::vector<MomentNoise>& EmGmm::noise() const {
  return start_.done() ? soft_.noise : start_.noise();
}

std::optional<Pass> EmGmm::next() const {
  if (!start_.done()) return start_.next();
  if (round_ == std::ssize(rounds_)) return std::nullopt;
  return Pass{PassKind::soft_moments, soft_.frame.frame, soft_.frame.extra()};
}

void EmGmm::look() {
  SoftPassRequest request{adjacency_, pass_mu(), shape_};
  if (method_ == GmmMethod::em) {
    soft_ = soft_pass(start_.box(), components_, request);
    return;
  }
  request.squares = round_ >= kLloyd;
  soft_ = soft_pass(start_.box(), components_, request);
  // The nearest centre, in the box; once squares are looked at, the clusters stay as they are.
  if (round_ <= kLloyd) {
    clusters_ = start_.box();
    clusters_.classes.clear();
    const auto d = clusters_.features;
    for (const GmmComponent& c : components_) {
      clusters_.classes.push_back(class_at(start_.box(), c.centre, Matrix::Identity(d, d), true));
    }
  }
  soft_.frame.hard = true;
  soft_.frame.log_weight.assign(components_.size(), 0);
  soft_.frame.density = clusters_;
}

void EmGmm::take(RandomStream& random, const PassStatistics& exact) {
  if (!start_.done()) {
    start_.take(random, exact);
    if (!start_.done()) return;
    components_ = start_.components();
  } else {
    absorb(components_, add_noise(random, std::get<MomentTotals>(exact), soft_), soft_, shape_);
    if (++round_ == std::ssize(rounds_)) return;
    if (method_ == GmmMethod::em) split_and_merge(components_);
    for (GmmComponent& c : components_) rewhiten(c, shape_);
  }
  look();
}

GmmFit EmGmm::fit(GmmObjective objective) const {
  return mixture_of(components_, start_.box(), shape_, objective);
}

}  // namespace dpmix
