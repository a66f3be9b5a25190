#include "pg/ledger/release_preview.hpp"

#include "pg/border/result_rows.hpp"

namespace dpmix::pg {
namespace {

const PeriodsAhead* periods = NULL;

}  // namespace

Datum return_preview(FunctionCallInfo fcinfo, const ChargeRequest& request, double mu,
                     double count_stddev) {
  const Outlook outlook = outlook_of(request, periods);
  add_row(begin_rows(fcinfo), {request.mechanism, request.epsilon, request.delta, mu, count_stddev,
                               outlook.cost, outlook.delta, outlook.share, outlook.calls});
  return (Datum)0;
}

void preview_periods(const PeriodsAhead* ahead) {
  periods = ahead;
}

}  // namespace dpmix::pg
