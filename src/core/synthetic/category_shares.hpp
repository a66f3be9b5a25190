// Synthetic rows, each given one value of every feature with few values, in the right shares.
//
// A row that mixes several records holds the shares of the categories among them. Taking the
// largest is a majority vote, in which rare categories vanish. Here row x takes the category c with
// the largest x_c + b_c, where the offsets b of a class are such that each category's share of the
// class's rows is the mean of its indicator over them (brought into the simplex): the cheapest
// such assignment, a transport problem whose dual variables are b.
//
// Enters: released rows in half widths, class by class. Leaves: the same rows in the same order,
// the coordinates of each choice at those of one value. Post-processing: reads no record
// (docs/proofs/synthetic_records.md). Deterministic. The offsets are found on the first rows of a
// class, which wait for it, and follow the others.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/input/record_code.hpp"

namespace dpmix {

// The shares of one choice in one class.
class ChoiceShares {
 public:
  explicit ChoiceShares(const Choice& choice);
  void learn(const std::vector<double>& rows, std::size_t coordinates);
  // Puts one value in place of the row's coordinates; `row` counts the rows of the class.
  void choose(double* half_widths, std::uint64_t row);

 private:
  int read(const double* half_widths, std::uint64_t row, double* indicator) const;
  void count(const double* indicator, int largest);
  void refresh(double passed);
  int step(const double* indicator, int largest, double rate);

  Choice choice_;
  std::vector<double> indicator_;  // of the row at hand
  std::vector<double> offset_;
  std::vector<double> sum_, largest_;  // over rows seen: of indicators, of who was the largest
  std::vector<double> given_;          // rows that got this value
  std::vector<double> drift_;          // what the largest lacks of the shares wanted
  double rows_ = 0;
  double rate_ = 0;
};

class CategoryShares {
 public:
  using Put = std::function<void(int k, const double* half_widths)>;

  // choices: of a RecordCode, which outlives this.
  CategoryShares(std::span<const Choice> choices, int coordinates, Put put);
  // Rows come class by class; put() gets them in the same order.
  void add(int k, const double* half_widths);
  void finish();  // after the last row

 private:
  void flush();
  void pass_on(const double* half_widths);

  const std::span<const Choice> choices_;
  const std::size_t coordinates_, most_waiting_;
  const Put put_;
  int k_ = -1;
  bool learned_ = false;         // class k_
  std::uint64_t passed_ = 0;     // rows of class k_
  std::vector<double> waiting_;  // rows of class k_
  std::vector<double> row_;
  std::vector<ChoiceShares> shares_;
};

}  // namespace dpmix
