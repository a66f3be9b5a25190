#include "pg/ledger/release_preview.hpp"

extern "C" {
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"
}

namespace dpmix::pg {

Datum return_preview(FunctionCallInfo fcinfo, const ReleasePreview& preview) {
  InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
  ReturnSetInfo* result = (ReturnSetInfo*)fcinfo->resultinfo;
  constexpr int first = 5;
  Datum values[first + kOutlookColumns] = {
      CStringGetTextDatum(preview.mechanism), Float8GetDatum(preview.epsilon),
      Float8GetDatum(preview.delta), Float8GetDatum(preview.mu),
      Float8GetDatum(preview.count_stddev)};
  put_outlook(preview.outlook, values + first);
  bool nulls[lengthof(values)] = {};
  tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
  return (Datum)0;
}

}  // namespace dpmix::pg
