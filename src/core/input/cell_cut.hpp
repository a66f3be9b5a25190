// A column's range cut into cells of equal width, and which of them a value is in.
//
// Enters: public bounds, whether values are whole numbers, and how many cells there may be. Leaves:
// for each value one cell 0..cells-1, by monotone arithmetic: so a cell is an interval of doubles,
// whose ends are found exactly, whatever was rounded. No value raises; the caller leaves out NaN;
// infinities and values beyond the bounds are in the outermost cells.
// docs/proofs/query_quantiles.md.
#pragma once

namespace dpmix {

// Ready for many rows.
struct CellPlacer {
  double half_lower, inverse, last;

  int place(double value) const {  // value is not NaN
    double cell = (value * 0.5 - half_lower) * inverse;
    cell = cell > 0 ? cell : 0;
    cell = cell < last ? cell : last;
    return static_cast<int>(cell);
  }
};
// Cells of equal width from lower to limit. Error PV005 unless both are finite, lower < limit and
// cells is in 1..2^20.
CellPlacer cell_placer(double lower, double limit, int cells);

class CellCut {
 public:
  static constexpr int max_cells = 1 << 20;

  // Whole numbers between whole bounds of magnitude up to 2^52 have one cell each, or the least
  // power of two a cell that leaves at most `most` cells; all else is cut into `most`. Error PV005:
  // bounds that are not finite with lower < upper.
  CellCut(double lower, double upper, bool integral, int most);

  int cells() const { return cells_; }
  double lower() const { return lower_; }
  double limit() const { return limit_; }      // above the last cell, for cell_placer
  bool exact() const { return values_ == 1; }  // one value in each cell

  // The ends of a cell, both within the bounds, and what is between them: no value in it lies
  // outside. Whole numbers: the least and the largest of them; else the cell is without its upper
  // end, which is the next one's lower, but for the last.
  double first(int cell) const;
  double last(int cell) const;
  double middle(int cell) const;

 private:
  double lower_, upper_, limit_;
  double values_ = 0;  // whole numbers in a cell; 0: not whole numbers
  int cells_;
  CellPlacer placer_;
};

}  // namespace dpmix
