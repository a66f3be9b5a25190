// Rules between the columns of a row, such as admitted <= discharged: a map of rows to numbers that
// no rule binds, such as admitted and the days until discharge, and the way back, to a row that
// keeps every rule.
//
// Enters: declarations, then rows of doubles, NaN where a value is missing. Leaves: of each row its
// measured numbers, which are a function of that row and of declarations alone
// (docs/proofs/tree_model.md). What breaks a rule is clamped, and nobody counts it.
#pragma once

#include <cmath>
#include <span>
#include <vector>

namespace dpmix {

struct RuledColumn {
  bool number = true;           // else categories
  bool whole = false;           // of a number: only whole ones
  double lower = 0, upper = 1;  // of a number
  int at_least = -1;            // a number is at least this column's, where both are there
  std::vector<int> sum_of;      // a number is the sum of these; missing where one of them is
  double units = 0;             // ... each of which is rounded to so many parts of 1; 0: is not
  int present_with = -1;        // is missing where this column is, and nowhere else
};

class RowRules {
 public:
  static constexpr int most_columns = 1 << 11;  // of a row

  RowRules() = default;  // no columns, no rules
  // Error PV005: a rule that names no number, or itself, be it through others; that the bounds
  // contradict: of what is at least another column the upper bound is not below that one's, a sum
  // has the bounds of all sums.
  explicit RowRules(std::vector<RuledColumn> columns);

  bool empty() const { return columns_.empty(); }
  int columns() const { return static_cast<int>(columns_.size()); }
  int measured() const { return static_cast<int>(column_of_.size()); }
  const RuledColumn& column(int i) const { return columns_[place(i)]; }
  // Sums are not measured: -1.
  int measured_of(int column) const { return measured_of_[static_cast<std::size_t>(column)]; }
  int column_of(int measured) const { return column_of_[static_cast<std::size_t>(measured)]; }
  // Bounds of what is measured in place of a column.
  double measured_lower(int column) const;
  double measured_upper(int column) const;
  // Measured columns that are missing together with this one, if there are such.
  std::span<const int> together(int column) const;

  // The measured numbers of a row, of any values. row: becomes one that keeps the rules.
  void measure(std::span<double> row, std::span<double> measured) const;
  // The row of measured numbers that lie within their bounds. present(column): a value of a column
  // that is missing among those it is present with.
  template <class Present>
  void restore(std::span<double> measured, std::span<double> row, const Present& present) const {
    for (const std::vector<int>& group : groups_) {
      const bool missing = std::isnan(measured[place(measured_of(group.front()))]);
      for (const int column : group) {
        double& x = measured[place(measured_of(column))];
        if (missing) {
          x = NAN;
        } else if (std::isnan(x)) {
          x = present(column);
        }
      }
    }
    put_together(measured, row);
  }

  std::vector<double> pack() const;
  static RowRules unpack(std::span<const double> packed);  // Error PV005

 private:
  static std::size_t place(int i) { return static_cast<std::size_t>(i); }
  void put_together(std::span<const double> measured, std::span<double> row) const;
  void find_order();
  void find_groups();
  void check_bounds() const;
  double base(int column) const;  // what counts where the column that it is at least is missing
  double sum(const RuledColumn& column, std::span<const double> row) const;

  std::vector<RuledColumn> columns_;
  std::vector<int> order_;  // what others are made of comes before them
  std::vector<int> measured_of_, column_of_;
  std::vector<std::vector<int>> groups_;  // of measured columns that are present together
  std::vector<int> group_of_;             // -1: none
};

}  // namespace dpmix
