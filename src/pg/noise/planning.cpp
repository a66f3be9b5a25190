// The planning tools: what noise costs and looks like, before any budget is spent. Pure functions
// of public numbers; they read no table.
//
// A server may have this library and still the SQL objects of 0.1.0, until ALTER EXTENSION UPDATE:
// delta_of then has no cutoff, and calibrate returns no support.
#include <algorithm>
#include <cmath>
#include <string>

#include "core/noise/sampler.hpp"
#include "core/base/refuse_parameter.hpp"
#include "core/noise/privacy_curve.hpp"
#include "core/noise/gaussian/quasi.hpp"
#include "core/noise/step_family.hpp"
#include "core/published/quasi_scale.hpp"
#include "core/noise/lattice_moments.hpp"
#include "pg/noise/calibration_cache.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/arguments.hpp"

extern "C" {
#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/tuplestore.h"
}

namespace dpmix::pg {
namespace {

constexpr int kMostDraws = 10'000'000;
constexpr int kDrawsBetweenInterrupts = 1024;
constexpr const char* kPositive = "finite and greater than 0";

bool is_auto(const char* mechanism) {
  return mechanism != nullptr && std::string_view(mechanism) == "auto";
}

struct Request {
  const char* mechanism;
  double epsilon, delta, sensitivity;
  IntegerArgument components;
};

using Calibrator = Calibration (*)(Family, double epsilon, double delta, double sensitivity,
                                   std::optional<int> components);

// `auto`: the least expected |noise|; of equal ones the earlier, for the pure families come first.
// The two mixtures stand back: certifying them takes longest, and `optimal` undercuts them. With
// components given: multi_gaussian.
Calibration least_error(const Request& request, Calibrator calibrated, double sensitivity) {
  if (!request.components.is_null) {
    return calibrated(Family::multi_gaussian, request.epsilon, request.delta, sensitivity,
                      request.components.value);
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
  require(request.epsilon, "epsilon", "between 1e-6 and 1e7");
  require(request.delta, "delta", "between 0 and 0.5");
  require(request.sensitivity, "sensitivity", kPositive);
  if (is_auto(request.mechanism)) return least_error(request, calibrated, sensitivity);
  return calibrated(required_family(request.mechanism), request.epsilon, request.delta, sensitivity,
                    request.components.optional());
}

// The very noise of a release on the lattice of sensitivity / 2^20: fine enough for its shape to
// be that of a continuous law.
struct LatticeNoise {
  NoiseLaw law;  // in lattice units
  double step;
};

// Inside guard().
LatticeNoise lattice_noise(const Request& request) {
  require(request.sensitivity, "sensitivity", kPositive);
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

// Inside guard(): the law that delta_of's arguments describe.
struct Described {
  const char* mechanism;
  double epsilon, scale, sensitivity, weight_epsilon, cutoff;
  IntegerArgument components;
  bool has_cutoff;
};

NoiseLaw described_law(const Described& noise) {
  const Family family = required_family(noise.mechanism);
  require(noise.epsilon, "epsilon", "between 1e-6 and 1e7");
  require(noise.scale, "scale", kPositive);
  require(noise.sensitivity, "sensitivity", kPositive);
  check_epsilon_delta(noise.epsilon, 0);
  if (noise.components.is_null == (family == Family::multi_gaussian)) {
    refuse_parameter(noise.components.is_null ? "components is missing"
                                              : "components given for a mechanism without",
                     "multi_gaussian has components, the other mechanisms have none.",
                     noise.components.is_null ? "Give components a value between 1 and 1000."
                                              : "Leave components out.");
  }
  const bool cut_off = family == Family::truncated_laplace || family == Family::tulap;
  if (noise.has_cutoff != cut_off) {
    refuse_parameter(
        cut_off ? "cutoff is missing" : "cutoff given for a mechanism without",
        "truncated_laplace and tulap have a cutoff, the other mechanisms that delta_of takes none.",
        cut_off ? "Give cutoff the largest |noise| there is; calibrate calls it support."
                : "Leave cutoff out.");
  }
  if (is_step(family)) {
    return step_family_law(family, noise.scale, noise.sensitivity, noise.cutoff);
  }
  const bool weighted = family == Family::multi_gaussian || family == Family::quasi_gaussian;
  return {.family = family,
          .sensitivity = noise.sensitivity,
          .scale = noise.scale,
          .components = noise.components.value,
          .weight_epsilon = weighted ? noise.weight_epsilon : 0};
}

struct Calibrated {
  Calibration calibration;
  double expected_abs, variance, support;
};

}  // namespace
}  // namespace dpmix::pg

extern "C" {
using namespace dpmix;
using namespace dpmix::pg;

PG_FUNCTION_INFO_V1(dpmix_calibrate);
PG_FUNCTION_INFO_V1(dpmix_delta_of);
PG_FUNCTION_INFO_V1(dpmix_noise);
PG_FUNCTION_INFO_V1(dpmix_noise_interval);
PG_FUNCTION_INFO_V1(dpmix_published_scale);

Datum dpmix_calibrate(PG_FUNCTION_ARGS) {
  const Request request{text_argument(fcinfo, 0), float8_argument(fcinfo, 1),
                        float8_argument(fcinfo, 2), float8_argument(fcinfo, 3),
                        integer_argument(fcinfo, 4)};
  const Calibrated found = guard([&] {
    const Calibration calibration =
        calibration_of(request, cached_calibration, request.sensitivity);
    const NoiseLaw& law = calibration.law;
    return Calibrated{calibration, expected_abs(law), variance(law), support(law)};
  });

  TupleDesc descriptor;
  if (get_call_result_type(fcinfo, nullptr, &descriptor) != TYPEFUNC_COMPOSITE) {
    elog(ERROR, "return type must be a row type");
  }
  const NoiseLaw& law = found.calibration.law;
  const std::string_view family = name(law.family);
  Datum values[] = {
      PointerGetDatum(cstring_to_text_with_len(family.data(), static_cast<int>(family.size()))),
      Float8GetDatum(law.scale),
      Int32GetDatum(law.components),
      Float8GetDatum(found.expected_abs),
      Float8GetDatum(found.variance),
      Float8GetDatum(found.calibration.delta_certified),
      Float8GetDatum(found.support)};
  bool nulls[] = {false,
                  false,
                  law.family != Family::multi_gaussian,
                  false,
                  false,
                  false,
                  std::isinf(found.support)};
  if (descriptor->natts > static_cast<int>(lengthof(values))) {
    elog(ERROR, "the row type has too many columns");
  }
  HeapTuple tuple = heap_form_tuple(BlessTupleDesc(descriptor), values, nulls);
  PG_RETURN_DATUM(HeapTupleGetDatum(tuple));
}

Datum dpmix_delta_of(PG_FUNCTION_ARGS) {
  const bool has_cutoff = PG_NARGS() > 7 && !PG_ARGISNULL(7);
  const Described noise{.mechanism = text_argument(fcinfo, 0),
                        .epsilon = float8_argument(fcinfo, 1),
                        .scale = float8_argument(fcinfo, 2),
                        .sensitivity = float8_argument(fcinfo, 3),
                        .weight_epsilon = float8_argument(fcinfo, PG_ARGISNULL(6) ? 1 : 6),
                        .cutoff = has_cutoff ? PG_GETARG_FLOAT8(7) : 0,
                        .components = integer_argument(fcinfo, 4),
                        .has_cutoff = has_cutoff};
  const bool at_one_shift = !PG_ARGISNULL(5);
  const double shift = float8_argument(fcinfo, 5);
  const double delta = guard([&] {
    const NoiseLaw law = described_law(noise);
    check_law(law);
    if (!at_one_shift) return delta_bound(law, noise.epsilon);
    if (!(shift >= 0 && shift <= noise.sensitivity)) {
      refuse_parameter(
          "shift out of range",
          "shift is " + shortest(shift) + "; it must be between 0 and the sensitivity.",
          "Leave shift out to get the supremum over all shifts.");
    }
    return delta_at(law, noise.epsilon, shift);
  });
  PG_RETURN_FLOAT8(delta);
}

// The half width of the interval of a level around an answer.
Datum dpmix_noise_interval(PG_FUNCTION_ARGS) {
  const Request request{text_argument(fcinfo, 0), float8_argument(fcinfo, 1),
                        float8_argument(fcinfo, 2), float8_argument(fcinfo, 3),
                        integer_argument(fcinfo, 5)};
  const double level = float8_argument(fcinfo, 4);
  const double half_width = guard([&] {
    require(level, "level", "between 0 and 1, both excluded");
    const LatticeNoise noise = lattice_noise(request);
    return noise.step * lattice_quantile(noise.law, 1, level);
  });
  PG_RETURN_FLOAT8(half_width);
}

// What a paper says; no release uses it.
Datum dpmix_published_scale(PG_FUNCTION_ARGS) {
  const char* mechanism = text_argument(fcinfo, 0);
  const double epsilon = float8_argument(fcinfo, 1), delta = float8_argument(fcinfo, 2),
               sensitivity = float8_argument(fcinfo, 3);
  const double scale = guard([&] {
    const Family family = required_family(mechanism);
    if (family != Family::quasi_gaussian) {
      refuse_parameter("no published scale for " + std::string(name(family)),
                       "Only quasi_gaussian has one that differs from the certified scale.",
                       "Use dpmix.calibrate.");
    }
    require(epsilon, "epsilon", "between 1e-6 and 1e7");
    require(delta, "delta", "between 1e-300 and 0.5");
    require(sensitivity, "sensitivity", kPositive);
    check_epsilon_delta(epsilon, delta);
    if (delta < kLeastDelta) {
      refuse_parameter("delta out of range",
                       "delta is " + shortest(delta) + "; it must be between 1e-300 and 0.5.",
                       "quasi_gaussian is not (epsilon, 0)-DP at any scale.");
    }
    NoiseLaw law{.family = family, .sensitivity = sensitivity, .scale = sensitivity};
    check_law(law);
    law.scale *= published_quasi_scale(epsilon, delta);
    check_law(law);
    return law.scale;
  });
  PG_RETURN_FLOAT8(scale);
}

Datum dpmix_noise(PG_FUNCTION_ARGS) {
  const Request request{text_argument(fcinfo, 0), float8_argument(fcinfo, 1),
                        float8_argument(fcinfo, 2), float8_argument(fcinfo, 3),
                        integer_argument(fcinfo, 5)};
  const IntegerArgument draws = integer_argument(fcinfo, 4);
  const LatticeNoise noise = guard([&] {
    if (draws.is_null || draws.value < 1 || draws.value > kMostDraws) {
      refuse_parameter("draws out of range",
                       (draws.is_null ? std::string("draws is NULL")
                                      : "draws is " + std::to_string(draws.value)) +
                           "; it must be between 1 and " + std::to_string(kMostDraws) + ".",
                       "Ask for fewer draws at a time.");
    }
    return lattice_noise(request);
  });

  InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
  ReturnSetInfo* result = reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo);
  RandomStream::Key key;
  double values[kDrawsBetweenInterrupts];
  for (int done = 0; done < draws.value;) {
    CHECK_FOR_INTERRUPTS();
    const int count = std::min(draws.value - done, kDrawsBetweenInterrupts);
    fresh_key(key);
    guard([&] {
      RandomStream random(key);
      const NoiseSampler draw(noise.law);
      for (int i = 0; i < count; ++i) values[i] = to_double(draw(random)) * noise.step;
    });
    explicit_bzero(key.data(), key.size());
    for (int i = 0; i < count; ++i) {
      Datum value = Float8GetDatum(values[i]);
      bool is_null = false;
      tuplestore_putvalues(result->setResult, result->setDesc, &value, &is_null);
    }
    done += count;
  }
  return static_cast<Datum>(0);
}
}
