// Tables of labelled rows and releases of tree models from them in memory.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/tree_model/release.hpp"

namespace dpmix::test {

struct TreeRow {
  int k = 0;
  std::vector<double> x;
};

inline std::vector<std::int64_t> exact_counts(const MarginalTables& tables,
                                              std::span<const TreeRow> rows) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(tables.cells()));
  for (const TreeRow& row : rows) tables.add(row.k, row.x, counts.data());
  return counts;
}

struct TreeCase {
  int classes = 1;
  std::vector<ColumnValues> columns;
  Bins bins = Bins::private_;
  double epsilon = 1, delta = 1e-6;
  Adjacency adjacency = Adjacency::add_remove;
  int rows_per_unit = 1;
  Accounting accounting = {Accountant::gdp, 0};

  TreePlan plan() const {
    TreeRequest request;
    count_levels(columns, bins, &request);
    request.epsilon = epsilon;
    request.delta = delta;
    request.adjacency = adjacency;
    request.rows_per_unit = rows_per_unit;
    request.accounting = accounting;
    return plan_tree(request);
  }
};

inline TreeRelease released(RandomStream& random, const TreeCase& of, const TreePlan& plan,
                            std::span<const TreeRow> rows) {
  TreeRelease release(plan, of.classes, of.columns, of.bins);
  while (const MarginalTables* tables = release.next()) {
    release.take(random, exact_counts(*tables, rows));
  }
  return release;
}

}  // namespace dpmix::test
