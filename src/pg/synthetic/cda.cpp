// dpmix.cda: a private synthetic table. The order of a release (docs/architecture.md) is dpmix_cda()
// at the end: validate, price, plan the scan, charge, scan, noise, rows. dpmix.preview_cda stops
// after the price.
#include "pg/synthetic/progress.hpp"
#include "pg/synthetic/request.hpp"
#include "pg/synthetic/make_rows.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/ledger/release_preview.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_cda);
PG_FUNCTION_INFO_V1(dpmix_preview_cda);
}

namespace dpmix::pg {
namespace {

const Cost* own_of(const CdaPlan& plan) {
  return plan.asked.accounting.counts_cost() ? &plan.own : NULL;
}

Spending charge_at(const Filter& filter, double epsilon, const void* asked) {
  CdaRequest request = static_cast<const CdaCall*>(asked)->request;
  request.epsilon = epsilon;
  const CdaPlan plan = plan_cda(request);
  return charge_of(filter, epsilon, request.delta, own_of(plan));
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_cda(PG_FUNCTION_ARGS) {
  const CdaCall* call = cda_call(fcinfo);
  const CdaPlan plan = guard([&] { return plan_cda(call->request); });
  SilentScan* scan =
      plan_scan(records_sql(call->table, call->columns), call->table->relation, call->table->owner);
  const Repricing repricing = {plan.asked.epsilon, plan.asked.delta, charge_at, call};
  const ChargeRequest request = {
      .table = call->table,
      .kind = "cda",
      .mechanism = "poisson_mixing",
      .epsilon = plan.asked.epsilon,
      .delta = plan.asked.delta,
      .own = own_of(plan),
      .parameters = parameters_json(call, plan),
      .release = NULL,
      .repricing = &repricing,
  };
  charge(request);
  DPMIX_FAULT("cda.charged");

  CdaProgress* progress = begin_cda_progress(call->table->relation, plan.asked.rows);
  RandomStream::Key key;
  fresh_key(key);
  guard([&] {
    RandomStream random(key);
    explicit_bzero(key.data(), key.size());
    synthesise(call, scan, plan, random, progress);
  });
  end_cda_progress(progress);
  DPMIX_FAULT("cda.synthesised");
  return (Datum)0;
}

Datum dpmix_preview_cda(PG_FUNCTION_ARGS) {
  const CdaCall* call = cda_call(fcinfo);
  const CdaPlan plan = guard([&] { return plan_cda(call->request); });
  return return_preview(fcinfo, {.mechanism = "poisson_mixing",
                                 .epsilon = plan.asked.epsilon,
                                 .delta = plan.asked.delta,
                                 .mu = plan.mu,
                                 .count_stddev = count_stddev(plan),
                                 .outlook = outlook_of(call->table, plan.asked.epsilon,
                                                       plan.asked.delta, own_of(plan))});
}
