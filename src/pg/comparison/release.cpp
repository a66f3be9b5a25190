// dpmix.compare_private.
#include "pg/comparison/private_measures.hpp"
#include "pg/release/run.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_compare_private);
}

using namespace dpmix::pg;

Datum dpmix_compare_private(PG_FUNCTION_ARGS) {
  return Runner::attached_rows<CompareKind>(fcinfo, put_private_measures);
}
