// A picture of columns of two tables, a small plot for each: which shares of the rows hold which
// values, the real table beside the synthetic one, as a standalone SVG document in ASCII. As
// private or not as what it is made of.
#pragma once

#include <string>
#include <vector>

#include "core/drawing/axis.hpp"

namespace dpmix {

struct ColumnShares {
  std::string name;  // UTF-8, or any bytes
  AxisUnit unit = AxisUnit::number;
  double lower = 0, upper = 1;          // equal cells between these; lower < upper
  std::vector<std::string> categories;  // likewise; in place of cells where there are any
  // The share of each cell or category, then of missing values; NaN: the table has no rows.
  std::vector<double> real, synthetic;
};

struct SharesPicture {
  std::string real, synthetic;  // names of the tables
  std::vector<ColumnShares> columns;
};

// The first 60 columns; others are counted. Of more than 30 categories the most frequent ones, the
// rest together.
std::string draw_shares(const SharesPicture& picture);

}  // namespace dpmix
