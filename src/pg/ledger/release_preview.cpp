#include "pg/ledger/release_preview.hpp"

#include "pg/border/result_rows.hpp"
#include "pg/ledger/balance.hpp"

namespace dpmix::pg {

Datum return_preview(FunctionCallInfo fcinfo, const ChargeRequest& request, double mu,
                     double count_stddev) {
  const Outlook outlook = outlook_of(request);
  add_row(begin_rows(fcinfo), {request.mechanism, request.epsilon, request.delta, mu, count_stddev,
                               outlook.cost, outlook.delta, outlook.share, outlook.calls});
  return (Datum)0;
}

}  // namespace dpmix::pg
