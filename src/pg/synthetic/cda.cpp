// dpmix.cda: a private synthetic table. The order of a release (docs/architecture.md) is
// dpmix_cda() and release_cda(): validate, price, plan the scan, charge, scan, noise, rows.
// dpmix.preview_cda stops after the price.
#include "pg/synthetic/cda.hpp"

#include "pg/border/arguments.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/texts.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/ledger/release_preview.hpp"
#include "pg/process/release.hpp"
#include "pg/process/worker.hpp"
#include "pg/scan/table_size.hpp"
#include "pg/synthetic/make_rows.hpp"
#include "pg/synthetic/progress.hpp"

extern "C" {
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(dpmix_cda);
PG_FUNCTION_INFO_V1(dpmix_preview_cda);
PG_FUNCTION_INFO_V1(dpmix_rows_of_name);
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
          .parameters = NULL,
          .blocks = call->blocks.range,
          .block_count = call->blocks.count};
}

}  // namespace

void release_cda(const CdaCall* call) {
  const CdaPlan plan = guard([&] { return plan_cda(call->request); });
  SilentScan* scan =
      plan_scan(records_sql(call->table, call->columns), call->table->relation, call->table->owner,
                InvalidOid, scan_condition(call->table, call->blocks));
  const double table_rows = rows_in(call->table->relation);
  const auto charge_at = [call](const Filter& filter, double epsilon) {
    CdaRequest request = call->request;
    request.epsilon = epsilon;
    return filter.charge_of(epsilon, request.delta, plan_cda(request).own);
  };
  const Repricing repricing = {plan.asked.epsilon, plan.asked.delta, charge_at};
  ChargeRequest request = charge_request(call, &plan);
  request.parameters = parameters_json(call, plan);
  request.repricing = &repricing;
  need_records(call);
  (void)charge(request);
  DPMIX_FAULT("cda.charged");
  CdaProgress* progress = begin_cda_progress(call->table->relation, plan.asked.rows);
  guard_with_random([&](RandomStream& random) { synthesise(call, scan, table_rows, plan, random, progress); });
  end_cda_progress(progress);
  DPMIX_FAULT("cda.synthesised");
}

Datum preview_cda(FunctionCallInfo fcinfo, const CdaCall* call) {
  const CdaPlan plan = guard([&] { return plan_cda(call->request); });
  return return_preview(fcinfo, charge_request(call, &plan), plan.mu, count_stddev(plan));
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_cda(PG_FUNCTION_ARGS) {
  const CdaCall* call = cda_call(fcinfo);
  if (!in_release_process()) return release_rows(fcinfo, row_store(call->rows));
  release_cda(call);
  return (Datum)0;
}

Datum dpmix_preview_cda(PG_FUNCTION_ARGS) {
  return preview_cda(fcinfo, cda_call(fcinfo));
}

// cda('cps', ...): the name of a table gives the result no columns.
Datum dpmix_rows_of_name(PG_FUNCTION_ARGS) {
  const char* name = text_argument(fcinfo, 0, "the_table");
  const char* function = get_func_name(fcinfo->flinfo->fn_oid);
  refuse_argument(psprintf("the first argument of %s is a row type, not a name", function),
                  "It gives the result the columns of the table.",
                  psprintf("Write NULL::%s.", quoted_prefix(name)));
}
