#include "core/tree_model/law.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/index.hpp"
#include "core/tree_model/proportional_fitting.hpp"

namespace dpmix {
namespace {

constexpr double least = 1e-12;

// Rows of class, two parents and the column, whose three pairs are as released.
std::vector<double> triangle(const TreeTables& tables, int a, int b, int column) {
  const std::vector<double> ab = tables.pair(a, b), av = tables.pair(a, column),
                            bv = tables.pair(b, column);
  const std::vector<double>& of_a = tables.columns[index(a)];
  const std::size_t na = index(tables.codes[index(a)]), nb = index(tables.codes[index(b)]),
                    nv = index(tables.codes[index(column)]);
  std::vector<double> rows(tables.classes.size() * na * nb * nv);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t in_ab = i / nv, in_a = in_ab / nb;
    rows[i] = ab[in_ab] * av[in_a * nv + i % nv] / std::max(of_a[in_a], least) + least;
  }
  const int sizes[] = {tables.class_count(), static_cast<int>(na), static_cast<int>(nb),
                       static_cast<int>(nv)};
  const Margin margins[] = {{{0, 1, 2}, ab}, {{0, 1, 3}, av}, {{0, 2, 3}, bv}};
  fit_margins(rows, sizes, margins);
  return rows;
}

// A synthetic row never gets a cell of weight 0, nor a code of such cells.
std::vector<double> cell_law(const CutColumn& column, std::vector<bool>* possible) {
  std::vector<double> weight = column.weight, sum(index(column.cells.codes()), 0.);
  if (!column.values.missing || !column.values.nullable) weight.back() = 0;
  for (std::size_t i = 0; i < weight.size(); ++i) sum[index(column.cells.code[i])] += weight[i];
  for (std::size_t i = 0; i < weight.size(); ++i) {
    if (weight[i] > 0) weight[i] /= sum[index(column.cells.code[i])];
  }
  for (const double s : sum) possible->push_back(s > 0);
  if (std::none_of(sum.begin(), sum.end(), [](double s) { return s > 0; })) {
    weight.front() = 1;  // of a column of missing values that may not be NULL
    (*possible)[index(column.cells.code.front())] = true;
  }
  return weight;
}

void normalise(std::span<double> row, const std::vector<bool>& possible) {
  double sum = 0;
  for (std::size_t v = 0; v < row.size(); ++v) {
    row[v] = possible[v] ? row[v] + least : 0;
    sum += row[v];
  }
  for (double& p : row) p /= sum;
}

}  // namespace

std::size_t ConditionalTable::row(int k, std::span<const int> codes_of,
                                  std::span<const int> sizes) const {
  std::size_t row = index(k);
  for (const int parent : parents) {
    row = row * index(sizes[index(parent)]) + index(codes_of[index(parent)]);
  }
  return row;
}

TreeLaw::TreeLaw(const TreeModel& model) : codes_(model.tables.codes) {
  const TreeTables& tables = model.tables;
  const double rows = std::accumulate(tables.classes.begin(), tables.classes.end(), 0.);
  for (const double x : tables.classes) classes_.push_back(x / rows);
  std::vector<std::vector<bool>> possible(codes_.size());
  for (std::size_t i = 0; i < codes_.size(); ++i) {
    cells_.push_back(cell_law(model.columns[i], &possible[i]));
  }
  const std::vector<DrawStep> order = model.graph().order().value();
  for (const DrawStep& step : order) {
    ConditionalTable table;
    table.column = step.column;
    table.codes = codes_[index(step.column)];
    table.parents = step.parents;
    table.probability = step.parents.empty() ? tables.columns[index(step.column)]
                        : step.parents.size() == 1
                            ? tables.pair(step.parents[0], step.column)
                            : triangle(tables, step.parents[0], step.parents[1], step.column);
    const std::span<double> all(table.probability);
    for (std::size_t i = 0; i < all.size(); i += index(table.codes)) {
      normalise(all.subspan(i, index(table.codes)), possible[index(step.column)]);
    }
    tables_.push_back(std::move(table));
  }
}

double TreeLaw::probability(int k, std::span<const int> codes) const {
  double p = classes_[index(k)];
  for (const ConditionalTable& table : tables_) {
    p *= table.probability[table.row(k, codes, codes_) * index(table.codes) +
                           index(codes[index(table.column)])];
  }
  return p;
}

}  // namespace dpmix
