#include "core/tree_model/fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "core/algebra/simplex.hpp"
#include "core/base/index.hpp"
#include "core/tree_model/proportional_fitting.hpp"

namespace dpmix {
namespace {

constexpr double least_rows = 1e-6;  // of a class
// So that margins can be reached, and soon: no cell is empty, and those that noise took for empty
// have a little of what is expected.
constexpr double least_cell = 1e-9, everywhere = 1e-4;

// Toward `expected` as far as the counts do not stand out of their noise (James & Stein 1961).
void shrink(std::span<double> counts, std::span<const double> expected, double variance) {
  double squares = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    squares += (counts[i] - expected[i]) * (counts[i] - expected[i]);
  }
  const double noise = variance * static_cast<double>(counts.size());
  const double keep = squares > noise ? 1 - noise / squares : 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = expected[i] + keep * (counts[i] - expected[i]);
  }
}

// Each class's counts to its number of rows.
void project_classes(std::span<double> counts, std::span<const double> classes) {
  const std::size_t width = counts.size() / classes.size();
  for (std::size_t k = 0; k < classes.size(); ++k) {
    project_to_simplex(counts.subspan(k * width, width), classes[k]);
  }
}

std::vector<double> over_classes(std::span<const double> counts, std::size_t classes) {
  const std::size_t width = counts.size() / classes;
  std::vector<double> sum(width, 0.);
  for (std::size_t i = 0; i < counts.size(); ++i) sum[i % width] += counts[i];
  return sum;
}

// A column's own counts and those that pairs tell of it, weighed by their precision.
std::vector<double> fit_column(int i, std::span<const double> classes,
                               std::span<const NoisyColumn> columns,
                               std::span<const NoisyPair> pairs) {
  const NoisyColumn& column = columns[index(i)];
  const std::size_t codes = column.variance.size();
  std::vector<double> sum(column.counts.size()), precision(codes);
  for (std::size_t v = 0; v < codes; ++v) precision[v] = 1 / column.variance[v];
  for (std::size_t j = 0; j < sum.size(); ++j) sum[j] = column.counts[j] * precision[j % codes];
  for (const NoisyPair& pair : pairs) {
    if (!pair.by_class || (pair.a != i && pair.b != i)) continue;
    const std::size_t b = columns[index(pair.b)].variance.size();
    const std::size_t other = pair.a == i ? b : columns[index(pair.a)].variance.size();
    const double weight = 1 / (pair.stddev * pair.stddev * static_cast<double>(other));
    for (double& p : precision) p += weight;
    for (std::size_t c = 0; c < pair.counts.size(); ++c) {
      // The sums are over class and code of i: cells are by class, a, b.
      const std::size_t row = c / b;  // class and a
      const std::size_t k = row / columns[index(pair.a)].variance.size();
      sum[pair.a == i ? row : k * codes + c % b] += weight * pair.counts[c];
    }
  }
  for (std::size_t j = 0; j < sum.size(); ++j) sum[j] /= precision[j % codes];
  project_classes(sum, classes);
  return sum;
}

std::vector<double> fit_pair(const NoisyPair& pair, const TreeTables& tables) {
  const std::size_t classes = tables.classes.size();
  const int sizes[] = {tables.class_count(), tables.codes[index(pair.a)],
                       tables.codes[index(pair.b)]};
  const std::vector<double>& a = tables.columns[index(pair.a)];
  const std::vector<double>& b = tables.columns[index(pair.b)];
  const double total = std::accumulate(tables.classes.begin(), tables.classes.end(), 0.);
  std::vector<double> expected =
      pair.expected.empty() ? rows_through(tables, pair.a, pair.b, -1) : pair.expected;
  for (double& x : expected) x += least_cell;

  // First what the pair shows over all classes, then what classes differ in.
  std::vector<double> together = pair.by_class ? over_classes(pair.counts, classes) : pair.counts;
  const double variance = pair.stddev * pair.stddev;
  if (!pair.by_class || classes > 1) {
    const std::vector<double> all = over_classes(expected, classes);
    shrink(together, all, variance * (pair.by_class ? static_cast<double>(classes) : 1));
    project_to_simplex(together, total);
    for (std::size_t i = 0; i < all.size(); ++i) together[i] += everywhere * all[i];
    const std::vector<double> all_a = over_classes(a, classes), all_b = over_classes(b, classes);
    const Margin of_columns[] = {{{0}, all_a}, {{1}, all_b}};
    fit_margins(together, std::span(sizes).subspan(1), of_columns);
    const Margin all_three[] = {{{1, 2}, together}, {{0, 1}, a}, {{0, 2}, b}};
    fit_margins(expected, sizes, all_three, pair.by_class ? 10 : 50);
  }
  const Margin margins[] = {{{0, 1}, a}, {{0, 2}, b}};
  if (!pair.by_class) {
    fit_margins(expected, sizes, margins);
    return expected;
  }
  std::vector<double> rows = pair.counts;
  shrink(rows, expected, variance);
  project_classes(rows, tables.classes);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] += everywhere * expected[i];
  fit_margins(rows, sizes, margins);
  return rows;
}

}  // namespace

std::vector<double> TreeTables::pair(int a, int b) const {
  for (const PairTable& pair : pairs) {
    if (pair.a == a && pair.b == b) return pair.rows;
    if (pair.a != b || pair.b != a) continue;
    const std::size_t na = index(codes[index(a)]), nb = index(codes[index(b)]);
    std::vector<double> turned(pair.rows.size());
    for (std::size_t i = 0; i < turned.size(); ++i) {  // by class, b, a
      const std::size_t k = i / (na * nb), in_b = i / na % nb, in_a = i % na;
      turned[(k * na + in_a) * nb + in_b] = pair.rows[i];
    }
    return turned;
  }
  throw std::logic_error("no table of this pair of columns");
}

std::vector<double> class_rows(std::span<const NoisyColumn> columns, int classes) {
  std::vector<double> rows(index(classes), 0.);
  double weights = 0;
  for (const NoisyColumn& column : columns) {
    const double weight = 1 / std::accumulate(column.variance.begin(), column.variance.end(), 0.);
    weights += weight;
    for (std::size_t j = 0; j < column.counts.size(); ++j) {
      rows[j / column.variance.size()] += weight * column.counts[j];
    }
  }
  for (double& x : rows) x /= weights;
  project_to_simplex(rows, std::max(1., std::accumulate(rows.begin(), rows.end(), 0.)));
  for (double& x : rows) x = std::max(x, least_rows);
  return rows;
}

TreeTables fit_tables(std::vector<double> classes, std::span<const NoisyColumn> columns,
                      std::span<const NoisyPair> pairs) {
  TreeTables tables;
  tables.classes = std::move(classes);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    tables.codes.push_back(columns[i].codes());
    tables.columns.push_back(fit_column(static_cast<int>(i), tables.classes, columns, pairs));
  }
  for (const NoisyPair& pair : pairs) {
    tables.pairs.push_back({pair.a, pair.b, fit_pair(pair, tables)});
  }
  return tables;
}

std::vector<double> rows_through(const TreeTables& tables, int a, int b, int c) {
  const std::size_t na = index(tables.codes[index(a)]), nb = index(tables.codes[index(b)]);
  std::vector<double> rows(tables.classes.size() * na * nb, 0.);
  const std::vector<double>&of_a = tables.columns[index(a)], &of_b = tables.columns[index(b)];
  if (c < 0) {
    for (std::size_t k = 0; k < tables.classes.size(); ++k) {
      for (std::size_t i = 0; i < na; ++i) {
        for (std::size_t j = 0; j < nb; ++j) {
          rows[(k * na + i) * nb + j] = of_a[k * na + i] * of_b[k * nb + j] / tables.classes[k];
        }
      }
    }
    return rows;
  }
  const std::size_t nc = index(tables.codes[index(c)]);
  const std::vector<double> ac = tables.pair(a, c), cb = tables.pair(c, b);
  const std::vector<double>& of_c = tables.columns[index(c)];
  for (std::size_t k = 0; k < tables.classes.size(); ++k) {
    for (std::size_t i = 0; i < na; ++i) {
      for (std::size_t m = 0; m < nc; ++m) {
        const double through = ac[(k * na + i) * nc + m] / std::max(of_c[k * nc + m], 1e-12);
        if (through == 0) continue;
        for (std::size_t j = 0; j < nb; ++j) {
          rows[(k * na + i) * nb + j] += through * cb[(k * nc + m) * nb + j];
        }
      }
    }
  }
  return rows;
}

}  // namespace dpmix
