#include "core/algebra/simplex.hpp"
#include "core/synthetic/category_shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace dpmix {
namespace {

using Row = std::vector<double>;

struct Out {
  std::vector<Row> rows;
  std::vector<int> classes;
};

Out settle(const RecordCode& code, const std::vector<std::vector<Row>>& classes) {
  Out out;
  CategoryShares shares(code.choices(), code.coordinates(), [&](int k, const double* row) {
    out.rows.emplace_back(row, row + code.coordinates());
    out.classes.push_back(k);
  });
  for (std::size_t k = 0; k < classes.size(); ++k) {
    for (const Row& row : classes[k]) shares.add(static_cast<int>(k), row.data());
  }
  shares.finish();
  return out;
}

// Rows of one group of categories, each the mean of `mix` records and noise, as DP-CDA makes them.
struct Mixture {
  std::vector<double> shares;
  int mix;
  double noise;  // deviation, in half widths
};

std::vector<Row> rows_of(const RecordCode& code, const Mixture& m, int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::discrete_distribution<int> category(m.shares.begin(), m.shares.end());
  std::normal_distribution<double> normal;
  std::vector<Row> rows;
  std::vector<std::int32_t> record(m.shares.size());
  for (int t = 0; t < count; ++t) {
    Row& row = rows.emplace_back(m.shares.size());
    for (int i = 0; i < m.mix; ++i) {
      const double value = category(random);
      code.encode({&value, 1}, record.data());
      for (std::size_t j = 0; j < row.size(); ++j) {
        row[j] += static_cast<double>(record[j]) / half_steps / m.mix;
      }
    }
    for (double& x : row) x += m.noise * normal(random);
  }
  return rows;
}

RecordCode categories(std::size_t count) {
  RecordCode code;
  code.add_categories(static_cast<int>(count));
  return code;
}

std::vector<int> counts(const RecordCode& code, const std::vector<Row>& rows) {
  std::vector<int> count(static_cast<std::size_t>(code.coordinates()));
  for (const Row& row : rows) {
    int chosen = -1;
    code.decode(row.data(), nullptr, &chosen);
    ++count[static_cast<std::size_t>(chosen)];
  }
  return count;
}

// What the rows say of the shares, and how well (deviation of one row's indicator).
struct Wanted {
  std::vector<double> share;
  double deviation = 0;
};

Wanted wanted(const RecordCode& code, const std::vector<Row>& rows) {
  const Choice& choice = code.choices().front();
  Wanted w;
  const auto n = static_cast<double>(rows.size());
  for (int c = 0; c < choice.size; ++c) {
    double sum = 0, squares = 0;
    for (const Row& row : rows) {
      const double y = (row[static_cast<std::size_t>(c)] - choice.low) / (choice.high - choice.low);
      sum += y;
      squares += y * y;
    }
    w.share.push_back(sum / n);
    w.deviation = std::max(w.deviation, std::sqrt(squares / n - sum / n * (sum / n)));
  }
  project_to_simplex(w.share);
  return w;
}

// Rows that are learned from: to a few rows, as a category's last ones depend on ties. Others:
// within what the rows say at all.
void expect_shares(const Mixture& m, int rows) {
  const RecordCode code = categories(m.shares.size());
  const std::vector<Row> in = rows_of(code, m, rows, 1);
  const Wanted w = wanted(code, in);
  const std::vector<int> count = counts(code, settle(code, {in}).rows);
  EXPECT_EQ(std::accumulate(count.begin(), count.end(), 0), rows);
  const double error = rows <= 2048 ? 4 : 10 + 5 * w.deviation * std::sqrt(rows);
  for (std::size_t c = 0; c < count.size(); ++c) {
    EXPECT_NEAR(count[c], w.share[c] * rows, error)
        << "category " << c << ", mix " << m.mix << ", noise " << m.noise << ", rows " << rows;
  }
}

TEST(CategoryShares, SharesAreTheMeansOfTheIndicators) {
  for (const int rows : {1, 10, 300, 2048, 7000}) {
    for (const int mix : {1, 4, 40}) {
      for (const double noise : {.001, .1, 1.}) {
        expect_shares({{.5, .5}, mix, noise}, rows);
        expect_shares({{.99, .01}, mix, noise}, rows);
        expect_shares({{.5, .39, .1, .01}, mix, noise}, rows);
      }
    }
  }
  std::vector<double> many(60);
  for (std::size_t c = 0; c < many.size(); ++c) many[c] = 1 / (1. + static_cast<double>(c));
  for (const int mix : {1, 4, 64}) expect_shares({many, mix, .05}, 2000);
}

// The largest of each row alone would hide what the test above looks at.
TEST(CategoryShares, AMajorityVoteWouldLoseTheRare) {
  const RecordCode code = categories(3);
  const std::vector<Row> rows = rows_of(code, {{.6, .37, .03}, 16, .02}, 2000, 1);
  EXPECT_EQ(counts(code, rows)[2], 0);
  EXPECT_NEAR(counts(code, settle(code, {rows}).rows)[2], 60, 10);
}

TEST(CategoryShares, ThousandCategories) {
  const RecordCode code = categories(1000);
  const std::vector<Row> rows = rows_of(code, {std::vector<double>(1000, 1), 1, .001}, 1500, 1);
  EXPECT_EQ(counts(code, settle(code, {rows}).rows), counts(code, rows));
}

// Rows that are records stay what they are, in any order, and the class's end is no end.
TEST(CategoryShares, RecordsStayAsTheyAre) {
  RecordCode code;
  code.add_categories(3);
  code.add_number(0, 1);
  code.add_boolean();
  std::vector<std::vector<Row>> classes(3);
  std::vector<Row> all;
  std::vector<std::int32_t> record(5);
  for (const std::size_t k : {0u, 2u}) {
    for (int t = 0; t < 5000; ++t) {
      const double values[] = {t < 2000 ? 0. : t < 2010 ? 1. : 2., t / 5000., t < 4900 ? 0. : 1.};
      code.encode(values, record.data());
      Row row;
      for (const std::int32_t x : record) row.push_back(static_cast<double>(x) / half_steps);
      classes[k].push_back(row);
      all.push_back(row);
    }
  }
  const Out out = settle(code, classes);
  EXPECT_EQ(out.rows, all);
  EXPECT_EQ(out.classes.front(), 0);
  EXPECT_EQ(out.classes[5000], 2);
}

TEST(CategoryShares, OneCategoryTakesAll) {
  const RecordCode code = categories(4);
  const std::vector<Row> rows = rows_of(code, {{0, 1, 0, 0}, 4, .01}, 5000, 1);
  EXPECT_GE(counts(code, settle(code, {rows}).rows)[1], 4995);
  const RecordCode one = categories(1);  // nothing to choose
  EXPECT_TRUE(one.choices().empty());
  EXPECT_EQ(settle(one, {{{.3}, {-.2}}}).rows, (std::vector<Row>{{.3}, {-.2}}));
}

TEST(CategoryShares, Booleans) {
  RecordCode code;
  code.add_boolean();
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (const double share : {.01, .2, .5, .97}) {
    std::vector<Row> rows;
    double sum = 0;
    for (int t = 0; t < 2000; ++t) {
      rows.push_back({2 * share - 1 + .3 * normal(random)});
      sum += (rows.back()[0] + 1) / 2;
    }
    double yes = 0;
    for (const Row& row : settle(code, {rows}).rows) {
      EXPECT_EQ(std::abs(row[0]), 1);
      yes += row[0] > 0;
    }
    EXPECT_NEAR(yes, std::clamp(sum, 0., 2000.), 3);
  }
}

// What demixing leaves where all is noise: rows that are equal. Two features of such rows get their
// values independently of each other, in the right shares.
TEST(CategoryShares, EqualRowsAreSharedOutIndependently) {
  RecordCode code;
  code.add_categories(2);
  code.add_boolean();
  const Choice& choice = code.choices().front();
  const double width = choice.high - choice.low;
  const Row row = {choice.low + .7 * width, choice.low + .3 * width, 2 * .4 - 1};
  const int n = 8000;
  const Out out = settle(code, {std::vector<Row>(n, row)});
  double first = 0, yes = 0, both = 0;
  for (const Row& r : out.rows) {
    const bool a = r[0] > r[1], b = r[2] > 0;
    first += a;
    yes += b;
    both += a && b;
  }
  EXPECT_NEAR(first, .7 * n, 20);
  EXPECT_NEAR(yes, .4 * n, 20);
  EXPECT_NEAR(both, .28 * n, 6 * std::sqrt(.28 * n));
}

TEST(CategoryShares, ProjectsOntoTheSimplex) {
  const auto projected = [](std::vector<double> p) {
    project_to_simplex(p);
    return p;
  };
  EXPECT_EQ(projected({.25, .75}), (std::vector<double>{.25, .75}));
  EXPECT_EQ(projected({1.5, -.5}), (std::vector<double>{1, 0}));
  EXPECT_EQ(projected({.75, .75}), (std::vector<double>{.5, .5}));
  EXPECT_EQ(projected({-3, -3, -3, -3}), (std::vector<double>{.25, .25, .25, .25}));
  EXPECT_EQ(projected({.75, .5, -1}), (std::vector<double>{.625, .375, 0}));
}

}  // namespace
}  // namespace dpmix
