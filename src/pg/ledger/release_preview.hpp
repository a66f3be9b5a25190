// The row of dpmix.preview_gmm and dpmix.preview_cda: what is known of a release before it is
// charged.
#pragma once

#include "pg/ledger/balance.hpp"

namespace dpmix::pg {

struct ReleasePreview {
  const char* mechanism;
  double epsilon, delta;
  double mu;            // of the Gaussian noise: shift over deviation
  double count_stddev;  // of the noise in the number of rows of each class
  Outlook outlook;
};
// The whole result of a function in FROM.
Datum return_preview(FunctionCallInfo fcinfo, const ReleasePreview& preview);

}  // namespace dpmix::pg
