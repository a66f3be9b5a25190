// Looks into the cache of calibrations, for its own test and benchmark. Built and installed by
// calibration_lib.sh in a throwaway server; no part of dpmix.
#include <chrono>

#include "core/base/refuse_parameter.hpp"
#include "pg/border/guard.hpp"
#include "pg/noise/calibration_cache.hpp"
#include "pg/noise/calibration_shared.hpp"

extern "C" {
#include "storage/shmem.h"

PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(shared_calibration);
PG_FUNCTION_INFO_V1(calibration_time);
PG_FUNCTION_INFO_V1(use_up_shared_memory);
PGDLLEXPORT void _PG_init(void);

void _PG_init(void) {
  load_file("$libdir/dpmix", false);
}

static dpmix::Family family_argument(FunctionCallInfo fcinfo) {
  const auto family = dpmix::family_of(text_to_cstring(PG_GETARG_TEXT_PP(0)));
  if (!family) elog(ERROR, "no such family");
  return *family;
}

// shared_calibration(mechanism, epsilon, delta, sensitivity, components int, on_lattice boolean)
// returns the scale that other sessions find, or NULL.
Datum shared_calibration(PG_FUNCTION_ARGS) {
  const dpmix::pg::CalibrationKey key{PG_GETARG_BOOL(5),   family_argument(fcinfo),
                                      PG_GETARG_INT32(4),  PG_GETARG_FLOAT8(1),
                                      PG_GETARG_FLOAT8(2), PG_GETARG_FLOAT8(3)};
  dpmix::Calibration found;
  if (!dpmix::pg::find_shared(key, &found)) PG_RETURN_NULL();
  PG_RETURN_FLOAT8(found.law.scale);
}

// calibration_time(mechanism, epsilon, delta, sensitivity, repeats int) returns nanoseconds for
// each of so many equal calls.
Datum calibration_time(PG_FUNCTION_ARGS) {
  const dpmix::Family family = family_argument(fcinfo);
  const double epsilon = PG_GETARG_FLOAT8(1), delta = PG_GETARG_FLOAT8(2),
               sensitivity = PG_GETARG_FLOAT8(3);
  const int repeats = PG_GETARG_INT32(4);
  const double nanoseconds = dpmix::pg::guard([&] {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; i++) {
      dpmix::pg::cached_on_lattice(family, epsilon, delta, sensitivity, std::nullopt);
    }
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
        .count();
  });
  PG_RETURN_FLOAT8(nanoseconds / repeats);
}

// Takes what is left of shared memory, for ever.
Datum use_up_shared_memory(PG_FUNCTION_ARGS) {
  for (Size size = 1024 * 1024; size >= 64; size /= 2) {
    while (ShmemAllocNoError(size) != NULL) continue;
  }
  PG_RETURN_VOID();
}
}
