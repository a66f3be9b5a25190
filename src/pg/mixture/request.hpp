// What a call of dpmix.release_gmm or dpmix.preview_gmm asks for, read from its arguments and
// checked: every refusal is PV005 (PV003 and PV006 from the catalog), before a charge and without a
// row.
#pragma once

#include "core/mixture/methods/method.hpp"
#include "core/mixture/fit/gmm_fit.hpp"
#include "pg/rows/model_columns.hpp"

namespace dpmix::pg {

struct GmmCall {
  const char* name;
  ProtectedTable* table;
  ModelColumns* columns;
  double epsilon, delta;
  int components;  // without a label: how many; 0: chosen privately
  CovarianceShape covariance;
  GmmObjective objective;
  bool best;         // no method was named
  GmmMethod method;  // unless best
  bool reduced;      // a number of dimensions was named
  int dimensions;    // if reduced
};

GmmCall* read_gmm_call(FunctionCallInfo fcinfo);

// Inside guard(). mu: of the whole release.
GmmRequest request_of(const GmmCall* call, double mu);

const char* name(CovarianceShape shape);
const char* name(GmmObjective objective);

}  // namespace dpmix::pg
