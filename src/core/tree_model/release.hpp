// The release of a tree model: two to four passes over the rows, more where pairs have many cells,
// with noise and draws between.
//
//   TreeRelease release(plan, classes, columns);
//   while (const MarginalTables* tables = release.next())
//     release.take(random, exact counts of *tables);
//   TreeModel model = release.model();
//
// What a pass counts depends on public and released numbers alone. Guaranteed: all that is released
// is as plan_tree() says (docs/proofs/tree_model.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/random/stream.hpp"
#include "core/stats/marginal_tables.hpp"
#include "core/tree_model/bins.hpp"
#include "core/tree_model/candidate_pairs.hpp"
#include "core/tree_model/fit.hpp"
#include "core/tree_model/graph.hpp"
#include "core/tree_model/model.hpp"
#include "core/tree_model/plan.hpp"

namespace dpmix {

enum class Bins { private_, equal };
std::optional<Bins> bins_of(std::string_view name);  // private, equal

// Sets TreeRequest::columns, binned and fine_levels.
void count_levels(std::span<const ColumnValues> columns, Bins bins, TreeRequest* request);

class TreeRelease {
 public:
  // The plan must be of these columns: std::logic_error. Error PV005: columns with too many values
  // for tables of one column.
  TreeRelease(const TreePlan& plan, int classes, std::vector<ColumnValues> columns, Bins bins);

  const MarginalTables* next() const { return pass_ ? &*pass_ : nullptr; }  // NULL: done
  // exact: counts of next(), all of them from the same rows.
  void take(RandomStream& random, std::span<const std::int64_t> exact);
  TreeModel model() const { return {columns_, tables_}; }
  double rows() const;  // about how many there are, released
  // Deviation of the noise in a class's count of one value of a column, where values are not
  // merged.
  double column_stddev() const { return column_stddev_; }
  // Pairs that were no candidates, because their tables are too large.
  int pairs_left_out() const { return candidates_.left_out(); }

 private:
  void measure_fine(RandomStream& random, std::span<const std::int64_t> exact);
  void measure_zoomed(RandomStream& random, std::span<const std::int64_t> exact);
  void make_bins();
  void measure_columns(RandomStream& random, std::span<const std::int64_t> exact);
  void measure_pairs(RandomStream& random, std::span<const std::int64_t> exact);
  void count_columns();
  void count_pairs();
  double noise_in_columns() const;
  void measure_columns_again(RandomStream& random, std::span<const std::int64_t> exact,
                             double stddev);
  void merge_columns();
  void fit();
  std::int64_t score(int t, int over, bool by_class);
  bool draw_edge(RandomStream& random, bool chord);

  TreePlan plan_;
  int classes_;
  int chords_;                    // at most, that are measured
  int bins_at_most_ = most_bins;  // of a column
  std::vector<CutColumn> columns_;
  struct Binned {
    int column;
    CellDistribution rows;
    Zoom zoom;
    std::vector<Spike> spikes;
  };
  std::vector<Binned> binned_;
  double column_stddev_ = 0;
  std::vector<NoisyColumn> singles_;
  CandidatePairs candidates_;
  std::vector<std::optional<std::int64_t>> edge_scores_;  // of candidates
  std::vector<NoisyPair> pairs_;
  ColumnGraph graph_;
  std::vector<double> class_rows_;
  TreeTables tables_;
  std::optional<MarginalTables> pass_;
  enum class Stage { fine, zoomed, columns, pairs, done } stage_;
};

}  // namespace dpmix
