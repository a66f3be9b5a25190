// What a call of dpmix.release_gmm asks for, read from its arguments and
// checked: every refusal is PV005 (PV003 and PV006 from the catalog), before a charge and without a
// row.
#pragma once

#include "core/mixture/fit/gmm_fit.hpp"
#include "core/mixture/methods/method.hpp"
#include "pg/catalog/blocks_read.hpp"
#include "pg/rows/model_columns.hpp"

namespace dpmix::pg {

struct GmmCall {
  const char* name;  // NULL: the model is not stored
  ProtectedTable* table;
  BlocksRead blocks;
  ModelColumns* columns;
  double epsilon, delta;
  std::optional<int> components;              // without a label: how many; none: chosen privately
  std::optional<CovarianceShape> covariance;  // none: the method picks it
  GmmObjective objective;
  std::optional<GmmMethod> method;  // none: the best there is
  std::optional<int> dimensions;
  int64 rows;  // synthetic, of a model that nobody keeps; 0: of none
};
GmmCall gmm_call(FunctionCallInfo fcinfo);
// Inside guard(). mu: of the whole release.
GmmRequest request_of(const GmmCall* call, double mu);

const char* name(CovarianceShape shape);
const char* name(GmmObjective objective);

}  // namespace dpmix::pg
