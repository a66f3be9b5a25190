#include "core/mechanism/noise_law.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include "core/mechanism/normal_tail.hpp"
#include "core/mechanism/parameter.hpp"

namespace dpmix {
namespace {

// Sums value(k, P(k)) over the components of multi_gaussian, k >= 0; P(k) is that of k and -k
// together when k > 0.
template <class Value>
double over_components(const NoiseLaw& law, Value value) {
  double total = 0, sum = 0;
  for (int k = law.components; k >= 0; --k) {
    const double weight = (k == 0 ? 1 : 2) * std::exp(-law.weight_epsilon * k);
    total += weight;
    sum += weight * value(k * law.sensitivity);
  }
  return sum / total;
}

// E|c + sigma N|
double folded_mean(double centre, double sigma) {
  const double x = centre / sigma;
  return sigma * 2 * normal_density(x) + centre * std::erf(x / std::numbers::sqrt2);
}

}  // namespace

std::string_view name(Family family) {
  switch (family) {
    case Family::gaussian:
      return "gaussian";
    case Family::multi_gaussian:
      return "multi_gaussian";
    case Family::laplace:
      return "laplace";
  }
  return "";
}

std::optional<Family> family_of(std::string_view text) {
  for (Family family : {Family::gaussian, Family::multi_gaussian, Family::laplace}) {
    if (text == name(family)) return family;
  }
  return std::nullopt;
}

void check_law(const NoiseLaw& law) {
  const auto require = [](bool holds, const std::string& what, double value, const char* range) {
    if (holds) return;
    refuse_parameter(what + " out of range",
                     what + " is " + shortest(value) + "; it must be " + range + ".",
                     "Choose " + what + " in this range.");
  };
  require(std::isnormal(law.sensitivity) && law.sensitivity > 0, "sensitivity", law.sensitivity,
          "finite and greater than 0");
  require(std::isnormal(law.scale) && law.scale > 0, "scale", law.scale,
          "finite and greater than 0");
  if (law.family != Family::multi_gaussian) return;
  const double relative = law.scale / law.sensitivity;
  require(relative >= 1e-5 && relative <= 1e9, "scale", law.scale,
          "between 1e-5 and 1e9 times the sensitivity for multi_gaussian");
  require(law.components >= 1 && law.components <= 1000, "components", law.components,
          "between 1 and 1000");
  require(law.weight_epsilon >= 0 && law.weight_epsilon <= 1e7, "weight_epsilon",
          law.weight_epsilon, "between 0 and 1e7");
}

double expected_abs(const NoiseLaw& law) {
  switch (law.family) {
    case Family::gaussian:
      return folded_mean(0, law.scale);
    case Family::multi_gaussian:
      return over_components(law, [&](double c) { return folded_mean(c, law.scale); });
    case Family::laplace:
      break;
  }
  return law.scale;
}

double variance(const NoiseLaw& law) {
  switch (law.family) {
    case Family::gaussian:
      return law.scale * law.scale;
    case Family::multi_gaussian:
      return over_components(law, [&](double c) { return law.scale * law.scale + c * c; });
    case Family::laplace:
      break;
  }
  return 2 * law.scale * law.scale;
}

double cdf(const NoiseLaw& law, double z) {
  switch (law.family) {
    case Family::gaussian:
      return upper_tail(-z / law.scale);
    case Family::multi_gaussian:
      return over_components(law, [&](double c) {
        return 0.5 * (upper_tail((-c - z) / law.scale) + upper_tail((c - z) / law.scale));
      });
    case Family::laplace:
      break;
  }
  const double tail = 0.5 * std::exp(-std::fabs(z) / law.scale);
  return z < 0 ? tail : 1 - tail;
}

}  // namespace dpmix
