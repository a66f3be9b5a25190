// A column of a tree model, cut into cells, and what a synthetic row gets of a cell.
//
// Enters: public domains, then noisy counts. Leaves: cells, and codes, which stand for one cell or
// several: the values of a table's axis. What is merged is weighed by released counts. All of it is
// post-processing.
#pragma once

#include <span>
#include <vector>

#include "core/stats/marginal_tables.hpp"

namespace dpmix {

// What a column may hold, by its declaration.
struct ColumnValues {
  double lower = 0, upper = 1;  // of a number
  bool whole = false;           // its values are whole numbers
  int categories = 0;           // 0: a number
  bool missing = true;          // there may be values that are none of these: NULL, undeclared ones
  bool nullable = true;         // ... and a synthetic row may have NULL for them
};

struct CutColumn {
  ColumnValues values;
  ColumnCells cells;
  std::vector<double> weight;  // of each cell within its code

  bool ordered() const { return values.categories == 0; }
  int missing_cell() const { return cells.cells() - 1; }
  // Where a cell's values lie: equal ends for one value.
  double low(int cell) const;
  double high(int cell) const;
};

constexpr int most_values = 128;  // whole numbers of a column that have a cell each

// Whether its cells are known from its domain alone: categories, and few whole numbers.
bool has_few_values(const ColumnValues& values);
// One cell for each value (few of them), or `most` of equal width, besides those of both bounds,
// where numbers beyond them are. Error PV005: bounds that are not finite, do not ascend, or are
// those of whole numbers beyond 2^63; too many categories.
CutColumn cut_column(const ColumnValues& values, int most);

// Merges codes that have too few rows to be seen through the noise: of numbers those that are
// neighbours, what is left over in one. counts: noisy, of each code; noise: of one of them. Returns
// how many were merged into each new code: the variance of its count, in noise^2.
std::vector<int> merge_codes(CutColumn& column, std::span<const double> counts, double noise);

}  // namespace dpmix
