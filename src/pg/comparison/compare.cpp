// dpmix.compare and dpmix.compare_private: how alike a protected table and a synthetic one are. The
// order of the private one (docs/architecture.md) is dpmix_compare_private() at the end: validate,
// price, read the synthetic table as the caller and learn its classifier, plan the scan, charge,
// scan, noise, measures. dpmix.compare is for the owner: no noise, no charge, NOT PRIVATE.
#include <algorithm>
#include <vector>

#include "core/comparison/class_gaussians.hpp"
#include "core/comparison/private_statistics.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/fault.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/comparison/attachment.hpp"
#include "pg/ledger/charge.hpp"
#include "pg/ledger/release_preview.hpp"
#include "pg/process/release.hpp"
#include "pg/process/worker.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_compare);
PG_FUNCTION_INFO_V1(dpmix_compare_private);
PG_FUNCTION_INFO_V1(dpmix_preview_compare);
}

namespace dpmix::pg {
namespace {

CompareScan scan_of(const CompareColumns* columns, int cells) {
  const bool pairs = columns->bins > 0;
  return {columns, cells, columns->numbers != NULL, false, false, pairs, pairs, {NULL, 0}};
}

// What the synthetic table shows of itself, and learns: read as the current user.
struct Learnt {
  CompareScan scan;
  CompareStates* states;
  Numbers classifier, scores;  // of class Gaussians, of naive Bayes; of size 0 where there is none
};

Numbers kept(const std::vector<double>& numbers) {  // inside guard()
  double* value = NULL;
  const std::size_t size = numbers.size();
  postgres([&] {
    value = (double*)MemoryContextAllocHuge(CurrentMemoryContext,
                                            Max(size, (std::size_t)1) * sizeof(double));
  });
  std::copy(numbers.begin(), numbers.end(), value);
  return Numbers{value, static_cast<int>(size)};
}

Numbers classifier_of(const CompareCall* call, const CompareStates* states) {
  if (!is_classified(call)) return {NULL, 0};
  return guard([&] {
    const ComparedColumns columns = public_columns(call->columns);
    return kept(class_gaussians(class_totals(states), columns.coded_box()));
  });
}

Numbers scores_of(const CompareCall* call, const CompareStates* states) {
  return guard([&] {
    const ComparedColumns columns = public_columns(call->columns);
    return has_pair_classifier(columns) ? kept(bayes_scores(columns, pair_counts(states)))
                                        : Numbers{NULL, 0};
  });
}

// read: its states.
Learnt learn_synthetic(const CompareCall* call, int cells,
                       Callable<CompareStates*(const CompareScan*)> read) {
  Learnt learnt = {scan_of(call->copy, cells), NULL, {NULL, 0}, {NULL, 0}};
  learnt.scan.by_class = is_classified(call);
  learnt.states = read(&learnt.scan);
  learnt.classifier = classifier_of(call, learnt.states);
  learnt.scores = scores_of(call, learnt.states);
  return learnt;
}

// From here on: inside guard().

TableStatistics statistics_of(const CompareScan* scan, const CompareStates* states,
                              const ComparedColumns& columns,
                              const std::vector<Marginal>& marginals) {
  return exact_statistics(counts_of(scan, states), columns, marginals);
}

std::optional<GaussianModel> model_of(const ComparedColumns& columns,
                                      const TableStatistics& table) {
  if (columns.numbers() == 0 || columns.classes > 0) return std::nullopt;
  return GaussianModel::fit(table.moments, columns.box());
}

// ... and from here on outside again.

// bounds: NULL for exact measures, which are marked as not private instead.
void put_measures(const ResultRows& rows, const CompareColumns* columns, const Measure* measures,
                  std::size_t count, const double* bounds) {
  const auto named = [&](int column) {
    return name_value(column < 0 ? NULL : column_name(columns, column));
  };
  for (std::size_t i = 0; i < count; i++) {
    const Measure& m = measures[i];
    const char* category = NULL;
    if (m.category >= 0) category = category_name(columns, m.column, m.category);
    if (m.kind == MeasureKind::quantile) category = psprintf("%g", m.level);
    add_row(rows, {name(m.kind).data(), named(m.column), named(m.other), category,
                   finite_value(m.real), finite_value(m.synthetic), finite_value(m.difference),
                   bounds != NULL ? finite_value(bounds[i]) : Value(false)});
  }
}

// Outside guard(), of numbers that live inside.
void put_all(const ResultRows& rows, const CompareColumns* columns,
             const std::vector<Measure>& measures, const std::vector<double>* bounds) {
  const Measure* first = measures.data();
  const double* bound = bounds != NULL ? bounds->data() : NULL;
  const std::size_t count = measures.size();
  postgres([&] { put_measures(rows, columns, first, count, bound); });
}

// The exact comparison: two scans of the protected table, the second for the classifiers that the
// first has learnt.
void compare_exactly(FunctionCallInfo fcinfo, const CompareCall* call) {
  const auto read = [=](const CompareScan* scan) { return read_synthetic(scan, call->synthetic); };
  const Learnt synthetic = learn_synthetic(call, kFineCells, read);
  CompareScan scan = scan_of(call->columns, kFineCells);
  scan.by_class = is_classified(call);
  scan.tested = synthetic.classifier.size > 0;
  scan.scores = synthetic.scores;
  const CompareStates* states =
      run_compare(&scan, plan_compare(&scan, call->table), synthetic.classifier);

  const Numbers own = classifier_of(call, states);
  const CompareScan own_scan = {call->columns, 0,     false, false,
                                own.size > 0,  false, false, scores_of(call, states)};
  const CompareStates* own_states = NULL;
  if (own.size > 0 || own_scan.scores.size > 0) {
    own_states = run_compare(&own_scan, plan_compare(&own_scan, call->table), own);
  }

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
}

// The private one.

// A table without a complete row teaches nothing, and would cost a budget all the same.
void require_rows(const CompareCall* call, const Learnt& learnt) {
  const bool bayes = guard([&] { return has_pair_classifier(public_columns(call->columns)); });
  const bool learns =
      (!is_classified(call) || learnt.classifier.size > 0) && (!bayes || learnt.scores.size > 0);
  if (learnt.states->rows > 0 && learns) return;
  refuse_argument("the synthetic table has no rows to compare with",
                  "It has no row in which all features and the label are known.",
                  "Compare fewer features, or make the synthetic table first.");
}

void release(const ResultRows& rows, const CompareCall* call, const ComparePrice& price,
             const Learnt& synthetic, const CompareScan* scan, const CompareStates* states) {
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

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_compare(PG_FUNCTION_ARGS) {
  const CompareCall* call = exact_call(fcinfo);
  tell_not_private("dpmix.compare");
  compare_exactly(fcinfo, call);
  return (Datum)0;
}

Datum dpmix_compare_private(PG_FUNCTION_ARGS) {
  const bool reads = !in_release_process();
  const CompareCall* call = private_call(fcinfo, reads ? NULL : attached_features());
  const ComparePrice price = price_of(call);
  const ResultRows rows = begin_rows(fcinfo);
  const auto read = [=](const CompareScan* scan) {
    return reads ? read_synthetic(scan, call->synthetic) : attached_states(call, scan);
  };
  const Learnt synthetic = learn_synthetic(call, kCoarseCells, read);
  require_rows(call, synthetic);
  if (reads) {
    const StringInfoData attachment = attachment_of(call, &synthetic.scan, synthetic.states);
    return release_rows(fcinfo, rows, &attachment);
  }
  CompareScan scan = scan_of(call->columns, kCoarseCells);
  scan.tested = is_classified(call);
  scan.scores = synthetic.scores;
  const SilentScan* plan =
      plan_compare(&scan, call->table, scan_condition(call->table, call->blocks));
  const auto charge_other = [call](const Filter& filter, double epsilon) {
    return charge_at(call, filter, epsilon);
  };
  const Repricing repricing = {call->epsilon, call->delta, charge_other};
  ChargeRequest request = charge_request(call, price);
  request.parameters = parameters_json(call, price);
  request.repricing = &repricing;
  (void)charge(request);
  DPMIX_FAULT("compare.charged");
  const CompareStates* states = run_compare(&scan, plan, synthetic.classifier);
  DPMIX_FAULT("compare.scanned");
  release(rows, call, price, synthetic, &scan, states);
  return (Datum)0;
}

Datum dpmix_preview_compare(PG_FUNCTION_ARGS) {
  const CompareCall* call = private_call(fcinfo);
  const ComparePrice price = price_of(call);
  return return_preview(fcinfo, charge_request(call, price), price.mu, count_stddev(price.noise));
}
