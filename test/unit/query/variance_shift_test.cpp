// How far neighbours move what variances and counts of distinct categories sum, against the shifts
// that noise is made for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "core/query/plan.hpp"
#include "core/stats/lattice_squares.hpp"

namespace dpmix {
namespace {

// A row is in one of two groups, or in none (-1), and has a value, or none (NaN).
struct Row {
  int group;
  double value;
};
using Table = std::vector<Row>;

std::vector<Row> all_rows(const std::vector<double>& values) {
  std::vector<Row> rows;
  for (const int group : {-1, 0, 1}) {
    for (const double value : values) rows.push_back({group, value});
  }
  return rows;
}

std::vector<Table> all_tables(const std::vector<Row>& rows, int size) {
  std::vector<Table> tables = {{}};
  for (std::size_t begin = 0; size > 0; --size) {
    const std::size_t end = tables.size();
    for (; begin < end; ++begin) {
      for (const Row& row : rows) {
        tables.push_back(tables[begin]);
        tables.back().push_back(row);
      }
    }
  }
  return tables;
}

struct Moved {
  double each = 0, l1 = 0, l2 = 0;

  void by(double first, double second) {
    each = std::max({each, std::abs(first), std::abs(second)});
    l1 = std::max(l1, std::abs(first) + std::abs(second));
    l2 = std::max(l2, std::hypot(first, second));
  }
  void expect(const StatisticShift& shift) const {  // met, never passed
    EXPECT_EQ(each, shift.each);
    EXPECT_EQ(l1, shift.l1);
    EXPECT_LE(l2, shift.l2);
    EXPECT_GE(l2, shift.l2 * (1 - 1e-12));
  }
};

// statistic(table, group) over all tables of up to `size` rows and all their neighbours.
template <class Statistic>
Moved largest_move(const std::vector<Row>& rows, int size, Adjacency adjacency,
                   const Statistic& statistic) {
  Moved moved;
  for (const Table& table : all_tables(rows, size)) {
    const auto compare = [&](const Table& other) {
      moved.by(statistic(other, 0) - statistic(table, 0),
               statistic(other, 1) - statistic(table, 1));
    };
    for (const Row& row : rows) {
      Table other = table;
      if (adjacency == Adjacency::add_remove) {
        other.push_back(row);
        compare(other);
      } else if (!table.empty()) {
        other.back() = row;  // tables come in every order
        compare(other);
      }
    }
  }
  return moved;
}

TEST(DistinctCategories, MoveAsCountsDo) {
  const auto distinct = [](const Table& table, int group) {
    std::set<double> seen;
    for (const Row& row : table) {
      if (row.group == group && !std::isnan(row.value)) seen.insert(row.value);
    }
    return static_cast<double>(seen.size());
  };
  const std::vector<Row> rows = all_rows({0, 1, 2, std::nan("")});
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
    largest_move(rows, 3, adjacency, distinct)
        .expect(statistic_shift(kCountLattice, adjacency, true));
  }
}

TEST(CentredSquares, MoveByTheirLatticeAtMost) {
  for (const double reach : {1.0, 3.0, 40'000.0, 0x1p40}) {
    const Lattice centred = {5, 1, -static_cast<std::int64_t>(reach),
                             static_cast<std::int64_t>(reach)};
    const auto squares = [&](const Table& table, int group) {
      LatticeSquares state;
      state.sum.lattice = centred;
      for (const Row& row : table) {
        if (row.group == group) state.add(row.value);
      }
      return static_cast<double>(state.squares);
    };
    const std::vector<Row> rows =
        all_rows({5, 5 + reach, 5 - reach / 3, -HUGE_VAL, HUGE_VAL, std::nan("")});
    const Lattice lattice = square_lattice(centred);
    for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace}) {
      largest_move(rows, 2, adjacency, squares).expect(statistic_shift(lattice, adjacency, true));
    }
  }
}

}  // namespace
}  // namespace dpmix
