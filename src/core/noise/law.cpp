#include "core/noise/law.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "core/base/normal_tail.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/noise/box_law.hpp"
#include "core/noise/gaussian/quasi.hpp"
#include "core/noise/steps/moments.hpp"

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

QuasiGaussian unit_quasi(const NoiseLaw& law) {
  return {law.scale / law.sensitivity, law.weight_epsilon};
}

double step_unit(const NoiseLaw& law) {
  return law.sensitivity / law.steps.sensitivity;
}

}  // namespace

std::string_view name(Family family) {
  switch (family) {
    case Family::gaussian:
      return "gaussian";
    case Family::multi_gaussian:
      return "multi_gaussian";
    case Family::quasi_gaussian:
      return "quasi_gaussian";
    case Family::laplace:
      return "laplace";
    case Family::staircase:
      return "staircase";
    case Family::truncated_laplace:
      return "truncated_laplace";
    case Family::tulap:
      return "tulap";
    case Family::optimal:
      return "optimal";
  }
  return "";
}

std::optional<Family> family_of(std::string_view text) {
  for (Family family : kFamilies) {
    if (text == name(family)) return family;
  }
  return std::nullopt;
}

std::string family_names() {
  std::string names;
  for (Family family : kFamilies) {
    if (!names.empty()) names += ", ";
    names += name(family);
  }
  return names;
}

bool is_step(Family family) {
  return family == Family::staircase || family == Family::truncated_laplace ||
         family == Family::tulap || family == Family::optimal;
}

bool is_pure(Family family) {
  return family == Family::laplace || family == Family::staircase;
}

bool is_of_box(const NoiseLaw& law) {
  return law.family == Family::laplace && law.components > 1;
}

BoxLaw box_law(const NoiseLaw& law) {
  return {law.components, law.sensitivity / law.scale};
}

void check_law(const NoiseLaw& law) {
  require_in_range(std::isnormal(law.sensitivity) && law.sensitivity > 0, "sensitivity",
                   law.sensitivity, "finite and greater than 0");
  require_in_range(std::isnormal(law.scale) && law.scale > 0, "scale", law.scale,
                   "finite and greater than 0");
  if (is_step(law.family)) check_step_law(law.steps);
  if (law.family == Family::laplace) {
    require_in_range(law.components >= 0 && law.components <= kMostTogether, "components",
                     law.components, "between 0 and 32 for laplace");
  }
  if (law.family != Family::multi_gaussian && law.family != Family::quasi_gaussian) return;
  const double relative = law.scale / law.sensitivity;
  require_in_range(
      relative >= 1e-5 && relative <= 1e9, "scale", law.scale,
      "between 1e-5 and 1e9 times the sensitivity for multi_gaussian and quasi_gaussian");
  require_in_range(law.weight_epsilon >= 0 && law.weight_epsilon <= 1e7, "weight_epsilon",
                   law.weight_epsilon, "between 0 and 1e7");
  if (law.family == Family::quasi_gaussian) return;
  require_in_range(law.components >= 1 && law.components <= 1000, "components", law.components,
                   "between 1 and 1000");
}

double expected_abs(const NoiseLaw& law) {
  switch (law.family) {
    case Family::gaussian:
      return folded_mean(0, law.scale);
    case Family::multi_gaussian:
      return over_components(law, [&](double c) { return folded_mean(c, law.scale); });
    case Family::quasi_gaussian:
      return law.sensitivity * quasi_expected_abs(unit_quasi(law));
    case Family::laplace:
      return is_of_box(law) ? box_expected_abs(box_law(law), law.sensitivity) : law.scale;
    default:
      return step_unit(law) * step_expected_abs(law.steps);
  }
}

double variance(const NoiseLaw& law) {
  switch (law.family) {
    case Family::gaussian:
      return law.scale * law.scale;
    case Family::multi_gaussian:
      return over_components(law, [&](double c) { return law.scale * law.scale + c * c; });
    case Family::quasi_gaussian:
      return law.sensitivity * law.sensitivity * quasi_variance(unit_quasi(law));
    case Family::laplace:
      return is_of_box(law) ? box_variance(box_law(law), law.sensitivity)
                            : 2 * law.scale * law.scale;
    default:
      return step_unit(law) * step_unit(law) * step_variance(law.steps);
  }
}

double cdf(const NoiseLaw& law, double z) {
  switch (law.family) {
    case Family::gaussian:
      return upper_tail(-z / law.scale);
    case Family::multi_gaussian:
      return over_components(law, [&](double c) {
        return 0.5 * (upper_tail((-c - z) / law.scale) + upper_tail((c - z) / law.scale));
      });
    case Family::quasi_gaussian:
      return quasi_cdf(unit_quasi(law), z / law.sensitivity);
    case Family::laplace: {
      const double tail =
          0.5 * (is_of_box(law) ? box_tail(box_law(law), 2 * std::fabs(z) / law.sensitivity)
                                : std::exp(-std::fabs(z) / law.scale));
      return z < 0 ? tail : 1 - tail;
    }
    default: {
      const double k = std::floor(z / step_unit(law));  // P(K <= k)
      return k < 0 ? step_tail(law.steps, -k - 1) / 2 : 1 - step_tail(law.steps, k) / 2;
    }
  }
}

double support(const NoiseLaw& law) {
  if (!is_step(law.family)) return std::numeric_limits<double>::infinity();
  return step_unit(law) * law.steps.cutoff;
}

}  // namespace dpmix
