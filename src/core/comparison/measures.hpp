// How alike two tables are, column by column, pair by pair, and to a classifier.
//
// Enters: public columns (bounds, categories); of each table the statistics below, exact or noisy.
// Leaves: measures. No mechanism here: measures of exact statistics are exact and not private,
// those of noisy ones are post-processing.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/input/cell_grid.hpp"
#include "core/mixture/fit/moments.hpp"
#include "core/stats/bin_counts.hpp"

namespace dpmix {

// The columns of both tables: numbers (booleans are 0 and 1) and categories, all public.
struct ComparedColumns {
  std::vector<double> lower, upper;  // of each number
  std::vector<char> boolean;         // of each number
  std::vector<int> categories;       // of each feature that holds categories: how many
  int classes = 0;                   // of the label; 0: there is none
  int bins = 0;                      // of each number in tables of pairs; 0: there are none

  int numbers() const { return static_cast<int>(lower.size()); }
  MomentFrame box() const { return box_frame(lower, upper, 1); }  // of the numbers

  // What a classifier sees of a row: its numbers, then for each of these features an indicator of
  // each category but the first. Features that would make it too large are left out.
  std::vector<int> coded() const;  // which of `categories`
  int coordinates() const;
  MomentFrame coded_box() const;  // with a class for each of the label's
  bool classified() const { return classes > 0 && coordinates() > 0; }
};

// A column whose values are counted by cell of a public grid. Columns are numbered: numbers, then
// categories, then the label. A boolean has none: its mean says all.
struct Marginal {
  int column;
  bool ordered;  // cells of equal width from bound to bound; else one for each category
  double lower, upper;
  int cells;

  CellGrid grid() const;  // of rows of one feature, the category's number where not ordered
};
constexpr int kFineCells = 1000;  // of an ordered marginal, where cells cost nothing
constexpr int kCoarseCells = 20;  // where they do, and where total variations are taken
std::vector<Marginal> marginals_of(const ComparedColumns& columns, int cells);

// What one scan counts, exact integers. Blank where there was no row, or nothing was asked.
struct TableCounts {
  std::int64_t rows = 0;
  MomentTotals moments;              // of complete rows, all in one class, seen from the box
  std::vector<BinCounts> marginals;  // in the order of marginals_of()
  BinCounts tested;                  // rows by label and the class that a classifier takes them for
  BinCounts pairs;                   // rows by cell of pair_shape()'s tables

  std::int64_t right() const;  // rows taken for what they are
  std::int64_t wrong() const;
};

struct TableStatistics {
  double rows = NAN;     // NAN: not known
  NoisyMoments moments;  // no sums where there are no numbers
  std::vector<std::vector<double>> marginals;
  double right = NAN, wrong = NAN;
  double score = NAN;  // of a model learnt from this table, on the rows of the real one
};
TableStatistics exact_statistics(const TableCounts& counts, const ComparedColumns& columns,
                                 const std::vector<Marginal>& marginals);

// right / (right + wrong), in [0, 1]; NAN without a row.
double share_right(double right, double wrong);
inline double share_right(const TableStatistics& table) {
  return share_right(table.right, table.wrong);
}

enum class MeasureKind {
  rows,
  complete_rows,
  accuracy,
  log_density,
  accuracy_of_largest_class,
  class_total_variation,
  class_share,
  mean,
  stddev,
  quantile,
  ks_distance,
  total_variation,
  share,
  correlation_max_difference,
  correlation_mean_difference,
  correlation,
  marginal_tv,
  marginal_tv_mean,
  marginal_tv_noise,
  pair_tv,
  pair_tv_mean,
  pair_tv_worst,
  pair_tv_noise,
  naive_bayes_accuracy,
};
std::string_view name(MeasureKind kind);

struct Measure {
  MeasureKind kind;
  int column = -1, other = -1;  // as in Marginal; -1: none
  int category = -1;            // of the column
  double level = NAN;           // of a quantile
  double real = NAN, synthetic = NAN;
  double difference = NAN;  // synthetic - real, or a distance; NAN: not defined
};
// Which measures there are depends on columns and grids alone, and on whether real.rows is known.
std::vector<Measure> compare_tables(const ComparedColumns& columns,
                                    const std::vector<Marginal>& marginals,
                                    const TableStatistics& real, const TableStatistics& synthetic);

}  // namespace dpmix
