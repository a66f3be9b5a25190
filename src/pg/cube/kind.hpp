// Cubes as a kind of release. They are charged as pg/query charges what it draws.
#pragma once

#include "pg/cube/request.hpp"
#include "pg/release/made_model.hpp"
#include "pg/release/preview.hpp"

namespace dpmix::pg {

struct CubeKind {
  using Call = CubeCall;
  using Plan = PricedQuery;
  static CubeCall read(FunctionCallInfo fcinfo) { return cube_call(fcinfo); }
  static PricedQuery plan(const CubeCall& call) { return priced_cube(call); }
  // A row for each noisy statistic and table.
  static void preview(FunctionCallInfo fcinfo, Preview* preview);
  static Terms terms(const CubeCall& call, const PricedQuery& priced);
  static ModelRecord record(const CubeCall& call, const PricedQuery& priced, const MadeModel& made);
  static Datum summary(FunctionCallInfo fcinfo, const CubeCall& call, const PricedQuery& priced,
                       const MadeModel& made);
};

// The preview of a query whose groups are kept.
void tell_kept(const PricedQuery& priced, Preview* preview);

}  // namespace dpmix::pg
