// What a period of a schedule costs and returns, found by the code behind dpmix.preview,
// preview_gmm and preview_cda: free, as the current user, with all that they refuse.
#pragma once

#include "pg/schedule/recipe.hpp"

namespace dpmix::pg {

struct PeriodPrice {
  double epsilon, delta;
  double share;  // of the whole budget
  int64 calls;   // how many such charges fit now
  int tables;    // protected tables that pay
  int64* table;  // their numbers in the catalog
  // Of the released rows; none of gmm.
  int columns;
  char** column;
  Oid* type;
};

// release: the name that a mixture would get.
PeriodPrice period_price(const Recipe* recipe, const char* release);

}  // namespace dpmix::pg
