// The release of a mixture, for dpmix.release_gmm, which stores it, and for who does not.
#pragma once

#include "pg/mixture/request.hpp"
#include "pg/mixture/store.hpp"

namespace dpmix::pg {

struct ReleasedGmm {
  StoredGmm* gmm;
  const char* quality;
};
// In the release process: charges, and reads the rows.
ReleasedGmm release_gmm(const GmmCall& call);
// The whole result of a preview.
Datum preview_gmm(FunctionCallInfo fcinfo, const GmmCall& call);

}  // namespace dpmix::pg
