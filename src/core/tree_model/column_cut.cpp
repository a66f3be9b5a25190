#include "core/tree_model/column_cut.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/algebra/simplex.hpp"
#include "core/base/next_double.hpp"
#include "core/base/refuse_parameter.hpp"

namespace dpmix {
namespace {

constexpr double visible_noise = 3;  // a code that stands alone has so many deviations of rows

double values_between(const ColumnValues& values) {  // whole numbers
  return std::floor(values.upper) - std::ceil(values.lower) + 1;
}

std::vector<double> edges_of(const ColumnValues& values, int most) {
  std::vector<double> edges;
  if (values.whole) {
    const double first = std::ceil(values.lower), count = std::max(1., values_between(values));
    const double cells = std::min<double>(count, most);
    for (int i = 1; i < cells; ++i) edges.push_back(first - .5 + std::floor(i * count / cells));
  } else if (values.lower < values.upper) {
    for (int i = 1; i < most; ++i) {
      edges.push_back(std::lerp(values.lower, values.upper, static_cast<double>(i) / most));
    }
    edges.insert(edges.end(), {next_up(values.lower), values.upper});
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

// Codes 0, 1, ... in the order of cells; the missing cell's last, where it may occur.
CutColumn identity(const ColumnValues& values, ColumnCells cells, std::size_t count) {
  cells.code.resize(count + 1);
  std::iota(cells.code.begin(), cells.code.end(), 0);
  if (!values.missing) cells.code.back() = static_cast<int>(count) - 1;  // never met
  std::vector<double> weight(count + 1, 1.);
  if (!values.missing) weight.back() = 0;
  return {values, std::move(cells), std::move(weight)};
}

}  // namespace

double CutColumn::low(int cell) const {
  if (cell == 0) return values.whole ? std::ceil(values.lower) - .5 : values.lower;
  return cells.edges[static_cast<std::size_t>(cell) - 1];
}

double CutColumn::high(int cell) const {
  if (static_cast<std::size_t>(cell) < cells.edges.size()) {
    return cells.edges[static_cast<std::size_t>(cell)];
  }
  return values.whole ? std::floor(values.upper) + .5 : values.upper;
}

bool has_few_values(const ColumnValues& values) {
  return values.categories > 0 || values.lower == values.upper ||
         (values.whole && values_between(values) <= most_values);
}

CutColumn cut_column(const ColumnValues& values, int most) {
  const double most_bound = values.whole ? 0x1p63 : std::numeric_limits<double>::max();
  if (values.categories < 0 || values.categories >= MarginalTables::most_cells ||
      !(-most_bound <= values.lower && values.lower <= values.upper &&
        values.upper <= most_bound)) {
    refuse_parameter(
        "invalid column of a tree model",
        "It has too many categories, or its bounds do not ascend or are too large.",
        "Declare other bounds or categories with dpmix.set_bounds() or dpmix.set_categories().");
  }
  ColumnCells cells;
  cells.categories = values.categories;
  if (values.categories > 0) {
    return identity(values, std::move(cells), static_cast<std::size_t>(values.categories));
  }
  cells.edges = edges_of(values, has_few_values(values) ? most_values : most);
  const std::size_t count = cells.edges.size() + 1;
  return identity(values, std::move(cells), count);
}

namespace {

// Brings cells from their old codes to new ones; what is merged is weighed by its counts.
void recode(CutColumn& column, std::span<const double> counts, std::span<const int> code,
            int codes) {
  const std::size_t old = counts.size();
  std::vector<double> within(old, 0.), share(counts.begin(), counts.end());
  for (std::size_t i = 0; i < column.weight.size(); ++i) {
    within[static_cast<std::size_t>(column.cells.code[i])] += column.weight[i];
  }
  for (int c = 0; c < codes; ++c) {
    std::vector<double> part;
    double total = 0;
    for (std::size_t v = 0; v < old; ++v) {
      if (code[v] != c) continue;
      part.push_back(counts[v]);
      total += counts[v];
    }
    if (total > 0) project_to_simplex(part, total);
    std::size_t next = 0;
    for (std::size_t v = 0; v < old; ++v) {
      if (code[v] == c) share[v] = total > 0 ? part[next++] + 1e-9 * total : 1;
    }
  }
  for (std::size_t i = 0; i < column.weight.size(); ++i) {
    const auto v = static_cast<std::size_t>(column.cells.code[i]);
    column.weight[i] *= within[v] > 0 ? share[v] / within[v] : 0;
    column.cells.code[i] = code[v];
  }
}

}  // namespace

std::vector<int> merge_codes(CutColumn& column, std::span<const double> counts, double noise) {
  const int old = static_cast<int>(counts.size());
  const double least = visible_noise * noise;
  const int numbers = column.ordered() ? old - (column.values.missing ? 1 : 0) : 0;
  constexpr int rest = -1;
  std::vector<int> code(counts.size(), rest);
  int codes = 0, group = rest, waiting = 0;  // group: of this run of neighbours, complete; rows
  double sum = 0;                            // that wait for the next one
  for (int v = 0; v < old; ++v) {
    const double count = counts[static_cast<std::size_t>(v)];
    const auto give = [&](int from, int to) {
      std::fill(code.begin() + from, code.begin() + v + 1, to);
    };
    if (count >= least) {
      if (group != rest) give(v - waiting, group);  // leftovers go to their neighbour
      code[static_cast<std::size_t>(v)] = codes++;
      group = rest, waiting = 0, sum = 0;
    } else if (v < numbers) {
      ++waiting;
      sum += count;
      if (sum >= least * std::sqrt(waiting)) {
        group = codes++;
        give(v + 1 - waiting, group);
        waiting = 0, sum = 0;
      } else if (v + 1 == numbers && group != rest) {
        give(v + 1 - waiting, group);
      }
    }
  }
  const auto left = std::count(code.begin(), code.end(), rest);
  if (left > 0) {
    std::replace(code.begin(), code.end(), rest, codes);
    ++codes;
  }
  std::vector<int> merged(static_cast<std::size_t>(codes), 0);
  for (const int c : code) ++merged[static_cast<std::size_t>(c)];
  recode(column, counts, code, codes);
  return merged;
}

}  // namespace dpmix
