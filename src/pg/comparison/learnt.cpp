#include "pg/comparison/learnt.hpp"

#include <algorithm>
#include <vector>

#include "core/comparison/class_gaussians.hpp"
#include "core/comparison/private_statistics.hpp"
#include "pg/border/guard.hpp"

namespace dpmix::pg {

static Numbers kept(const std::vector<double>& numbers) {  // inside guard()
  double* value = NULL;
  const std::size_t size = numbers.size();
  postgres([&] {
    value = (double*)MemoryContextAllocHuge(CurrentMemoryContext,
                                            Max(size, (std::size_t)1) * sizeof(double));
  });
  std::copy(numbers.begin(), numbers.end(), value);
  return Numbers{value, static_cast<int>(size)};
}

CompareScan scan_of(const CompareColumns* columns, int cells) {
  const bool pairs = columns->bins > 0;
  return {columns, cells, columns->numbers != NULL, false, false, pairs, pairs, {NULL, 0}};
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

Learnt learn_synthetic(const CompareCall* call, int cells,
                       Callable<CompareStates*(const CompareScan*)> read) {
  Learnt learnt = {scan_of(call->copy, cells), NULL, {NULL, 0}, {NULL, 0}};
  learnt.scan.by_class = is_classified(call);
  learnt.states = read(&learnt.scan);
  learnt.classifier = classifier_of(call, learnt.states);
  learnt.scores = scores_of(call, learnt.states);
  return learnt;
}

}  // namespace dpmix::pg
