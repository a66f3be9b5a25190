#include "core/tree_model/model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/index.hpp"
#include "core/base/packed_reader.hpp"
#include "core/input/moment_frame.hpp"

namespace dpmix {
namespace {

constexpr double most_rows = 0x1p100;  // so that no product of a few counts is infinite

// Rows or weights: none negative, none NaN.
std::vector<double> read_rows(PackedReader& read, std::size_t count) {
  std::vector<double> rows = read.numbers(count);
  read.require(
      std::all_of(rows.begin(), rows.end(), [](double x) { return x >= 0 && x <= most_rows; }));
  return rows;
}

CutColumn read_column(PackedReader& read, int* codes) {
  CutColumn column;
  ColumnValues& values = column.values;
  values.lower = read.number();
  values.upper = read.number();
  read.require(std::isfinite(values.lower) && std::isfinite(values.upper));
  values.whole = read.whole(0, 1) == 1;
  values.categories = read.whole(0, MarginalTables::most_cells);
  values.missing = read.whole(0, 1) == 1;
  values.nullable = read.whole(0, 1) == 1;
  const std::size_t edges = read.count(MarginalTables::most_cells);
  *codes = read.whole(1, MarginalTables::most_cells);
  column.cells.categories = values.categories;
  column.cells.edges = read.numbers(edges);
  column.cells.code = read.wholes(column.cells.needed_codes(), 0, *codes - 1);
  column.cells.check();
  read.require(column.cells.codes() == *codes);
  column.weight = read_rows(read, column.cells.code.size());
  return column;
}

}  // namespace

int TreeModel::row_columns() const {
  return rules.empty() ? static_cast<int>(columns.size()) : rules.columns();
}

ColumnGraph TreeModel::graph() const {
  ColumnGraph graph(static_cast<int>(columns.size()));
  for (const PairTable& pair : tables.pairs) graph.join(pair.a, pair.b);
  return graph;
}

double TreeModel::mutual_information(const PairTable& pair) const {
  const double total = std::accumulate(pair.rows.begin(), pair.rows.end(), 0.);
  const std::vector<double> apart = rows_through(tables, pair.a, pair.b, -1);
  double sum = 0;
  for (std::size_t i = 0; i < apart.size(); ++i) {
    if (pair.rows[i] > 0 && apart[i] > 0) sum += pair.rows[i] * std::log(pair.rows[i] / apart[i]);
  }
  return std::max(0., sum / total);
}

std::vector<double> TreeModel::pack() const {
  std::vector<double> packed = {double(tables.classes.size()), double(columns.size())};
  const auto add = [&](const auto& numbers) {
    packed.insert(packed.end(), numbers.begin(), numbers.end());
  };
  add(tables.classes);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const CutColumn& column = columns[i];
    add(std::vector<double>{column.values.lower, column.values.upper, double(column.values.whole),
                            double(column.values.categories), double(column.values.missing),
                            double(column.values.nullable), double(column.cells.edges.size()),
                            double(tables.codes[i])});
    add(column.cells.edges);
    add(column.cells.code);
    add(column.weight);
    add(tables.columns[i]);
  }
  packed.push_back(double(tables.pairs.size()));
  for (const PairTable& pair : tables.pairs) {
    add(std::vector<double>{double(pair.a), double(pair.b)});
    add(pair.rows);
  }
  if (!rules.empty()) add(rules.pack());
  return packed;
}

TreeModel TreeModel::unpack(std::span<const double> packed) {
  PackedReader read(packed, {.message = "invalid tree model",
                             .detail = "Its numbers are not those of a release.",
                             .hint = "Release it again."});
  TreeModel model;
  TreeTables& tables = model.tables;
  const std::size_t classes = read.count(MomentFrame::max_classes);
  const int columns = read.whole(1, MarginalTables::most_columns);
  tables.classes = read_rows(read, classes);
  read.require(classes > 0 && *std::min_element(tables.classes.begin(), tables.classes.end()) > 0);
  for (int i = 0; i < columns; ++i) {
    int codes = 0;
    model.columns.push_back(read_column(read, &codes));
    tables.codes.push_back(codes);
    tables.columns.push_back(read_rows(read, classes * index(codes)));
  }
  const auto codes_of = [&](int i) { return index(tables.codes[index(i)]); };
  ColumnGraph graph(columns);
  for (int pairs = read.whole(0, 2 * columns); pairs > 0; --pairs) {
    const int a = read.whole(0, columns - 1), b = read.whole(0, columns - 1);
    read.require(a != b && !graph.joined(a, b));
    graph.join(a, b);
    tables.pairs.push_back({a, b, read_rows(read, classes * codes_of(a) * codes_of(b))});
  }
  if (!read.done()) {
    model.rules = RowRules::unpack(read.rest());
    read.require(model.rules.measured() == columns);
    for (int i = 0; i < columns; ++i) {
      const bool number = model.rules.column(model.rules.column_of(i)).number;
      read.require(number == model.columns[index(i)].ordered());
    }
  }
  const auto order = graph.order();
  read.require(order.has_value());
  for (const DrawStep& step : *order) {
    double cells = static_cast<double>(classes * codes_of(step.column));
    for (const int parent : step.parents) cells *= static_cast<double>(codes_of(parent));
    read.require(step.parents.size() < 2 || cells <= most_triangle_cells);
  }
  return model;
}

}  // namespace dpmix
