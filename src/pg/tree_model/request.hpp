// What a call of dpmix.release_tree asks for, read from its arguments and
// checked: every refusal is PV005 (PV003 and PV006 from the catalog), before a charge and without a
// row.
#pragma once

#include "core/tree_model/release.hpp"
#include "pg/catalog/blocks_read.hpp"
#include "pg/rows/model_columns.hpp"

namespace dpmix::pg {

struct TreeCall {
  const char* name;  // NULL: the model is not stored
  ProtectedTable* table;
  BlocksRead blocks;
  ModelColumns* columns;
  double epsilon, delta;
  Bins bins;
  int64 rows;  // synthetic, of a model that nobody keeps; 0: of none
};
TreeCall tree_call(FunctionCallInfo fcinfo);

// Inside guard(), at another epsilon, too.
TreePlan tree_plan(const TreeCall* call, double epsilon);
// The plan of the call. PV005 where its columns have too many values for tables of one column.
TreePlan checked_plan(const TreeCall* call);

}  // namespace dpmix::pg
