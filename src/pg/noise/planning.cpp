// The planning tools: what noise costs and looks like, before any budget is spent. Pure functions
// of public numbers; they read no table.
#include <algorithm>

#include "core/base/refuse_parameter.hpp"
#include "core/noise/lattice_moments.hpp"
#include "core/noise/privacy_curve.hpp"
#include "core/noise/sampler.hpp"
#include "core/noise/step_family.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/noise/calibration_cache.hpp"
#include "pg/noise/mechanism.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_calibrate);
PG_FUNCTION_INFO_V1(dpmix_delta_of);
PG_FUNCTION_INFO_V1(dpmix_noise);
PG_FUNCTION_INFO_V1(dpmix_noise_interval);
}

namespace dpmix::pg {
namespace {

constexpr int kMostDraws = 10'000'000;
constexpr int kDrawsBetweenInterrupts = 1024;
struct Request {
  std::optional<Family> mechanism;  // none: auto
  double epsilon, delta, sensitivity;
  std::optional<int> components;
};

// The first four arguments, and this one.
Request request_arguments(FunctionCallInfo fcinfo, int components) {
  require_arguments(fcinfo, 4);
  return {mechanism_argument(fcinfo, 0), PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2),
          PG_GETARG_FLOAT8(3), int4_argument(fcinfo, components)};
}

using Calibrator = Calibration (*)(Family, double epsilon, double delta, double sensitivity,
                                   std::optional<int> components);

// `auto`: the least expected |noise|; of equal ones the earlier, for the pure families come first.
// The two mixtures stand back: certifying them takes longest, and `optimal` undercuts them. With
// components given: multi_gaussian.
Calibration least_error(const Request& request, Calibrator calibrated, double sensitivity) {
  if (request.components) {
    return calibrated(Family::multi_gaussian, request.epsilon, request.delta, sensitivity,
                      request.components);
  }
  constexpr Family kTried[] = {Family::laplace,           Family::staircase, Family::gaussian,
                               Family::truncated_laplace, Family::tulap,     Family::optimal};
  std::optional<Calibration> best;
  double least = 0;
  for (Family family : kTried) {
    if (!is_pure(family) && request.delta < kLeastDelta) continue;
    const Calibration other =
        calibrated(family, request.epsilon, request.delta, sensitivity, std::nullopt);
    const double error = expected_abs(other.law);
    if (best && error >= least * (1 - 1e-6)) continue;
    best = other;
    least = error;
  }
  return *best;
}

// Inside guard(). The sensitivity may be in other units than the request's.
Calibration calibration_of(const Request& request, Calibrator calibrated, double sensitivity) {
  if (!request.mechanism) return least_error(request, calibrated, sensitivity);
  return calibrated(*request.mechanism, request.epsilon, request.delta, sensitivity,
                    request.components);
}

// The very noise of a release on the lattice of sensitivity / 2^20: fine enough for its shape to
// be that of a continuous law.
struct LatticeNoise {
  NoiseLaw law;  // in lattice units
  double step;
};

// Inside guard().
LatticeNoise lattice_noise(const Request& request) {
  const double step = request.sensitivity / kFineLattice;
  if (!(step > 0 && std::isnormal(step))) {
    refuse_parameter("sensitivity out of range",
                     "sensitivity is " + shortest(request.sensitivity) +
                         "; it must be finite and at least 1e-300.",
                     "State how much one privacy unit can change the statistic.");
  }
  const NoiseLaw law = calibration_of(request, cached_on_lattice, kFineLattice).law;
  NoiseLaw in_units = law;
  in_units.sensitivity = request.sensitivity;
  in_units.scale *= step;
  check_law(in_units);
  return {law, step};
}

struct Described {
  Family family;
  double epsilon, scale, sensitivity, weight_epsilon;
  std::optional<int> components;
  std::optional<double> cutoff;
};

// Inside guard(): the law that delta_of's arguments describe.
NoiseLaw described_law(const Described& noise) {
  const Family family = noise.family;
  check_epsilon_delta(noise.epsilon, 0);
  if (noise.components.has_value() != (family == Family::multi_gaussian)) {
    refuse_parameter(
        noise.components ? "components given for a mechanism without" : "components is missing",
        "multi_gaussian has components, the other mechanisms have none.",
        noise.components ? "Leave components out." : "Give components a value between 1 and 1000.");
  }
  const bool cut_off = family == Family::truncated_laplace || family == Family::tulap;
  if (noise.cutoff.has_value() != cut_off) {
    refuse_parameter(
        cut_off ? "cutoff is missing" : "cutoff given for a mechanism without",
        "truncated_laplace and tulap have a cutoff, the other mechanisms that delta_of takes none.",
        cut_off ? "Give cutoff the largest |noise| there is; calibrate calls it support."
                : "Leave cutoff out.");
  }
  if (is_step(family)) {
    return step_family_law(family, noise.scale, noise.sensitivity, noise.cutoff.value_or(0));
  }
  const bool weighted = family == Family::multi_gaussian || family == Family::quasi_gaussian;
  return {.family = family,
          .sensitivity = noise.sensitivity,
          .scale = noise.scale,
          .components = noise.components.value_or(0),
          .weight_epsilon = weighted ? noise.weight_epsilon : 0};
}

struct Calibrated {
  Calibration calibration;
  double expected_abs, variance, support;
};

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" {

Datum dpmix_calibrate(PG_FUNCTION_ARGS) {
  const Request request = request_arguments(fcinfo, 4);
  const Calibrated found = guard([&] {
    const Calibration calibration =
        calibration_of(request, cached_calibration, request.sensitivity);
    const NoiseLaw& law = calibration.law;
    return Calibrated{calibration, expected_abs(law), variance(law), support(law)};
  });
  const NoiseLaw& law = found.calibration.law;
  return row_datum(
      fcinfo, {name(law.family).data(), law.scale,
               value_if(law.family == Family::multi_gaussian, law.components), found.expected_abs,
               found.variance, found.calibration.delta_certified, finite_value(found.support)});
}

Datum dpmix_delta_of(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 4);
  const Described noise{.family = family_argument(fcinfo, 0),
                        .epsilon = PG_GETARG_FLOAT8(1),
                        .scale = PG_GETARG_FLOAT8(2),
                        .sensitivity = PG_GETARG_FLOAT8(3),
                        .weight_epsilon = float8_argument(fcinfo, 6).value_or(PG_GETARG_FLOAT8(1)),
                        .components = int4_argument(fcinfo, 4),
                        .cutoff = float8_argument(fcinfo, 7)};
  const std::optional<double> shift = float8_argument(fcinfo, 5);
  PG_RETURN_FLOAT8(guard([&] {
    const NoiseLaw law = described_law(noise);
    check_law(law);
    if (!shift) return delta_bound(law, noise.epsilon);
    if (!(*shift >= 0 && *shift <= noise.sensitivity)) {
      refuse_parameter(
          "shift out of range",
          "shift is " + shortest(*shift) + "; it must be between 0 and the sensitivity.",
          "Leave shift out to get the supremum over all shifts.");
    }
    return delta_at(law, noise.epsilon, *shift);
  }));
}

// The half width of the interval of a level around an answer.
Datum dpmix_noise_interval(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 5);
  const Request request = request_arguments(fcinfo, 5);
  const double level = PG_GETARG_FLOAT8(4);
  PG_RETURN_FLOAT8(guard([&] {
    const LatticeNoise noise = lattice_noise(request);
    return noise.step * lattice_quantile(noise.law, 1, level);
  }));
}

Datum dpmix_noise(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 5);
  const Request request = request_arguments(fcinfo, 5);
  const int draws = PG_GETARG_INT32(4);
  require_range(fcinfo, 4, draws, 1, kMostDraws, "Ask for fewer draws at a time.");
  const LatticeNoise noise = guard([&] { return lattice_noise(request); });
  const ResultRows rows = begin_rows(fcinfo, true);
  double values[kDrawsBetweenInterrupts];
  for (int done = 0; done < draws; done += kDrawsBetweenInterrupts) {
    CHECK_FOR_INTERRUPTS();
    const int count = std::min(draws - done, kDrawsBetweenInterrupts);
    guard_with_random([&](RandomStream& random) {
      const NoiseSampler draw(noise.law);
      for (int i = 0; i < count; ++i) values[i] = to_double(draw(random)) * noise.step;
    });
    for (int i = 0; i < count; ++i) add_row(rows, {values[i]});
  }
  return (Datum)0;
}
}
