// dpmix.calibrate, dpmix.delta_of, dpmix.noise: what noise costs and looks like, before any budget
// is spent. Pure functions of public numbers; they read no table.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/mechanism/noise_sampler.hpp"
#include "core/mechanism/parameter.hpp"
#include "core/mechanism/privacy_curve.hpp"
#include "pg/calibration_cache.hpp"
#include "pg/entropy.hpp"
#include "pg/guard.hpp"

extern "C" {
#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/tuplestore.h"
}

namespace dpmix::pg {
namespace {

constexpr int kMostDraws = 10'000'000;
constexpr int kDrawsBetweenInterrupts = 1024;
// dpmix.noise draws on the lattice of the sensitivity divided by 2^20: fine enough for its shape to
// be that of the continuous law.
constexpr int kNoiseLatticeBits = 20;

// Arguments as plain values. NULL is NaN in a float8 and nullptr in a text, so that one rule
// refuses it: inside guard(), with PV005.
double float8_argument(FunctionCallInfo fcinfo, int n) {
  return PG_ARGISNULL(n) ? std::numeric_limits<double>::quiet_NaN() : PG_GETARG_FLOAT8(n);
}
const char* text_argument(FunctionCallInfo fcinfo, int n) {
  return PG_ARGISNULL(n) ? nullptr : text_to_cstring(PG_GETARG_TEXT_PP(n));
}

struct IntegerArgument {
  bool is_null;
  int value;
  std::optional<int> optional() const { return is_null ? std::nullopt : std::optional(value); }
};
IntegerArgument integer_argument(FunctionCallInfo fcinfo, int n) {
  return {PG_ARGISNULL(n), PG_ARGISNULL(n) ? 0 : PG_GETARG_INT32(n)};
}

void require(double value, const char* what) {
  if (std::isnan(value)) {
    refuse_parameter(std::string(what) + " is missing", std::string(what) + " is NULL or NaN.",
                     std::string("Give ") + what + " a value.");
  }
}

Family required_family(const char* text) {
  if (text != nullptr) {
    if (const auto family = family_of(text)) return *family;
  }
  refuse_parameter(
      text == nullptr ? "mechanism is missing" : "unknown mechanism",
      text == nullptr ? "mechanism is NULL."
                      : std::string("There is no mechanism \"") + text + "\".",
      "Mechanisms are gaussian, multi_gaussian and laplace; calibrate and noise also take auto.");
}

struct Request {
  const char* mechanism;
  double epsilon, delta, sensitivity;
  IntegerArgument components;
};

// Inside guard().
Calibration calibration_of(const Request& request, double sensitivity) {
  require(request.epsilon, "epsilon");
  require(request.delta, "delta");
  require(request.sensitivity, "sensitivity");
  if (request.mechanism != nullptr && std::string_view(request.mechanism) == "auto") {
    return cached_least_error(request.epsilon, request.delta, sensitivity,
                              request.components.optional());
  }
  return cached_calibration(required_family(request.mechanism), request.epsilon, request.delta,
                            sensitivity, request.components.optional());
}

struct Described {
  Calibration calibration;
  double expected_abs, variance;
};

}  // namespace
}  // namespace dpmix::pg

extern "C" {
using namespace dpmix;
using namespace dpmix::pg;

PG_FUNCTION_INFO_V1(dpmix_calibrate);
PG_FUNCTION_INFO_V1(dpmix_delta_of);
PG_FUNCTION_INFO_V1(dpmix_noise);

Datum dpmix_calibrate(PG_FUNCTION_ARGS) {
  const Request request{text_argument(fcinfo, 0), float8_argument(fcinfo, 1),
                        float8_argument(fcinfo, 2), float8_argument(fcinfo, 3),
                        integer_argument(fcinfo, 4)};
  const Described found = guard([&] {
    const Calibration calibration = calibration_of(request, request.sensitivity);
    return Described{calibration, expected_abs(calibration.law), variance(calibration.law)};
  });

  TupleDesc descriptor;
  if (get_call_result_type(fcinfo, nullptr, &descriptor) != TYPEFUNC_COMPOSITE) {
    elog(ERROR, "return type must be a row type");
  }
  const NoiseLaw& law = found.calibration.law;
  const std::string_view family = name(law.family);
  const Datum values[] = {
      PointerGetDatum(cstring_to_text_with_len(family.data(), static_cast<int>(family.size()))),
      Float8GetDatum(law.scale),
      Int32GetDatum(law.components),
      Float8GetDatum(found.expected_abs),
      Float8GetDatum(found.variance),
      Float8GetDatum(found.calibration.delta_certified)};
  const bool nulls[] = {false, false, law.family != Family::multi_gaussian, false, false, false};
  HeapTuple tuple = heap_form_tuple(BlessTupleDesc(descriptor), const_cast<Datum*>(values),
                                    const_cast<bool*>(nulls));
  PG_RETURN_DATUM(HeapTupleGetDatum(tuple));
}

Datum dpmix_delta_of(PG_FUNCTION_ARGS) {
  const char* mechanism = text_argument(fcinfo, 0);
  const double epsilon = float8_argument(fcinfo, 1), scale = float8_argument(fcinfo, 2),
               sensitivity = float8_argument(fcinfo, 3);
  const IntegerArgument components = integer_argument(fcinfo, 4);
  const bool at_one_shift = !PG_ARGISNULL(5);
  const double shift = float8_argument(fcinfo, 5);
  const double weight_epsilon = PG_ARGISNULL(6) ? epsilon : PG_GETARG_FLOAT8(6);
  const double delta = guard([&] {
    const Family family = required_family(mechanism);
    require(epsilon, "epsilon");
    require(scale, "scale");
    require(sensitivity, "sensitivity");
    check_epsilon_delta(epsilon, 0);
    if (components.is_null == (family == Family::multi_gaussian)) {
      refuse_parameter(
          components.is_null ? "components is missing" : "components given for a mechanism without",
          "multi_gaussian has components, the other mechanisms have none.",
          components.is_null ? "Give components a value between 1 and 1000."
                             : "Leave components out.");
    }
    const NoiseLaw law{family, sensitivity, scale, components.value,
                       family == Family::multi_gaussian ? weight_epsilon : 0};
    if (!at_one_shift) return delta_bound(law, epsilon);
    check_law(law);
    if (!(shift >= 0 && shift <= sensitivity)) {
      refuse_parameter(
          "shift out of range",
          "shift is " + shortest(shift) + "; it must be between 0 and the sensitivity.",
          "Leave shift out to get the supremum over all shifts.");
    }
    return delta_at(law, epsilon, shift);
  });
  PG_RETURN_FLOAT8(delta);
}

Datum dpmix_noise(PG_FUNCTION_ARGS) {
  const Request request{text_argument(fcinfo, 0), float8_argument(fcinfo, 1),
                        float8_argument(fcinfo, 2), float8_argument(fcinfo, 3),
                        integer_argument(fcinfo, 5)};
  const IntegerArgument draws = integer_argument(fcinfo, 4);
  const NoiseLaw law = guard([&] {
    if (draws.is_null || draws.value < 1 || draws.value > kMostDraws) {
      refuse_parameter("draws out of range",
                       (draws.is_null ? std::string("draws is NULL")
                                      : "draws is " + std::to_string(draws.value)) +
                           "; it must be between 1 and " + std::to_string(kMostDraws) + ".",
                       "Ask for fewer draws at a time.");
    }
    calibration_of(request, request.sensitivity);  // refuses what calibrate refuses
    return calibration_of(request, std::ldexp(1.0, kNoiseLatticeBits)).law;
  });
  const double step = std::ldexp(request.sensitivity, -kNoiseLatticeBits);

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
      const NoiseSampler draw(law);
      for (int i = 0; i < count; ++i) values[i] = to_double(draw(random)) * step;
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
