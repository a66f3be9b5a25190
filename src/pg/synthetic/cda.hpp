// DP-CDA as a release: for dpmix.cda, and for who picks it among other methods.
#pragma once

#include "pg/synthetic/request.hpp"

namespace dpmix::pg {

// In the release process: charges, reads the records, puts the rows.
void release_cda(const CdaCall* call);
// The whole result of a preview.
Datum preview_cda(FunctionCallInfo fcinfo, const CdaCall* call);

}  // namespace dpmix::pg
