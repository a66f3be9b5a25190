// The noisy statistics behind a private query: each once, with the lattice that it is summed on.
//
// Enters: aggregates of a query that passed the validator. Leaves: what has to be counted and
// summed over the rows of each group, and which of them each aggregate is made of. Bad rows, by
// one rule: NULL and NaN are missing; infinities and values out of bounds are clamped.
#pragma once

#include "core/base/int128.hpp"
#include "core/input/cell_cut.hpp"
#include "core/input/lattice.hpp"
#include "core/query/quantile_tree.hpp"
#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

struct CountedTree {  // one over a column
  CellCut cut;
  TreeShape shape;
};

// Stored cubes have these numbers: none ever changes, or is used again.
enum class StatisticKind {
  rows = 0,       // rows of the group
  values = 1,     // values that are not missing
  sum = 2,        // sum of values on the lattice
  squares = 3,    // sum of squared distances from the middle, on a lattice of their own
  distinct = 4,   // declared categories that occur
  different = 5,  // different values, declared or not
  tree = 6,       // values in nodes of one level of a column's tree (core/query/quantile_tree)
  bins = 7,       // values between edges
  units = 8,      // privacy units that have a row; where one may have several
  drawn = 9,      // a quantile: the number of its cell, drawn from exact counts
};
// Whether the answers of a group may be made of those of finer groups, added up: so are the exact
// numbers, and so are intervals computed. What cubes and derived answers are made of asks this.
bool adds_over_groups(StatisticKind kind);

struct CategoryScales;

struct QueryStatistic {
  StatisticKind kind;
  Expr* value;   // safe; NULL: rows; of units, their column
  Node* filter;  // safe; NULL: none
  Lattice lattice;
  int cells;                // numbers for each group
  double lower, upper;      // bounds of a sum's values
  const char* text;         // what it is, for people
  Lattice centred;          // for squares: the lattice of what is squared
  int categories;           // for distinct
  bool integral;            // for sums: of whole numbers
  const CountedTree* tree;  // whose level it is
  int level;
  const double* edge;  // for bins: cells + 1 edges
  double share = 0;    // for drawn: the quantile's
  double unit = 1;     // of products: what they are counted in, in units of both columns
  // Of a sum: each group's own lattice to read it on, of which the widest are lower, upper and
  // unit.
  CategoryScales* scales = NULL;

  double step() const { return lattice.step * unit; }  // for people
};

struct AggregateParts {  // indices of statistics; -1: not a part
  int count, sum, squares;
  int cells = -1;  // a histogram, or the first level of a tree
  // Parts of pairs besides: sum and squares are those of x.
  int y_sum = -1, y_squares = -1, products = -1;

  bool divides() const { return count >= 0 && sum >= 0; }  // by a count
  bool has(int statistic) const {                          // but for cells
    return statistic >= 0 &&
           (statistic == count || statistic == sum || statistic == squares || statistic == y_sum ||
            statistic == y_squares || statistic == products);
  }
};

struct QueryStatistics {
  int count;
  QueryStatistic* statistic;
  AggregateParts* parts;  // each aggregate's
  int cells;              // how many for each group: all statistics', and exact counts to draw from
  int* first;             // the first cell of each statistic
  int* counted;           // for each that is drawn, the first of the counts that it is drawn from
  // The statistic from whose aggregate each is read, itself or another of the same rows: one pass
  // over a column gives its count, its sum and its squares.
  int* carrier;
};

// The numbers of each group that are released, without exact counts.
int released_cells(const QueryStatistics* list);
// How many statistics have noise: they come before those that are drawn.
int noisy_statistics(const QueryStatistics* list);
// Whether an aggregate is a quantile, of a tree over its column or drawn from its cells.
bool has_tree(const QueryStatistics* list, const AggregateParts& parts);
// Equal statistics are released once. The index of the one asked.
int add_statistic(QueryStatistics* list, const QueryStatistic& asked);
// PV002 where an aggregate has no answers in GROUPING SETS that agree with each other.
void check_answered_together(const QueryShape* shape, const QueryStatistics* list);
// The text of an aggregate's arguments, in the order of the call.
const char* argument_text(const RowScope* scope, const QueryAggregate* aggregate);
// One number for each group, with the aggregate's filter and a text that names its argument.
QueryStatistic statistic_of(const RowScope* scope, const QueryAggregate* aggregate,
                            StatisticKind kind, const char* name, Expr* value,
                            const Lattice& lattice);

}  // namespace dpmix::pg
