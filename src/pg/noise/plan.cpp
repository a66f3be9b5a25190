// dpmix.plan_epsilon: what a plan of releases costs in all. A pure function of public numbers, like
// the other planning tools.
#include <vector>

#include "core/accounting/losses/plan_epsilon.hpp"
#include "core/base/refuse_parameter.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/noise/calibration_cache.hpp"
#include "pg/noise/mechanism.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/array.h"
PG_FUNCTION_INFO_V1(dpmix_plan_epsilon);
}

namespace dpmix::pg {
namespace {

constexpr int kMostParts = 100;
constexpr int64 kMostTimes = 1 << 30;
constexpr const char* kAny = "any";

enum Argument { kMechanisms, kEpsilons, kDeltas, kTimes, kDelta };

// The elements of an array argument, which is as long as the first and without NULLs.
Datum* elements(FunctionCallInfo fcinfo, int n, Oid type, int16 length, bool by_value, char align,
                int* count) {
  ArrayType* array = PG_GETARG_ARRAYTYPE_P(n);
  Datum* values;
  bool* nulls;
  int found;
  deconstruct_array(array, type, length, by_value, align, &values, &nulls, &found);
  if (n == kMechanisms) *count = found;
  bool whole = found == *count && found >= 1 && found <= kMostParts && ARR_NDIM(array) == 1;
  for (int i = 0; whole && i < found; i++) whole = !nulls[i];
  if (!whole) {
    refuse_argument(
        psprintf("%s does not list the parts of a plan", parameter_name(fcinfo, n)),
        psprintf("It has %d elements, mechanisms has %d.", found, *count),
        psprintf("Pass lists of equal length, 1 to %d parts, without NULLs.", kMostParts));
  }
  return values;
}

struct Asked {
  bool any;
  std::optional<Family> family;
  double epsilon, delta;
  int64 times;
};

// Inside guard().
PlanPart part_of(const Asked& asked) {
  require_in_range(asked.epsilon >= 1e-6 && asked.epsilon <= 1e7, "epsilon", asked.epsilon,
                   "1e-6 to 1e7");
  require_in_range(asked.delta >= 0 && asked.delta <= .5, "delta", asked.delta, "0 to 0.5");
  PlanPart part = {std::nullopt, asked.epsilon, asked.delta, asked.times};
  if (!asked.any) {
    part.law =
        cached_on_lattice(*asked.family, asked.epsilon, asked.delta, kFineLattice, std::nullopt)
            .law;
  }
  return part;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_plan_epsilon(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 5);
  int count = 0;
  const Datum* mechanisms = elements(fcinfo, kMechanisms, TEXTOID, -1, false, TYPALIGN_INT, &count);
  const Datum* epsilons = elements(fcinfo, kEpsilons, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
                                   TYPALIGN_DOUBLE, &count);
  const Datum* deltas = elements(fcinfo, kDeltas, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
                                 TYPALIGN_DOUBLE, &count);
  const Datum* times =
      elements(fcinfo, kTimes, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &count);
  const double delta = PG_GETARG_FLOAT8(kDelta);
  Asked* asked = (Asked*)palloc(sizeof(Asked) * count);
  for (int i = 0; i < count; i++) {
    const char* word = text_to_cstring(DatumGetTextPP(mechanisms[i]));
    const bool any = strcmp(word, kAny) == 0;
    asked[i] = {any, any ? std::optional<Family>() : mechanism_named(word),
                DatumGetFloat8(epsilons[i]), DatumGetFloat8(deltas[i]), DatumGetInt64(times[i])};
    if (!any && !asked[i].family) {
      refuse_word("mechanism", word,
                  "that of the plan's noise, or any; auto chooses by more than a plan says");
    }
    require_range("times", asked[i].times, 1, kMostTimes, "Count the releases of each part.");
  }
  PG_RETURN_FLOAT8(guard([&] {
    require_in_range(delta > 0 && delta <= .5, "delta", delta, "above 0 to 0.5");
    std::vector<PlanPart> plan;
    for (int i = 0; i < count; i++) plan.push_back(part_of(asked[i]));
    return plan_epsilon(plan, delta);
  }));
}
