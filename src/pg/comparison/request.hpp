// What a call of dpmix.compare or dpmix.compare_private asks for, checked,
// and what it costs; without a row of the protected table, and of the other only to see which
// columns hold values. PV003, PV005, PV006; all before a charge.
#pragma once

#include "core/comparison/private_statistics.hpp"
#include "pg/catalog/blocks_read.hpp"
#include "pg/comparison/columns.hpp"

namespace dpmix::pg {

struct CompareCall {
  ProtectedTable* table;
  BlocksRead blocks;  // for a private comparison; an exact one reads all rows
  Oid synthetic;
  CompareColumns *columns, *copy;  // the protected table's, and the same of the synthetic one
  double epsilon, delta;           // for a private comparison
};

// The call of an exact comparison, which `relation`'s owner may ask for; 42501 for others.
CompareCall* exact_call(FunctionCallInfo fcinfo);
void tell_not_private(const char* function);  // a NOTICE
// features: in place of those that the call names.
CompareCall* private_call(FunctionCallInfo fcinfo, ArrayType* features = NULL);
bool is_classified(const CompareCall* call);  // by something that the features tell of rows

struct ComparePrice {
  double mu;  // the comparison is mu-GDP
  Cost own;   // the comparison's own, as the table adds up
  ComparisonNoise noise;
};
ComparePrice price_of(const CompareCall* call);
Cost cost_at(const CompareCall* call, double epsilon);  // inside guard()
// The noise of the most important statistic that there is.
struct CountNoise {
  const char* what;
  double stddev;
};
CountNoise count_noise(const ComparisonNoise& noise);
// What the ledger keeps of it.
const char* parameters_json(const CompareCall* call, const ComparePrice& price);

}  // namespace dpmix::pg
