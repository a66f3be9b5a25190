// What a period of a schedule costs and returns, found by the code behind dpmix.preview: free, as
// the current user, with all that it refuses.
#pragma once

#include "pg/schedule/recipe.hpp"
#include "pg/schedule/store.hpp"

namespace dpmix::pg {

struct PeriodPrice {
  double epsilon, delta;
  double share;  // that of the whole budget
  int64 calls;   // how many periods fit now; kForEver: all
  int tables;    // protected tables that pay
  int64* table;  // their numbers in the catalog
  // Columns of the released rows; a model has none.
  int columns;
  char** column;
  Oid* type;
};

// The price of this period, as the next one to run. Run under the schedule's settings.
PeriodPrice period_price(const Schedule* schedule, const Recipe* recipe, int64 period);

}  // namespace dpmix::pg
