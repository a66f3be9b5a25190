// DP-CDA as a kind of release: for dpmix.cda, and for who picks it among other methods.
#pragma once

#include "pg/border/result_rows.hpp"
#include "pg/release/terms.hpp"
#include "pg/synthetic/cda/request.hpp"

namespace dpmix::pg {

struct CdaKind {
  using Call = CdaCall;
  using Plan = CdaPlan;
  static CdaCall read(FunctionCallInfo fcinfo) { return *cda_call(fcinfo); }
  static CdaPlan plan(const CdaCall& call);
  static Terms terms(const CdaCall& call, const CdaPlan& plan);
  static ResultRows rows(const CdaCall& call) { return row_store(call.rows); }
};

}  // namespace dpmix::pg
