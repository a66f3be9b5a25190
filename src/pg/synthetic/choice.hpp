// What dpmix.synthesize is asked for, validated, and the method that
// makes the rows: the one that is asked for, or else picked by declarations alone.
#pragma once

#include <optional>
#include <string_view>

#include "pg/catalog/blocks_read.hpp"
#include "pg/rows/builder.hpp"
#include "pg/rows/model_columns.hpp"
#include "pg/synthetic/cda/request.hpp"

namespace dpmix::pg {

enum class RowMethod { tree, mixture, copula, cda };
const char* name(RowMethod method);

struct SynthesisCall {
  RowBuilder* rows;
  int64 wanted;
  double epsilon, delta;
  ProtectedTable* table;
  BlocksRead blocks;
  ModelColumns* columns;
  RowMethod method;
  const CdaCall* cda;  // the call, if that is the method
};
// PV003, PV005, PV006. In the caller, NOTICEs say which columns are left out, and which method was
// picked.
SynthesisCall synthesis_call(FunctionCallInfo fcinfo);

}  // namespace dpmix::pg
