// The variance that noise in the cells of a table gives what is computed of them, to the first
// order.
#pragma once

#include <algorithm>
#include <vector>

#include "core/base/poll.hpp"
#include "core/survival/table.hpp"

namespace dpmix {

// How each number that compute(table) returns moves with each cell, times the deviation of its
// noise: [number][cell].
template <class Compute>
std::vector<std::vector<double>> noise_moves(const SurvivalTable& table, const Compute& compute) {
  constexpr double kStep = 0x1p-10;  // of a deviation
  SurvivalTable moved = table;
  const double step = kStep * table.stddev;
  std::vector<std::vector<double>> moves;
  for (std::size_t cell = 0; cell < table.cell.size(); ++cell) {
    poll();
    moved.cell[cell] = table.cell[cell] + step;
    const std::vector<double> above = compute(moved);
    moved.cell[cell] = table.cell[cell] - step;
    const std::vector<double> below = compute(moved);
    moved.cell[cell] = table.cell[cell];
    moves.resize(above.size(), std::vector<double>(table.cell.size()));
    for (std::size_t i = 0; i < above.size(); ++i) {
      moves[i][cell] = (above[i] - below[i]) / (2 * kStep);
    }
  }
  return moves;
}

template <class Compute>
std::vector<double> noise_variances(const SurvivalTable& table, const Compute& compute) {
  std::vector<double> variances;
  for (const std::vector<double>& moves : noise_moves(table, compute)) {
    double sum = 0;
    for (const double move : moves) sum += move * move;
    variances.push_back(sum);
  }
  return variances;
}

}  // namespace dpmix
