// dpmix_papers.quasi_gaussian_scale: what a paper says; no release uses it.
#include "core/base/refuse_parameter.hpp"
#include "core/noise/calibration.hpp"
#include "core/noise/gaussian/quasi.hpp"
#include "core/published/quasi_scale.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_papers_quasi_gaussian_scale);
}

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_papers_quasi_gaussian_scale(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 3);
  const double epsilon = PG_GETARG_FLOAT8(0), delta = PG_GETARG_FLOAT8(1),
               sensitivity = PG_GETARG_FLOAT8(2);
  PG_RETURN_FLOAT8(guard([&] {
    check_epsilon_delta(epsilon, delta);
    if (delta < kLeastDelta) {
      refuse_parameter("delta out of range",
                       "delta is " + shortest(delta) + "; it must be between 1e-300 and 0.5.",
                       "quasi_gaussian is not (epsilon, 0)-DP at any scale.");
    }
    NoiseLaw law{
        .family = Family::quasi_gaussian, .sensitivity = sensitivity, .scale = sensitivity};
    check_law(law);
    law.scale *= published_quasi_scale(epsilon, delta);
    check_law(law);
    return law.scale;
  }));
}
