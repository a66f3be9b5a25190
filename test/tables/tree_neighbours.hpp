// Neighbouring tables of labelled rows with values of all kinds, and how far they move what the
// release of a tree model adds noise to.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/query/quantile_tree.hpp"
#include "tables/tree_releases.hpp"

namespace dpmix::test {

using Counts = std::vector<std::int64_t>;

// Values of all kinds, whatever the column is.
inline double any_value(std::mt19937_64& random) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN(),
                   infinity = std::numeric_limits<double>::infinity();
  const double values[] = {nothing, infinity, -infinity, -1, 0, .5, 1, 2, 3, 5, 1e300, -1e300, 712};
  return values[random() % std::size(values)];
}

inline TreeRow any_row(std::mt19937_64& random, int classes, std::size_t columns) {
  TreeRow row;
  row.k = static_cast<int>(random() % static_cast<std::uint64_t>(classes));
  for (std::size_t i = 0; i < columns; ++i) row.x.push_back(any_value(random));
  return row;
}

// A table without and with one unit, or with its rows before and after.
struct TreeNeighbours {
  std::vector<TreeRow> one, other;
};

inline TreeNeighbours tree_neighbours(std::mt19937_64& random, Adjacency adjacency, int rows,
                                      int classes, std::size_t columns) {
  TreeNeighbours found;
  for (std::uint64_t n = random() % 40; n > 0; --n) {
    found.one.push_back(any_row(random, classes, columns));
  }
  found.other = found.one;
  const bool alike = random() % 2 == 0;  // all rows of the unit in the same cells
  TreeRow before = any_row(random, classes, columns), after = any_row(random, classes, columns);
  for (int r = 0; r < rows; ++r) {
    if (!alike) before = any_row(random, classes, columns);
    if (!alike) after = any_row(random, classes, columns);
    if (adjacency == Adjacency::label) {
      after = before;
      after.k = (before.k + 1) % classes;
    }
    if (adjacency != Adjacency::add_remove) found.one.push_back(before);
    found.other.push_back(after);
  }
  return found;
}

inline double square(std::span<const std::int64_t> one, std::span<const std::int64_t> other) {
  double sum = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    sum += std::pow(static_cast<double>(one[i] - other[i]), 2);
  }
  return sum;
}

// The same rows through a whole release: all that its passes add noise to, in units of that noise.
class TreeShift {
 public:
  TreeShift(const TreeCase& of, const TreePlan& plan, RandomStream& stream,
            const TreeNeighbours& pair)
      : plan_(plan), release_(plan_, of.classes, of.columns, of.bins) {
    for (bool fine = plan_.binned > 0, zoomed = fine; release_.next() != nullptr;) {
      const MarginalTables tables = *release_.next();
      const Counts one = exact_counts(tables, pair.one), other = exact_counts(tables, pair.other);
      release_.take(stream, one);
      if (tables.table(0).b >= 0) {
        add_pairs(tables, one, other);
      } else if (fine) {
        add_fine(tables, one, other);
      } else {
        const bool of_columns = tables.table(0).by_class;
        EXPECT_TRUE(of_columns || zoomed);
        add_each(tables, one, other, of_columns ? plan_.single_stddev : plan_.zoom_stddev);
        if (of_columns && release_.column_stddev() < plan_.single_stddev) {
          again_ = release_.next() == nullptr ? Again::for_pairs : Again::for_chords;
          add_each(tables, one, other,
                   again_ == Again::for_pairs ? plan_.for_pairs_stddev : plan_.for_chords_stddev);
        }
      }
      fine = false;
    }
  }
  double square_of_mu() const { return sum_; }
  // Why columns were counted twice.
  enum class Again { no, for_chords, for_pairs };
  Again again() const { return again_; }
  const TreePlan& plan() const { return plan_; }
  TreeModel model() const { return release_.model(); }

 private:
  void add_each(const MarginalTables& tables, const Counts& one, const Counts& other,
                double stddev) {
    for (int t = 0; t < tables.tables(); ++t) add(tables, one, other, t, stddev);
  }
  void add(const MarginalTables& tables, const Counts& one, const Counts& other, int t,
           double stddev) {
    sum_ += square(tables.part(std::span<const std::int64_t>(one), t),
                   tables.part(std::span<const std::int64_t>(other), t)) /
            (stddev * stddev);
  }
  // Every level of the tree of fine counts has noise of its own.
  void add_fine(const MarginalTables& tables, const Counts& one, const Counts& other) {
    for (int t = 0; t < tables.tables(); ++t) {
      const std::span<const std::int64_t> a = tables.part(std::span<const std::int64_t>(one), t),
                                          b = tables.part(std::span<const std::int64_t>(other), t);
      const TreeShape shape = tree_shape(tables.column(tables.table(t).a).cells() - 1);
      for (int level = 0; level < shape.levels; ++level) {
        std::vector<Int128> nodes(static_cast<std::size_t>(shape.nodes(level))), others = nodes;
        sum_level(shape, level, a.first(static_cast<std::size_t>(shape.cells)), nodes.data());
        sum_level(shape, level, b.first(static_cast<std::size_t>(shape.cells)), others.data());
        for (std::size_t i = 0; i < nodes.size(); ++i) {
          const auto moved = static_cast<double>(nodes[i] - others[i]);
          sum_ += moved * moved / (plan_.fine_stddev * plan_.fine_stddev);
        }
      }
    }
  }
  // Of the pairs that are measured, edges first.
  void add_pairs(const MarginalTables& tables, const Counts& one, const Counts& other) {
    int measured = 0;
    for (const PairTable& pair : release_.model().tables.pairs) {
      for (int t = 0; t < tables.tables(); ++t) {
        if (tables.table(t).a != pair.a || tables.table(t).b != pair.b) continue;
        add(tables, one, other, t, measured < plan_.edges ? plan_.edge_stddev : plan_.chord_stddev);
      }
      ++measured;
    }
    EXPECT_LE(measured, plan_.edges + (again_ == Again::no ? plan_.chords : 0));
  }

  TreePlan plan_;
  TreeRelease release_;
  double sum_ = 0;
  Again again_ = Again::no;
};

}  // namespace dpmix::test
