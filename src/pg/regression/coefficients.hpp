// The coefficients of a stored regression by name, as all who show them need them.
#pragma once

#include "pg/regression/store.hpp"

namespace dpmix::pg {

// Names of all coefficients, the intercept's first; of a category: column = 'value'.
const char** coefficient_names(const StoredRegression& stored);
// Why the coefficients of a class have no intervals: ridge, hidden or coordinate; collinear: they
// are exact sets. NULL: they are normal.
const char* note_of(const StoredRegression& stored, Size k);

}  // namespace dpmix::pg
