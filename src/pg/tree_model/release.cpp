// dpmix.release_tree.
#include "pg/release/run.hpp"
#include "pg/tree_model/make_model.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_release_tree);
}

using namespace dpmix::pg;

Datum dpmix_release_tree(PG_FUNCTION_ARGS) {
  return Runner::model<TreeKind>(fcinfo, make_tree);
}
