// What one pass over a table's rows is asked for, and what it answers: the statistics of releases
// that look at rows several times.
#pragma once

#include <variant>
#include <vector>

#include "core/input/moment_frame.hpp"
#include "core/stats/bin_counts.hpp"
#include "core/stats/moment_totals.hpp"
#include "core/stats/weighted_points.hpp"

namespace dpmix {

// Each is one aggregate over the rows (src/sql/10_stats.sql), dpmix_internal.<kind>(x, argument),
// with the row's class first where the label is looked at. The last two are class_moments and
// class_distances with every row in class 0, whatever its label.
enum class PassKind {
  class_moments,    // by class: count, sums, products of placed rows -> MomentTotals
  class_distances,  // by class: rows by distance; extra: edges, squared, in steps -> BinCounts
  class_clusters,   // by class: rows by most likely component; extra: ClusterFrame -> BinCounts
  soft_moments,     // by component: moments of shares; extra: MixtureFrame -> MomentTotals
  cells,            // rows by cell of a grid of placed rows -> BinCounts
  feature_sample,   // distinct rows of least hash, counted; extra: SampleFrame -> WeightedPoints
  row_moments,      // as class_moments and class_distances, but of all rows in one class, whatever
  row_distances,    // their label
};
inline constexpr int pass_kinds = 8;

struct Pass {
  PassKind kind;
  MomentFrame frame;
  std::vector<double> extra;  // what else the aggregate must know

  std::vector<double> pack() const;  // the aggregate's constant argument: frame, then extra
};

// Blank (no classes) when no row was seen.
using PassStatistics = std::variant<MomentTotals, BinCounts, WeightedPoints>;

}  // namespace dpmix
