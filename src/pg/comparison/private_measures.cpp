#include "pg/comparison/private_measures.hpp"

#include <vector>

#include "core/comparison/private_statistics.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/fault.hpp"
#include "pg/comparison/measure_rows.hpp"
#include "pg/comparison/passes.hpp"

namespace dpmix::pg {
namespace {

void put_rows(const CompareKind::Call& asked, const CompareScan* scan,
              const CompareStates* states) {
  const auto& [call, price, rows, synthetic] = asked;
  guard_with_random([&](RandomStream& random) {
    const ComparedColumns columns = public_columns(call->columns);
    const auto marginals = marginals_of(columns, kCoarseCells);
    const TableStatistics real =
        add_noise(random, counts_of(scan, states), columns, marginals, price.noise);
    TableStatistics other = statistics_of(&synthetic.scan, synthetic.states, columns, marginals);
    const auto model = model_of(columns, other);
    if (model) other.score = model->mean_log_density(real.moments);
    if (columns.classified()) other.score = share_right(real);
    const PairStatistics pairs =
        add_pair_noise(random, pair_counts(states), columns, price.noise.pairs);
    const std::vector<double> bounds =
        error_bounds(columns, marginals, real, price.noise, model ? &*model : nullptr);
    put_all(rows, call->columns, compare_tables(columns, marginals, real, other), &bounds);
    const PairComparison compared =
        compare_pairs(columns, pairs, exact_pairs(pair_counts(synthetic.states), columns),
                      price.noise.pairs, NAN, share_right(pairs.right, pairs.wrong));
    put_all(rows, call->columns, compared.measures, &compared.bounds);
  });
}

struct ComparePass {
  CompareScan scan;
  const SilentScan* plan;
};

struct CompareHalf {
  static ComparePass plan_scans(const CompareKind::Call& call, const ComparePrice&) {
    const CompareCall* asked = call.asked;
    ComparePass pass = {scan_of(asked->columns, kCoarseCells), NULL};
    pass.scan.tested = is_classified(asked);
    pass.scan.scores = call.synthetic.scores;
    pass.plan = plan_compare(&pass.scan, asked->table, asked->blocks);
    return pass;
  }
  static const char* parameters(const CompareKind::Call& call, const ComparePrice& price) {
    return parameters_json(call.asked, price);
  }
  static Cost cost_at(const CompareKind::Call& call, double epsilon) {
    return dpmix::pg::cost_at(call.asked, epsilon);
  }
  static void make(const Charged&, const CompareKind::Call& call, const ComparePrice&,
                   const ComparePass& pass) {
    const CompareStates* states = run_compare(&pass.scan, pass.plan, call.synthetic.classifier);
    DPMIX_FAULT("compare.scanned");
    put_rows(call, &pass.scan, states);
  }
};

}  // namespace

void put_private_measures(const InProcess& process, const CompareKind::Call& call) {
  make_charged<CompareHalf>(process, CompareKind::terms(*call.asked, call.price), call, call.price);
}

}  // namespace dpmix::pg
