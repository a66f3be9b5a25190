// The release of a copula, from which rows are drawn at once: nothing of it is stored.
#pragma once

#include "core/tree_model/plan.hpp"
#include "pg/release/passes.hpp"

namespace dpmix::pg {

struct CopulaCall {
  ProtectedTable* table;
  BlocksRead blocks;
  ModelColumns* columns;
  double epsilon, delta;
  RowBuilder* rows;
  int64 wanted;
};

struct CopulaPrice {  // what is known of the mechanism before the charge, in plain memory
  double mu, score_count_stddev;
  TreePlan columns;
  Cost own;
};

struct CopulaKind {
  using Call = CopulaCall;
  using Plan = CopulaPrice;
  static CopulaPrice plan(const CopulaCall& call);
  static Terms terms(const CopulaCall& call, const CopulaPrice& price);
};

// Charges, reads the rows, and puts what is drawn. Returns how good it is.
const char* put_copula_rows(const InProcess& process, const CopulaCall& call);

}  // namespace dpmix::pg
