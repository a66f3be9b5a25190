// Releases of copulas in memory, from labelled rows.
#pragma once

#include "core/copula/model.hpp"
#include "core/copula/plan.hpp"
#include "tables/mixture_tables.hpp"
#include "tables/tree_releases.hpp"

namespace dpmix::test {

inline CopulaPlan copula_plan(const TreeCase& of) {
  TreeRequest request;
  count_levels(of.columns, of.bins, &request);
  request.epsilon = of.epsilon;
  request.delta = of.delta;
  request.adjacency = of.adjacency;
  request.accounting = of.accounting;
  return plan_copula(request, of.classes);
}

// The same rows as the mixture's passes see them.
inline Table scores_of_rows(const CodeScores& scores, std::span<const TreeRow> rows) {
  Table table{scores.columns(), scores.classes(), {}, {}, {}, {}};
  for (const TreeRow& row : rows) {
    std::vector<double> seen(row.x.size());
    scores.look_up(row.k, row.x, seen.data());
    table.label.push_back(row.k);
    table.row.push_back(std::move(seen));
  }
  return table;
}

inline CopulaModel released_copula(RandomStream& random, const TreeCase& of, const CopulaPlan& plan,
                                   std::span<const TreeRow> rows) {
  const TreeModel columns = released(random, of, plan.columns, rows).model();
  const auto mixture = start_gmm(plan.scores);
  run(*mixture, random, scores_of_rows(scores_of(columns), rows));
  return copula_of(columns, mixture->fit(GmmObjective::balanced).mixture);
}

}  // namespace dpmix::test
