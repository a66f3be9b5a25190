// dpmix.cda: a private synthetic table. The order of a release (docs/architecture.md) is
// dpmix_cda() at the end: validate, price, plan the scan, charge, scan, noise, rows.
// dpmix.preview_cda stops after the price.
#include "pg/border/entropy.hpp"
#include "pg/border/fault.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/ledger/release_preview.hpp"
#include "pg/process/release.hpp"
#include "pg/process/worker.hpp"
#include "pg/synthetic/make_rows.hpp"
#include "pg/synthetic/progress.hpp"
#include "pg/synthetic/request.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_cda);
PG_FUNCTION_INFO_V1(dpmix_preview_cda);
}

namespace dpmix::pg {
namespace {

// Without parameters, as for a preview.
ChargeRequest charge_request(const CdaCall* call, const CdaPlan* plan) {
  return {.table = call->table,
          .kind = "cda",
          .mechanism = "poisson_mixing",
          .epsilon = plan->asked.epsilon,
          .delta = plan->asked.delta,
          .own = &plan->own,
          .parameters = NULL};
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_cda(PG_FUNCTION_ARGS) {
  const CdaCall* call = cda_call(fcinfo);
  if (!in_release_process()) return release_rows(fcinfo, row_store(call->rows));
  const CdaPlan plan = guard([&] { return plan_cda(call->request); });
  SilentScan* scan =
      plan_scan(records_sql(call->table, call->columns), call->table->relation, call->table->owner);
  const auto charge_at = [call](const Filter& filter, double epsilon) {
    CdaRequest request = call->request;
    request.epsilon = epsilon;
    return filter.charge_of(epsilon, request.delta, plan_cda(request).own);
  };
  const Repricing repricing = {plan.asked.epsilon, plan.asked.delta, charge_at};
  ChargeRequest request = charge_request(call, &plan);
  request.parameters = parameters_json(call, plan);
  request.repricing = &repricing;
  (void)charge(request);
  DPMIX_FAULT("cda.charged");
  CdaProgress* progress = begin_cda_progress(call->table->relation, plan.asked.rows);
  guard_with_random([&](RandomStream& random) { synthesise(call, scan, plan, random, progress); });
  end_cda_progress(progress);
  DPMIX_FAULT("cda.synthesised");
  return (Datum)0;
}

Datum dpmix_preview_cda(PG_FUNCTION_ARGS) {
  const CdaCall* call = cda_call(fcinfo);
  const CdaPlan plan = guard([&] { return plan_cda(call->request); });
  return return_preview(fcinfo, charge_request(call, &plan), plan.mu, count_stddev(plan));
}
