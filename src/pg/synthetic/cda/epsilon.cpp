// dpmix.cda_epsilon: what synthetic rows cost. A pure function of public numbers, like the tools of
// pg/noise/planning.cpp.
#include "core/synthetic/cda_epsilon.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_cda_epsilon);
}

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_cda_epsilon(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 9);
  const MixedRows asked{
      .class_rows = PG_GETARG_INT64(0),
      .mix = PG_GETARG_INT32(1),
      .rows = PG_GETARG_INT64(2),
      .clip = PG_GETARG_FLOAT8(3),
      .scale = PG_GETARG_FLOAT8(4),
      .adjacency = word_argument(fcinfo, 6, NULL, adjacency_of, "add_remove, replace or label"),
      .sampler = word_argument(fcinfo, 7, NULL, cda_sampler_of, "poisson or without_replacement")};
  const CdaAccountant accountant =
      word_argument(fcinfo, 8, NULL, cda_accountant_of, "pld, rdp or published");
  const double delta = PG_GETARG_FLOAT8(5);
  PG_RETURN_FLOAT8(guard([&] { return cda_epsilon(asked, delta, accountant); }));
}
