// What sums, averages and variances of one person's rows add up: the same in any order of rows.
#pragma once

#include "pg/query/layers/level.hpp"
#include "pg/query/safe/numbers.hpp"

namespace dpmix::pg {

struct SummedArgument {
  Expr* number;  // float8, within its bounds
  Expr* value;   // the same as bigint or numeric
  bool whole;    // bigint: how many units
  double unit;
  ValueInterval range;
};

// sums: they are added up, or averaged; of variances otherwise. PV003: no bounds, or too wide ones.
SummedArgument summed_argument(const LayerQuery* level, Node* argument, const char* name,
                               bool sums);
Expr* without_nan(const Expr* filter, Expr* value);
// float8, of what was computed of so many units.
Expr* rounded(Expr* decimal, double unit);

}  // namespace dpmix::pg
