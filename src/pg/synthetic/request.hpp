// What dpmix.cda and dpmix.preview_cda are asked for, validated; nothing is read from the table.
#pragma once

#include "core/input/record_code.hpp"
#include "core/synthetic/cda.hpp"
#include "pg/rows/builder.hpp"
#include "pg/rows/model_columns.hpp"

namespace dpmix::pg {

struct CdaCall {
  ProtectedTable* table;
  ModelColumns* columns;
  RowBuilder* rows;
  CdaRequest request;
  const char* demix;
  double clip;  // as RecordCode takes it
};

// PV003, PV005, PV006. The rows' builder is ready.
CdaCall* cda_call(FunctionCallInfo fcinfo);
// For use inside guard().
RecordCode record_code(const CdaCall* call);

// What the ledger keeps of it.
const char* parameters_json(const CdaCall* call, const CdaPlan& plan);

}  // namespace dpmix::pg
