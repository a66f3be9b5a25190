// Regressions as rows of dpmix.release.
#pragma once

#include "core/regression/model.hpp"
#include "pg/regression/terms.hpp"
#include "pg/release/stored.hpp"

namespace dpmix::pg {

struct StoredRegression {
  FoundRelease row;
  const RegressionModel* model;  // lives as long as the current memory context
  const char* target;            // as it was written
  // Each term's name, its SQL over r (empty: a power) and its categories.
  const char **name, **sql;
  char*** category;
};

StoredRegression load_regression(const FoundRelease& row);
inline StoredRegression load_regression(const char* name) {
  return load_regression(usable_release(name, "regression"));
}

}  // namespace dpmix::pg
