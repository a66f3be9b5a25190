// dpmix.compare: how alike a table and a synthetic one are. For the owner: no noise, no charge, NOT
// PRIVATE.
#include "pg/border/guard.hpp"
#include "pg/comparison/broken_rules.hpp"
#include "pg/comparison/learnt.hpp"
#include "pg/comparison/measure_rows.hpp"
#include "pg/comparison/passes.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_compare);
}

namespace dpmix::pg {
namespace {

// Two scans of the protected table, the second for the classifiers that the first has learnt.
void compare_exactly(FunctionCallInfo fcinfo, const CompareCall* call) {
  const auto read = [=](const CompareScan* scan) { return read_synthetic(scan, call->synthetic); };
  const Learnt synthetic = learn_synthetic(call, kFineCells, read);
  CompareScan scan = scan_of(call->columns, kFineCells);
  scan.by_class = is_classified(call);
  scan.tested = synthetic.classifier.size > 0;
  scan.scores = synthetic.scores;
  const CompareStates* states =
      run_compare(&scan, plan_exact_compare(&scan, call->table), synthetic.classifier);

  const Numbers own = classifier_of(call, states);
  const CompareScan own_scan = {call->columns, 0,     false, false,
                                own.size > 0,  false, false, scores_of(call, states)};
  const CompareStates* own_states = NULL;
  if (own.size > 0 || own_scan.scores.size > 0) {
    own_states = run_compare(&own_scan, plan_exact_compare(&own_scan, call->table), own);
  }

  const BrokenRules broken = broken_rules(call);
  const ResultRows rows = begin_rows(fcinfo);
  guard([&] {
    const ComparedColumns columns = public_columns(call->columns);
    const auto marginals = marginals_of(columns, kFineCells);
    TableStatistics real = statistics_of(&scan, states, columns, marginals);
    TableStatistics other = statistics_of(&synthetic.scan, synthetic.states, columns, marginals);
    if (const auto model = model_of(columns, other))
      other.score = model->mean_log_density(real.moments);
    if (const auto model = model_of(columns, real))
      real.score = model->mean_log_density(real.moments);
    if (scan.tested) other.score = share_right(real);
    double own_pairs = NAN;
    if (own_states != NULL) {
      const TableCounts counts = counts_of(&own_scan, own_states);
      real.score =
          share_right(static_cast<double>(counts.right()), static_cast<double>(counts.wrong()));
      own_pairs = share_right(static_cast<double>(counts.pairs.count(0, 0)),
                              static_cast<double>(counts.pairs.count(0, 1)));
    }
    put_all(rows, call->columns, compare_tables(columns, marginals, real, other), NULL);
    const PairStatistics pairs = exact_pairs(pair_counts(states), columns);
    const PairComparison compared =
        compare_pairs(columns, pairs, exact_pairs(pair_counts(synthetic.states), columns), {},
                      own_pairs, share_right(pairs.right, pairs.wrong));
    put_all(rows, call->columns, compared.measures, NULL);
  });
  put_broken_rules(rows, broken);
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_compare(PG_FUNCTION_ARGS) {
  const CompareCall* call = exact_call(fcinfo);
  tell_not_private("dpmix.compare");
  compare_exactly(fcinfo, call);
  return (Datum)0;
}
