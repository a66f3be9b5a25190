// The coefficients of a stored regression by name, as all who show them need them.
#pragma once

#include "pg/regression/store.hpp"

namespace dpmix::pg {

// Names of all coefficients, the intercept's first; of a category: column = 'value'.
const char** coefficient_names(const StoredRegression& stored);
// Why a coefficient has no interval: ridge or hidden; NULL where it has one.
const char* note_of(const StoredRegression& stored, const Coefficient& coefficient);
// Argument n, the level of intervals; PV005.
double level_argument(FunctionCallInfo fcinfo, int n);

}  // namespace dpmix::pg
