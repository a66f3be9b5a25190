// What share of synthetic rows breaks rules that are declared between columns. Of the protected
// table's rows none is ever counted by them.
#pragma once

#include "pg/border/result_rows.hpp"
#include "pg/comparison/request.hpp"

namespace dpmix::pg {

struct BrokenRule {
  const char *column, *other, *text;  // other: NULL for a sum
  double share;
};
struct BrokenRules {
  int count;
  BrokenRule* rule;
};

// Reads the synthetic table, as the caller.
BrokenRules broken_rules(const CompareCall* call);
void put_broken_rules(const ResultRows& rows, const BrokenRules& broken);  // of dpmix.compare

}  // namespace dpmix::pg
