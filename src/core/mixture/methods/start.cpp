#include "core/mixture/methods/start.hpp"

#include <string>

#include "core/base/refuse_parameter.hpp"
#include "core/mixture/methods/em.hpp"
#include "core/mixture/methods/label_only.hpp"
#include "core/mixture/methods/one_shot.hpp"
#include "core/mixture/methods/projected.hpp"
#include "core/mixture/methods/staged.hpp"

namespace dpmix {
namespace {

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
  refuse_parameter("the method does not fit this mixture", std::move(detail),
                   "Leave method out to get the best there is.");
}

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
