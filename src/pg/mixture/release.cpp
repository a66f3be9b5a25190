// dpmix.release_gmm.
#include "pg/mixture/make_model.hpp"
#include "pg/release/run.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_release_gmm);
}

using namespace dpmix::pg;

Datum dpmix_release_gmm(PG_FUNCTION_ARGS) {
  return Runner::model<GmmKind>(fcinfo, make_gmm);
}
