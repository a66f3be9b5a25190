// How alike two tables are in all single columns and all pairs of columns, of any kind: total
// variation distances of small tables of counts, and what a naive Bayes classifier, which is made
// of such tables, gets right.
//
// Enters: public columns; counts of both tables, of the real one exact or noisy, and how noisy.
// Leaves: measures and how far noise moves them. Functions of what enters, no mechanism.
#pragma once

#include <vector>

#include "core/comparison/measures.hpp"
#include "core/input/pair_shape.hpp"

namespace dpmix {

// Which columns are in the tables, in order; the label, which is the last, first of all, then as
// many as PairShape::max_bins counts leave room for. A number is cut into columns.bins equal cells,
// a boolean and categories have a cell each; a missing value is a cell of its own.
std::vector<int> paired_columns(const ComparedColumns& columns);
PairShape pair_shape(const ComparedColumns& columns);  // without a classifier
bool has_pair_classifier(const ComparedColumns& columns);

// Naive Bayes with add-one smoothing of class shares and of cells, as PairShape::scores, in
// thousandths of a nat. counts: of pair_shape(). Empty when no row has a label.
std::vector<double> bayes_scores(const ComparedColumns& columns, const BinCounts& counts);

// Deviations of the noise in each count; 0: none.
struct PairNoise {
  double cell = 0;
  bool label_only = false;  // tables without the label have none
  double right = 0;         // of right and wrong each

  double of(const PairCells& table, int label) const {
    return label_only && table.column != label && table.other != label ? 0 : cell;
  }
};

struct PairStatistics {
  std::vector<double> cells;  // as pair_shape() has them
  double right = 0, wrong = 0;
};
// counts: with the last two for the classifier, or without.
PairStatistics exact_pairs(const BinCounts& counts, const ComparedColumns& columns);

struct PairComparison {
  std::vector<Measure> measures;
  // Noise moves the measure's difference (of the classifier: synthetic) by no more in 95 of 100
  // releases; an estimate. 0 without noise; NAN for what has no error.
  std::vector<double> bounds;
};
// A distance from noisy counts is about the root of the sum of two squares: of the distance, and of
// what noise alone would make of equal tables. The latter is taken off. The scores are of
// classifiers learnt from either table, on the rows of the real one.
PairComparison compare_pairs(const ComparedColumns& columns, const PairStatistics& real,
                             const PairStatistics& synthetic, const PairNoise& noise,
                             double real_score, double synthetic_score);

}  // namespace dpmix
