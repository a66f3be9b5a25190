// The release of a copula, from which rows are drawn at once: nothing of it is stored.
#pragma once

#include "pg/catalog/blocks_read.hpp"
#include "pg/rows/builder.hpp"
#include "pg/rows/model_columns.hpp"

namespace dpmix::pg {

struct CopulaCall {
  ProtectedTable* table;
  BlocksRead blocks;
  ModelColumns* columns;
  double epsilon, delta;
  int64 rows;  // synthetic
};

// In the release process: charges, reads the rows, and puts what is drawn. Returns how good it is.
const char* release_copula(const CopulaCall& call, RowBuilder* rows);
// The whole result of a preview.
Datum preview_copula(FunctionCallInfo fcinfo, const CopulaCall& call);

}  // namespace dpmix::pg
