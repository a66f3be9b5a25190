#include "core/mixture/methods/method.hpp"

#include <string>
#include <utility>

namespace dpmix {
namespace {

constexpr std::pair<GmmMethod, std::string_view> kNames[] = {
    {GmmMethod::staged, "staged"},         {GmmMethod::one_shot, "one_shot"},
    {GmmMethod::label_only, "label_only"}, {GmmMethod::em, "em"},
    {GmmMethod::kmeans, "kmeans"},
};

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

}  // namespace dpmix
