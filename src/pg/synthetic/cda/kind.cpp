#include "pg/synthetic/cda/kind.hpp"

#include "pg/border/guard.hpp"

namespace dpmix::pg {

CdaPlan CdaKind::plan(const CdaCall& call) {
  return guard([&] { return plan_cda(call.request); });
}

Terms CdaKind::terms(const CdaCall& call, const CdaPlan& plan) {
  return {.kind = "cda",
          .mechanism = "poisson_mixing",
          .table = call.table,
          .blocks = call.blocks,
          .epsilon = plan.asked.epsilon,
          .delta = plan.asked.delta,
          .own = plan.own,
          .mu = plan.mu,
          .counted = call.columns->label != NULL ? "records of a class" : "records",
          .count_stddev = count_stddev(plan)};
}

}  // namespace dpmix::pg
