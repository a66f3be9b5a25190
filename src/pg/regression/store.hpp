// Regressions as rows of dpmix.release.
#pragma once

#include "core/regression/model.hpp"
#include "pg/mixture/found_release.hpp"
#include "pg/regression/terms.hpp"

namespace dpmix::pg {

struct StoredRegression {
  FoundRelease row;
  const RegressionModel* model;  // as long as the current memory context
  const char* target;            // as it was written
  // Of each term its name, its SQL over r (empty: a power) and its categories.
  const char **name, **sql;
  char*** category;
};

// As usable_release().
StoredRegression load_regression(const char* name);

// numbers: RegressionModel::pack(); rows: released, of each class.
void store_regression(const char* name, const RegressionTerms* terms, const char* adjacency,
                      const double* numbers, int count, const double* rows, double count_stddev,
                      const char* quality, int64 charge_id);

}  // namespace dpmix::pg
