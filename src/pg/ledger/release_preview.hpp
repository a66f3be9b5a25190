// The row of dpmix.preview_gmm, preview_cda and preview_compare: what is known of a release before
// it is charged.
#pragma once

#include "pg/ledger/balance.hpp"

namespace dpmix::pg {

// The whole result of a function in FROM. mu: of the Gaussian noise, shift over deviation;
// count_stddev: of the noise in the number of rows of each class.
Datum return_preview(FunctionCallInfo fcinfo, const ChargeRequest& request, double mu,
                     double count_stddev);

// Previews tell how many of these periods fit, while a schedule asks through them; NULL: again, how
// many of the same.
void preview_periods(const PeriodsAhead* ahead);

}  // namespace dpmix::pg
