// What dpmix.cda is asked for, validated; nothing is read from the table.
#pragma once

#include "core/input/record_code.hpp"
#include "core/synthetic/cda.hpp"
#include "pg/catalog/blocks_read.hpp"
#include "pg/rows/builder.hpp"
#include "pg/rows/model_columns.hpp"

namespace dpmix::pg {

struct CdaCall {
  ProtectedTable* table;
  BlocksRead blocks;
  ModelColumns* columns;
  RowBuilder* rows;
  CdaRequest request;
  double clip;  // what RecordCode takes
};

// The arguments as they are stated. PV003, PV005, PV006. The rows' builder is ready.
CdaCall* cda_call(FunctionCallInfo fcinfo);

struct CdaTerms {
  int64 rows;
  double epsilon, delta;
  int mix;                     // 0: chosen
  std::optional<Demix> demix;  // none: per_class, or `none` where there are too many coordinates
  ClassRows class_rows;
  double clip;
};
CdaCall* cda_call(RowBuilder* rows, ProtectedTable* table, const BlocksRead& blocks,
                  ModelColumns* columns, const CdaTerms& terms);
// Call inside guard().
RecordCode record_code(const CdaCall* call);

// What the ledger keeps of it.
const char* parameters_json(const CdaCall* call, const CdaPlan& plan);

}  // namespace dpmix::pg
