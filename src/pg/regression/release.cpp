// dpmix.release_regression.
#include "pg/regression/make_model.hpp"
#include "pg/release/run.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_release_regression);
}

using namespace dpmix::pg;

Datum dpmix_release_regression(PG_FUNCTION_ARGS) {
  return Runner::model<RegressionsKind>(fcinfo, make_regression);
}
