// Would falsify docs/proofs/comparison.md: neighbouring tables, through the very integers that are
// released, never differ by more than mu noise deviations; and what noise is added, and told of.
#include "core/comparison/private_statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tables/compared_tables.hpp"
#include "core/base/error.hpp"

namespace dpmix::test {
namespace {

// Every integer that add_noise() adds noise to, with its deviation; 0: released as it is.
struct Released {
  std::vector<Int128> value;
  std::vector<double> deviation;
  void add(Int128 v, double sigma) {
    value.push_back(v);
    deviation.push_back(sigma);
  }
};

Released released(const TableCounts& counts, const ComparedColumns& columns,
                  const ComparisonNoise& noise) {
  Released out;
  out.add(counts.right(), noise.tested);
  out.add(counts.wrong(), noise.tested);
  const auto marginals = marginals_of(columns, kCoarseCells);
  const int label = columns.numbers() + static_cast<int>(columns.categories.size());
  for (std::size_t m = 0; m < marginals.size(); ++m) {
    for (int i = 0; i < marginals[m].cells; ++i) {
      out.add(counts.marginals[m].count(0, i),
              marginals[m].column == label ? noise.balance : noise.cell);
    }
  }
  const PairShape shape = pair_shape(columns);
  const int last = columns.classes > 0 ? static_cast<int>(shape.columns.size()) - 1 : -1;
  for (const PairCells& table : shape.tables()) {
    for (int i = table.first; i < table.first + table.cells; ++i) {
      out.add(counts.pairs.count(0, i), noise.pairs.of(table, last));
    }
  }
  for (int i = static_cast<int>(shape.bins()); i < counts.pairs.bins; ++i) {
    out.add(counts.pairs.count(0, i), noise.pairs.right);
  }
  const auto d = static_cast<std::size_t>(columns.numbers());
  if (d == 0) return out;
  const MomentTotals::Class& all = counts.moments.classes[0];
  out.add(all.count, noise.moments.count);
  for (std::size_t i = 0, at = 0; i < d; ++i) {
    out.add(all.sums[i], noise.moments.sum);
    for (std::size_t j = i; j < d; ++j, ++at) {
      out.add(all.products[at], i == j ? noise.moments.square : noise.moments.product);
    }
  }
  return out;
}

// In deviations; infinite when something that is released exactly differs.
double distance(const Released& a, const Released& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.value.size(); ++i) {
    const auto difference = static_cast<double>(a.value[i] - b.value[i]);
    if (difference != 0) sum += std::pow(difference / a.deviation[i], 2);
  }
  return std::sqrt(sum);
}

ComparedColumns random_columns(std::mt19937_64& random) {
  ComparedColumns columns;
  const int numbers = std::array{0, 1, 2, 5, 12}[random() % 5];
  for (int i = 0; i < numbers; ++i) {
    const bool boolean = random() % 4 == 0;
    const double low = std::uniform_real_distribution<double>(-3, 3)(random);
    const double width = std::pow(10., static_cast<double>(random() % 9) - 4);
    columns.boolean.push_back(boolean);
    columns.lower.push_back(boolean ? 0 : low);
    columns.upper.push_back(boolean ? 1 : low + width);
  }
  for (std::size_t i = random() % 3; i > 0; --i) {
    columns.categories.push_back(1 + static_cast<int>(random() % 5));
  }
  columns.classes = static_cast<int>(random() % 4);
  if (columns.numbers() == 0 && columns.categories.empty() && columns.classes == 0) {
    columns.classes = 2;
  }
  columns.bins = std::array{0, 2, 7}[random() % 3];
  return columns;
}

ComparedRow random_row(std::mt19937_64& random, const ComparedColumns& columns) {
  ComparedRow row;
  row.number = awkward_row(random, {columns.numbers(), 1, columns.lower, columns.upper, {}, {}});
  const auto category = [&](int k) {
    return static_cast<int>(random() % static_cast<unsigned>(k + 1)) - 1;
  };
  for (const int k : columns.categories) row.category.push_back(category(k));
  row.label = columns.classes > 0 ? category(columns.classes) : -1;
  return row;
}

// A row that all parts look at, moved as far as it can be.
ComparedRow far_row(const ComparedColumns& columns, bool up) {
  ComparedRow row;
  row.number = up ? columns.upper : columns.lower;
  for (const int k : columns.categories) row.category.push_back(up ? k - 1 : 0);
  row.label = up ? columns.classes - 1 : 0;
  return row;
}

class ComparisonSensitivity : public testing::TestWithParam<Adjacency> {};

TEST_P(ComparisonSensitivity, NeighboursStayWithinMu) {
  const Adjacency adjacency = GetParam();
  constexpr double mu = .7;
  std::mt19937_64 random(29);
  double farthest = 0, farthest_of_half = 0;  // half: noise in tables of pairs too small by half
  for (int shape = 0; shape < 60; ++shape) {
    ComparedTable table;
    table.columns = random_columns(random);
    const ComparedColumns& columns = table.columns;
    if (adjacency == Adjacency::label && columns.classes == 0) continue;
    for (int n = 0; n < 40; ++n) table.row.push_back(random_row(random, columns));
    const std::vector<double> classifier =
        columns.classified() ? learn(table) : std::vector<double>{};
    const std::vector<double> scores = learn_pairs(table);
    const ComparisonNoise noise = plan_comparison(columns, adjacency, mu);
    ComparisonNoise half = noise;
    half.pairs.cell /= 2;
    // Counts are sums over rows, so the rest of the table cancels.
    const auto of = [&](std::vector<ComparedRow> rows, const ComparisonNoise& with) {
      const ComparedTable few{columns, std::move(rows)};
      return released(exact_counts(few, kCoarseCells, classifier, scores), columns, with);
    };
    const auto apart_by = [&](const ComparedRow& row, const ComparedRow& other,
                              const ComparisonNoise& with) {
      Released a = of({row}, with), b = of({other}, with);
      if (adjacency == Adjacency::add_remove) b.value.assign(b.value.size(), 0);
      return distance(a, b);
    };
    for (int trial = 0; trial < 60; ++trial) {
      const bool far = trial == 0;
      const ComparedRow row = far ? far_row(columns, true) : random_row(random, columns);
      ComparedRow other = far ? far_row(columns, false) : random_row(random, columns);
      if (adjacency == Adjacency::label) {
        const int label = other.label;
        other = row;
        other.label = label;
      }
      const double apart = apart_by(row, other, noise);
      ASSERT_LE(apart, mu) << "shape " << shape << ", trial " << trial;
      farthest = std::max(farthest, apart);
      if (noise.pairs.cell > 0) {
        farthest_of_half = std::max(farthest_of_half, apart_by(row, other, half));
      }
    }
  }
  EXPECT_GT(farthest, .98 * mu);  // and the noise is hardly larger than it must be
  EXPECT_GT(farthest_of_half, 1.3 * mu);
}

INSTANTIATE_TEST_SUITE_P(Adjacencies, ComparisonSensitivity,
                         testing::Values(Adjacency::add_remove, Adjacency::replace,
                                         Adjacency::label),
                         [](const auto& info) { return std::string(name(info.param)); });

TEST(ComparisonNoise, EachNumberGetsTheNoiseThatWasPlanned) {
  std::mt19937_64 random(31);
  const ComparedTable table = mixed_table(random, 50);
  const auto marginals = marginals_of(table.columns, kCoarseCells);
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace, Adjacency::label}) {
    const ComparisonNoise noise = plan_comparison(table.columns, adjacency, .4);
    const TableCounts counts = exact_counts(table, kCoarseCells, learn(table));
    const TableStatistics exact = exact_statistics(counts, table.columns, marginals);
    // Sums of squares in planned deviations, of the numbers of each kind.
    std::map<const char*, std::pair<double, int>> squares;
    const double step = table.columns.box().step(0);
    const auto add = [&](const char* kind, double noisy, double plain, double deviation) {
      if (deviation == 0) {
        EXPECT_EQ(noisy, plain) << kind;
        return;
      }
      auto& [sum, n] = squares[kind];
      sum += std::pow((noisy - plain) / deviation, 2);
      ++n;
    };
    RandomStream stream(key_of(37));
    for (int run = 0; run < 300; ++run) {
      const TableStatistics noisy = add_noise(stream, counts, table.columns, marginals, noise);
      EXPECT_TRUE(std::isnan(noisy.rows));
      add("right", noisy.right, exact.right, noise.tested);
      add("wrong", noisy.wrong, exact.wrong, noise.tested);
      for (std::size_t m = 0; m < marginals.size(); ++m) {
        const bool label = m + 1 == marginals.size();
        for (std::size_t i = 0; i < exact.marginals[m].size(); ++i) {
          add(label ? "class" : "cell", noisy.marginals[m][i], exact.marginals[m][i],
              label ? noise.balance : noise.cell);
        }
      }
      add("count", noisy.moments.count, exact.moments.count, noise.moments.count);
      for (std::size_t i = 0; i < 3; ++i) {
        add("sum", noisy.moments.sums[i], exact.moments.sums[i], noise.moments.sum * step);
        for (std::size_t j = i; j < 3; ++j) {
          add(i == j ? "square" : "product", noisy.moments.products[i * 3 + j],
              exact.moments.products[i * 3 + j],
              (i == j ? noise.moments.square : noise.moments.product) * step * step);
        }
      }
    }
    EXPECT_EQ(squares.size(), adjacency == Adjacency::label ? 3u : 8u);
    for (const auto& [kind, sum] : squares) {
      // A sum of n squares has deviation sqrt(2 n); rounding adds 1/12 to a variance. The key is
      // fixed: no false alarms.
      const double n = sum.second;
      EXPECT_NEAR(sum.first / n, 1, 6 * std::sqrt(2 / n) + .01) << kind;
    }
  }
}

TEST(ComparisonNoise, PairsGetTheNoiseThatWasPlanned) {
  std::mt19937_64 random(32);
  ComparedTable table = mixed_table(random, 50);
  table.columns.bins = 4;
  const PairShape shape = pair_shape(table.columns);
  const int label = static_cast<int>(shape.columns.size()) - 1;
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace, Adjacency::label}) {
    const PairNoise noise = plan_comparison(table.columns, adjacency, .4).pairs;
    const BinCounts exact = exact_pairs(table, learn_pairs(table));
    const PairStatistics plain = exact_pairs(exact, table.columns);
    double cells = 0, hits = 0;
    int noisy_cells = 0;
    constexpr int runs = 200;
    RandomStream stream(key_of(38));
    for (int run = 0; run < runs; ++run) {
      const PairStatistics noisy = add_pair_noise(stream, exact, table.columns, noise);
      for (const PairCells& t : shape.tables()) {
        const bool is_public =
            adjacency == Adjacency::label && t.column != label && t.other != label;
        for (auto i = static_cast<std::size_t>(t.first);
             i < static_cast<std::size_t>(t.first + t.cells); ++i) {
          const double apart = noisy.cells[i] - plain.cells[i];
          if (is_public) {
            ASSERT_EQ(apart, 0);
            continue;
          }
          cells += std::pow(apart / noise.cell, 2);
          ++noisy_cells;
        }
      }
      hits += std::pow((noisy.right - plain.right) / noise.right, 2) +
              std::pow((noisy.wrong - plain.wrong) / noise.right, 2);
    }
    EXPECT_NEAR(cells / noisy_cells, 1, 6 * std::sqrt(2. / noisy_cells) + .01);
    EXPECT_NEAR(hits / (2 * runs), 1, 6 * std::sqrt(1. / runs) + .01);
  }
}

TEST(ComparisonNoise, CountsOfOtherTablesAreRefused) {
  std::mt19937_64 random(33);
  ComparedTable table = mixed_table(random, 5);
  table.columns.bins = 4;
  RandomStream stream(key_of(39));
  const PairNoise noise = plan_comparison(table.columns, Adjacency::replace, 1).pairs;
  EXPECT_THROW(add_pair_noise(stream, exact_pairs(table, {}), table.columns, noise), Error);
  // A table without rows is as noisy as any other.
  const PairStatistics none = add_pair_noise(stream, {}, table.columns, noise);
  EXPECT_EQ(none.cells.size(), static_cast<std::size_t>(pair_shape(table.columns).bins()));
  EXPECT_GT(std::count_if(none.cells.begin(), none.cells.end(), [](double v) { return v != 0; }),
            static_cast<std::ptrdiff_t>(none.cells.size()) / 2);
}

TEST(ComparisonNoise, ATableWithoutRowsIsAsNoisyAsAnyOther) {
  ComparedTable empty;
  empty.columns = {{0, -5, 0}, {10, 5, 1}, {0, 0, 1}, {3}, 3};
  const auto marginals = marginals_of(empty.columns, kCoarseCells);
  TableCounts blank;
  blank.marginals.resize(marginals.size());
  const ComparisonNoise noise = plan_comparison(empty.columns, Adjacency::add_remove, .01);
  RandomStream stream(key_of(1));
  const TableStatistics noisy = add_noise(stream, blank, empty.columns, marginals, noise);
  EXPECT_NE(noisy.right, 0);
  EXPECT_NE(noisy.wrong, 0);
  EXPECT_NE(noisy.moments.count, 0);
  for (std::size_t m = 0; m < marginals.size(); ++m) {
    ASSERT_EQ(noisy.marginals[m].size(), static_cast<std::size_t>(marginals[m].cells));
    for (const double count : noisy.marginals[m]) EXPECT_NE(count, 0);
  }
}

TEST(ComparisonNoise, PartsThatAreNotThereLeaveTheirShare) {
  const auto tested = [](std::vector<int> categories, std::vector<double> upper, int classes,
                         Adjacency adjacency) {
    const std::vector<double> lower(upper.size(), 0);
    return plan_comparison({lower, upper, std::vector<char>(upper.size(), 0), categories, classes},
                           adjacency, 1);
  };
  EXPECT_NEAR(tested({}, {1}, 2, Adjacency::add_remove).tested, std::sqrt(10. / 4), 1e-9);
  EXPECT_NEAR(tested({}, {1}, 2, Adjacency::label).tested, std::sqrt(2 * 5. / 4), 1e-9);
  EXPECT_NEAR(tested({}, {}, 2, Adjacency::add_remove).balance, 1, 1e-9);
  EXPECT_NEAR(tested({2, 3, 1, 1}, {}, 0, Adjacency::replace).cell, std::sqrt(2. * 4), 1e-9);
  EXPECT_EQ(tested({3}, {1}, 2, Adjacency::label).cell, 0);
  EXPECT_EQ(tested({3}, {1}, 2, Adjacency::label).moments.count, 0);
  EXPECT_THROW(tested({3}, {1}, 0, Adjacency::label), Error);
  // With tables of pairs: 5 for them, and the 4 are two classifiers'. Two columns and the label are
  // 6 tables, 3 of them with the label.
  const ComparedColumns pairs{{0}, {1}, {0}, {3}, 2, 10};
  const ComparisonNoise all = plan_comparison(pairs, Adjacency::add_remove, 1);
  EXPECT_NEAR(all.tested, std::sqrt(15. / 2), 1e-9);
  EXPECT_NEAR(all.pairs.right, std::sqrt(15. / 2), 1e-9);
  EXPECT_NEAR(all.pairs.cell, std::sqrt(6 * 15. / 5), 1e-9);
  const ComparisonNoise labels = plan_comparison(pairs, Adjacency::label, 1);
  EXPECT_NEAR(labels.pairs.cell, std::sqrt(2 * 3 * 10. / 5), 1e-9);
  EXPECT_TRUE(labels.pairs.label_only);
  EXPECT_THROW(tested({}, {}, 0, Adjacency::add_remove), Error);
}

// How often they hold: test/statistical/comparison/measures_test.cpp.
TEST(ComparisonNoise, BoundsFollowTheNoise) {
  std::mt19937_64 random(41);
  const ComparedTable table = mixed_table(random, 20000);
  const auto marginals = marginals_of(table.columns, kCoarseCells);
  TableStatistics exact =
      exact_statistics(exact_counts(table, kCoarseCells, learn(table)), table.columns, marginals);
  exact.rows = NAN;
  const auto bounds = [&](const ComparisonNoise& noise) {
    return error_bounds(table.columns, marginals, exact, noise, nullptr);
  };
  const auto measures = compare_tables(table.columns, marginals, exact, exact);
  const std::vector<double> none = bounds({});
  const std::vector<double> some = bounds(plan_comparison(table.columns, Adjacency::replace, 4));
  const std::vector<double> more = bounds(plan_comparison(table.columns, Adjacency::replace, 2));
  ASSERT_EQ(none.size(), measures.size());
  for (std::size_t i = 0; i < none.size(); ++i) {
    EXPECT_EQ(none[i], 0) << name(measures[i].kind);
    EXPECT_GT(some[i], 0) << name(measures[i].kind);
    EXPECT_NEAR(more[i] / some[i], 2, .1) << name(measures[i].kind);
  }
}

}  // namespace
}  // namespace dpmix::test
