#include "core/mixture/methods/method.hpp"

#include <string>

#include "core/base/error.hpp"
#include "core/mixture/methods/em.hpp"
#include "core/mixture/methods/label_only.hpp"
#include "core/mixture/methods/one_shot.hpp"
#include "core/mixture/methods/projected.hpp"
#include "core/mixture/methods/staged.hpp"

namespace dpmix {
namespace {

constexpr std::pair<GmmMethod, std::string_view> kNames[] = {
    {GmmMethod::staged, "staged"},         {GmmMethod::one_shot, "one_shot"},
    {GmmMethod::label_only, "label_only"}, {GmmMethod::em, "em"},
    {GmmMethod::kmeans, "kmeans"},
};

[[noreturn]] void refuse(std::string message, std::string detail, std::string hint) {
  throw Error(ErrorCode::invalid_parameter, std::move(message), std::move(detail), std::move(hint));
}

GmmMethod best_method(const GmmRequest& request) {
  if (request.classes == 0) return GmmMethod::em;
  return request.adjacency == Adjacency::label ? GmmMethod::label_only : GmmMethod::staged;
}

void require_fit(GmmMethod method, const GmmRequest& request) {
  if (fits(method, request.classes, request.adjacency)) return;
  std::string detail = "It is " + std::string(name(method)) + "; a mixture " +
                       (request.classes == 0 ? "without" : "with") + " a label under adjacency " +
                       std::string(name(request.adjacency)) +
                       " is made by: " + fitting_methods(request.classes, request.adjacency) + ".";
  if (method == GmmMethod::label_only) {
    detail += " label_only keeps its guarantee under adjacency label alone.";
  }
  refuse("the method does not fit this mixture", std::move(detail),
         "Leave method out to get the best there is.");
}

}  // namespace

bool fits(GmmMethod method, int classes, Adjacency adjacency) {
  switch (method) {
    case GmmMethod::staged:
    case GmmMethod::one_shot:
      return classes > 0 && adjacency != Adjacency::label;
    case GmmMethod::label_only:
      return classes > 0 && adjacency == Adjacency::label;
    case GmmMethod::em:
    case GmmMethod::kmeans:
      return classes == 0 && adjacency != Adjacency::label;
  }
  return false;
}

std::string fitting_methods(int classes, Adjacency adjacency) {
  std::string names;
  for (const auto& [method, name] : kNames) {
    if (fits(method, classes, adjacency)) (names += names.empty() ? "" : ", ") += name;
  }
  return names;
}

std::string_view name(PassKind kind) {
  constexpr std::string_view names[] = {"class_moments", "class_distances", "class_clusters",
                                        "soft_moments",  "cells",           "feature_sample",
                                        "row_moments",   "row_distances"};
  return names[static_cast<int>(kind)];
}

std::string_view name(GmmMethod method) {
  for (const auto& [known, name] : kNames) {
    if (known == method) return name;
  }
  return "";
}

std::optional<GmmMethod> gmm_method_of(std::string_view text) {
  for (const auto& [method, name] : kNames) {
    if (text == name) return method;
  }
  return std::nullopt;
}

std::vector<double> Pass::pack() const {
  std::vector<double> packed = frame.pack();
  packed.insert(packed.end(), extra.begin(), extra.end());
  return packed;
}

namespace {

std::unique_ptr<GmmMechanism> start_in_all_dimensions(const GmmRequest& request) {
  const GmmMethod method = request.method.value_or(best_method(request));
  require_fit(method, request);
  switch (method) {
    case GmmMethod::staged:
      return std::make_unique<StagedGmm>(request);
    case GmmMethod::one_shot:
      return std::make_unique<OneShotGmm>(request);
    case GmmMethod::label_only:
      return std::make_unique<LabelOnlyGmm>(request);
    case GmmMethod::em:
    case GmmMethod::kmeans:
      return std::make_unique<EmGmm>(request);
  }
  return nullptr;  // there are no other methods
}

}  // namespace

std::unique_ptr<GmmMechanism> start_gmm(const GmmRequest& request) {
  if (!request.dimensions) return start_in_all_dimensions(request);
  return std::make_unique<ProjectedGmm>(request, start_in_all_dimensions);
}

}  // namespace dpmix
