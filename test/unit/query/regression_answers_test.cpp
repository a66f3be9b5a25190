#include "core/query/regression_answers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/input/total_arithmetic.hpp"
#include "core/stats/lattice_squares.hpp"

namespace dpmix {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Int128 kHuge = static_cast<Int128>(1) << 120;

struct Row {
  double x, y;
};

PairColumns columns_of(double x_low, double x_high, double y_low, double y_high, bool integral) {
  const PairColumn x = {centred_lattice(x_low, x_high, integral), x_low, x_high},
                   y = {centred_lattice(y_low, y_high, integral), y_low, y_high};
  return {x, y, product_lattice(x.centred, y.centred, integral)};
}

// As the scan computes it, row by row, with the functions that SQL calls.
double steps_of(double value, const PairColumn& column) {
  const double clamped = std::min(std::max(value, column.lower), column.upper);
  const double distance =
      evaluate(RowOperation::subtract, clamped, column.centred.origin).value_or(0);
  return evaluate(RowOperation::divide, distance, column.centred.step).value_or(0);
}
std::int64_t product_of(const Row& row, const PairColumns& of) {
  const double product =
      evaluate(RowOperation::multiply, steps_of(row.x, of.x), steps_of(row.y, of.y)).value_or(0);
  return of.products.place(product);
}

PairTotals cells_of(const std::vector<Row>& rows, const PairColumns& of) {
  LatticeSquares x, y;
  x.sum.lattice = of.x.centred;
  y.sum.lattice = of.y.centred;
  PairTotals cells = {};
  for (const Row& row : rows) {
    x.add(row.x);
    y.add(row.y);
    cells.products += product_of(row, of);
  }
  return {x.sum.count, x.sum.total, y.sum.total, x.squares, y.squares, cells.products};
}

struct Plain {
  double covariance, correlation, slope, intercept;
};
Plain plain(const std::vector<Row>& rows) {
  const double n = static_cast<double>(rows.size());
  double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (const Row& row : rows) {
    x += row.x / n;
    y += row.y / n;
  }
  for (const Row& row : rows) {
    xx += (row.x - x) * (row.x - x) / n;
    yy += (row.y - y) * (row.y - y) / n;
    xy += (row.x - x) * (row.y - y) / n;
  }
  return {xy, xy / std::sqrt(xx * yy), xy / xx, y - xy / xx * x};
}

std::vector<Row> some_rows(std::mt19937_64& random, const PairColumns& of, int count,
                           bool integral) {
  std::vector<Row> rows;
  const double slope = std::uniform_real_distribution(-1.0, 1.0)(random);
  for (int i = 0; i < count; ++i) {
    const double u = std::uniform_real_distribution(-1.0, 1.0)(random);
    const double v =
        slope * u + (1 - std::abs(slope)) * std::uniform_real_distribution(-1.0, 1.0)(random);
    const auto at = [&](const PairColumn& column, double share) {
      const double value =
          std::clamp((column.lower + column.upper) / 2 + share * (column.upper - column.lower) / 2,
                     column.lower, column.upper);
      return integral ? std::floor(value) : value;
    };
    rows.push_back({at(of.x, u), at(of.y, v)});
  }
  return rows;
}

TEST(Regression, OfExactStatisticsIsThePopulations) {
  std::mt19937_64 random(5);
  for (const bool integral : {false, true}) {
    for (const auto& [low, high] : {std::pair{0.0, 10.0}, {-300.0, 700.0}, {1e6, 3e6}}) {
      const PairColumns of = columns_of(low, high, -40, 160, integral);
      const std::vector<Row> rows = some_rows(random, of, 400, integral);
      const PairTotals cells = cells_of(rows, of);
      const Plain exact = plain(rows);
      const double reach = (high - low) / 2 * 100;
      EXPECT_NEAR(covariance_answer(of, cells), exact.covariance, 4e-9 * reach);
      EXPECT_NEAR(correlation_answer(of, cells), exact.correlation, 1e-6);
      EXPECT_NEAR(slope_answer(of, cells), exact.slope, 1e-6 * 200 / (high - low));
      EXPECT_NEAR(intercept_answer(of, cells), exact.intercept,
                  1e-6 * (200 + 200 * std::abs(low) / (high - low)));
    }
  }
}

// What one row adds to the products, the worst of many rows and of the corners: never more than the
// lattice says, and all of it.
TEST(Regression, ProductsMoveByTheirLatticeAndReachIt) {
  std::mt19937_64 random(6);
  for (int trial = 0; trial < 400; ++trial) {
    const auto bound = [&](double size) {
      return std::exp(std::uniform_real_distribution(-size, size)(random)) *
             (random() % 2 == 0 ? 1 : -1);
    };
    const double size = trial % 4 == 0 ? 700 : 12;
    double x[] = {bound(size), bound(size)}, y[] = {bound(size), bound(size)};
    const bool integral = trial % 3 == 0 && size == 12;
    if (integral) {
      for (double* pair : {x, y}) {
        pair[0] = std::floor(pair[0]);
        pair[1] = std::floor(pair[1]);
      }
    }
    std::ranges::sort(x);
    std::ranges::sort(y);
    if (x[0] == x[1] || y[0] == y[1]) continue;
    const PairColumns of = columns_of(x[0], x[1], y[0], y[1], integral);
    const auto most = static_cast<double>(sensitivity_add_remove(of.products));
    double seen = 0, least = 0, largest = 0;
    const auto look = [&](double a, double b) {
      const auto k = static_cast<double>(product_of({a, b}, of));
      ASSERT_LE(std::abs(k), most);
      seen = std::max(seen, std::abs(k));
      least = std::min(least, k);
      largest = std::max(largest, k);
    };
    for (const double a : {-kInfinity, x[0], x[1], 0.0, 1e-310, kInfinity}) {
      for (const double b : {-kInfinity, y[0], y[1], 0.0, 1e-310, kInfinity}) look(a, b);
    }
    for (int i = 0; i < 200; ++i) look(bound(size), bound(size));
    EXPECT_GE(seen, most * .999) << x[0] << " " << x[1] << " " << y[0] << " " << y[1];
    EXPECT_LE(largest - least, static_cast<double>(sensitivity_replace(of.products)));
    EXPECT_GE(largest - least, static_cast<double>(sensitivity_replace(of.products)) * .999);
  }
}

TEST(Regression, WholeProductsAreExact) {
  const PairColumns of = columns_of(0, 7, -3, 12, true);  // middles 3.5 and 4.5
  for (int x = 0; x <= 7; ++x) {
    for (int y = -3; y <= 12; ++y) {
      EXPECT_EQ(static_cast<double>(product_of({1.0 * x, 1.0 * y}, of)) * of.products.step,
                (2 * x - 7) * (2 * y - 9));
    }
  }
}

// Never NaN; within what there is; the ends around the answer, whatever the noise did.
TEST(Regression, IsAlwaysANumberAndInItsInterval) {
  for (const PairColumns& of :
       {columns_of(0, 6, 0, 4, true), columns_of(-1e300, 1e308, 0, 1e-310, false),
        columns_of(5, 6, -1e-200, 1e200, false)}) {
    const double x = static_cast<double>(of.x.centred.high) * of.x.centred.step,
                 y = static_cast<double>(of.y.centred.high) * of.y.centred.step;
    for (const Int128 count : {-kHuge, Int128{0}, Int128{3}, kHuge}) {
      for (int signs = 0; signs < 3 * 3 * 3 * 3 * 3; ++signs) {
        const auto number = [&](int place) {
          const int digit = signs / static_cast<int>(std::pow(3, place)) % 3;
          return digit == 0 ? -kHuge : digit == 1 ? Int128{place} : kHuge;
        };
        const PairTotals noisy = {count, number(0), number(1), number(2), number(3), number(4)};
        for (const double width : {0.0, 1.0, 0x1p40, 0x1p200}) {
          const PairReach by = {width, width, width, width, width, width};
          const auto holds = [&](const NoiseInterval& of_answer, double answer, double most) {
            EXPECT_TRUE(std::abs(answer) <= most);
            EXPECT_LE(of_answer.low, answer);
            EXPECT_GE(of_answer.high, answer);
          };
          const double most = std::numeric_limits<double>::max();
          holds(covariance_interval(of, noisy, by), covariance_answer(of, noisy),
                std::min(x * y, most));
          holds(correlation_interval(of, noisy, by), correlation_answer(of, noisy), 1);
          EXPECT_GE(correlation_interval(of, noisy, by).low, -1);
          EXPECT_LE(correlation_interval(of, noisy, by).high, 1);
          holds(slope_interval(of, noisy, by), slope_answer(of, noisy), most);
          holds(intercept_interval(of, noisy, by), intercept_answer(of, noisy), most);
        }
      }
    }
  }
}

TEST(Regression, EmptyGroupsHaveNone) {
  const PairColumns of = columns_of(0, 6, 2, 8, true);
  const PairTotals none = {};
  EXPECT_EQ(covariance_answer(of, none), 0);
  EXPECT_EQ(correlation_answer(of, none), 0);
  EXPECT_EQ(slope_answer(of, none), 0);
  EXPECT_EQ(intercept_answer(of, none), 5);
}

// Of every point of random boxes, roundings included.
TEST(Regression, IntervalsHoldEveryPointOfTheirBox) {
  std::mt19937_64 random(17);
  const auto draw = [&](double size) {
    return std::uniform_real_distribution<double>(-size, size)(random);
  };
  int bounded = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    const PairColumns of = columns_of(-7.3, 1.9, 100, 103, false);
    const double n = std::exp(draw(12)), a = std::exp(draw(8));
    const double wide = trial % 5 == 0 ? 0 : a * 0x1p30;
    const PairReach by = {a, wide, a * 0x1p30, a * 0x1p30, a * 0x1p30, a * 0x1p30};
    const auto sum = [&] { return static_cast<Int128>(draw(n) * 0x1p30); };
    const PairTotals noisy = {static_cast<Int128>(n), sum(), sum(), sum(), sum(), sum()};
    const NoiseInterval covariance = covariance_interval(of, noisy, by),
                        correlation = correlation_interval(of, noisy, by),
                        slope = slope_interval(of, noisy, by),
                        intercept = intercept_interval(of, noisy, by);
    bounded += std::isfinite(slope.high - slope.low);
    for (int point = 0; point < 8; ++point) {
      const auto near = [&](Int128 centre, double reach) {  // ends are met too
        const double at = std::clamp(draw(1.5), -1.0, 1.0) * std::floor(reach);
        return centre + static_cast<Int128>(at);
      };
      const PairTotals inside = {near(noisy.count, by.count),
                                 near(noisy.x, by.x),
                                 near(noisy.y, by.y),
                                 near(noisy.x_squares, by.x_squares),
                                 near(noisy.y_squares, by.y_squares),
                                 near(noisy.products, by.products)};
      const auto holds = [&](const NoiseInterval& of_box, double value) {
        EXPECT_TRUE(of_box.low <= value && value <= of_box.high) << trial;
      };
      holds(covariance, covariance_answer(of, inside));
      holds(correlation, correlation_answer(of, inside));
      holds(slope, slope_answer(of, inside));
      holds(intercept, intercept_answer(of, inside));
    }
  }
  EXPECT_GT(bounded, 1000);
}

// Over draws of the noise, of tables with few rows and with many; and not because all is covered.
TEST(Regression, IntervalsCoverAtTheLevelAsked) {
  std::mt19937_64 random(23);
  constexpr double kLevel = .8;
  const PairColumns of = columns_of(0, 2, 0, 4, true);
  const NoiseLaw law{.family = Family::laplace, .sensitivity = 1, .scale = 4};
  const auto noise = [&] {
    const double q = std::exp(-1 / law.scale);
    std::geometric_distribution<int> one(1 - q);
    return static_cast<Int128>(one(random) - one(random));
  };
  for (const int count : {0, 2, 40, 2000}) {
    const std::vector<Row> rows = some_rows(random, of, count, true);
    const PairTotals exact = cells_of(rows, of);
    const auto reach = [&](int parts) {
      const double by = noise_reach(law, kLevel, parts);
      return PairReach{by, by, by, by, by, by};
    };
    constexpr int kDraws = 4000;
    int covered[4] = {};
    double width = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
      const PairTotals noisy = {exact.count + noise(),     exact.x + noise(),
                                exact.y + noise(),         exact.x_squares + noise(),
                                exact.y_squares + noise(), exact.products + noise()};
      const auto holds = [&](const NoiseInterval& interval, double answer) {
        return interval.low <= answer && answer <= interval.high;
      };
      const NoiseInterval correlation = correlation_interval(of, noisy, reach(6));
      covered[0] += holds(covariance_interval(of, noisy, reach(4)), covariance_answer(of, exact));
      covered[1] += holds(correlation, correlation_answer(of, exact));
      covered[2] += holds(slope_interval(of, noisy, reach(5)), slope_answer(of, exact));
      covered[3] += holds(intercept_interval(of, noisy, reach(5)), intercept_answer(of, exact));
      width += (correlation.high - correlation.low) / kDraws;
    }
    for (const int hits : covered) EXPECT_GE(hits, kDraws * (kLevel - .04)) << count;
    if (count == 2000) {
      EXPECT_LT(width, .5);
    }
  }
}

}  // namespace
}  // namespace dpmix
