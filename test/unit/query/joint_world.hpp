// Small worlds of rows for queries whose statistics share a price: every row, and what it moves.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "core/query/joint_shift.hpp"
#include "core/query/plan.hpp"

namespace dpmix {

// A small world: columns with values on small lattices, filters of which some exclude each other,
// and all rows that there can be.
struct Row {
  std::vector<std::optional<int>> value;  // of each column
  std::set<int> passes;                   // filters
  int group;
};

struct World {
  std::vector<JointStatistic> statistics;
  std::vector<std::pair<int, int>> range;  // of each column
  std::set<std::pair<int, int>> excluded;
  int filters, groups;

  bool excludes(int f, int g) const { return excluded.contains(std::minmax(f, g)); }

  std::vector<Row> rows() const {
    std::vector<Row> made{{{}, {}, 0}};
    for (const auto& [low, high] : range) {
      std::vector<Row> longer;
      for (const Row& row : made) {
        for (int v = low - 1; v <= high; ++v) {
          if (v != low - 1 && v != low && v != high && v != 0) continue;  // changes are convex
          longer.push_back(row);
          longer.back().value.push_back(v < low ? std::nullopt : std::optional(v));
        }
      }
      made = longer;
    }
    std::vector<Row> all;
    for (const Row& row : made) {
      for (int bits = 0; bits < 1 << filters; ++bits) {
        bool possible = true;
        std::set<int> passes;
        for (int f = 0; f < filters; ++f) {
          if (bits >> f & 1) passes.insert(f);
        }
        for (const int f : passes) {
          for (const int g : passes) possible = possible && (f == g || !excludes(f, g));
        }
        for (int group = 0; possible && group < groups; ++group) {
          all.push_back({row.value, passes, group});
        }
      }
    }
    return all;
  }

  double index(const Row& row, const JointStatistic& statistic) const {
    if (!row.passes.contains(statistic.filter)) return 0;
    const auto& value = statistic.column >= 0
                            ? row.value[static_cast<std::size_t>(statistic.column)]
                            : std::nullopt;
    switch (statistic.part) {
      case RowPart::value:
        return value ? 1 : 0;
      case RowPart::lattice:
        return value.value_or(0);
      default:
        return 1;
    }
  }
  // What the statistics of one group change by, weighed.
  using Weigh = std::function<double(const std::vector<double>&)>;
  double squared(const std::vector<double>& change) const {
    double sum = 0;
    for (std::size_t i = 0; i < change.size(); ++i) {
      sum += std::pow(change[i] / statistics[i].l2, 2);
    }
    return sum;
  }
  // Of one row that becomes another, or comes.
  double squares(const Row* before, const Row* after, const Weigh& weigh) const {
    std::map<int, std::vector<double>> change;
    const auto move = [&](const Row* row, double by) {
      if (row == nullptr) return;
      std::vector<double>& here = change[row->group];
      here.resize(statistics.size());
      for (std::size_t i = 0; i < here.size(); ++i) here[i] += by * index(*row, statistics[i]);
    };
    move(before, -1);
    move(after, 1);
    double sum = 0;
    for (const auto& [group, by] : change) sum += weigh(by);
    return sum;
  }
  double worst(Adjacency adjacency, const Weigh& weigh) const {
    double most = 0;
    const std::vector<Row> all = rows();
    for (const Row& row : all) {
      most = std::max(most, squares(nullptr, &row, weigh));
      if (adjacency == Adjacency::add_remove) continue;
      for (const Row& other : all) most = std::max(most, squares(&other, &row, weigh));
    }
    return most;
  }
  double worst(Adjacency adjacency) const {
    return worst(adjacency, [this](const auto& change) { return squared(change); });
  }
  double joint(Adjacency adjacency) const {
    return joint_squares(statistics, adjacency, groups > 1,
                         [this](int f, int g) { return excludes(f, g); });
  }
};

inline World random_world(std::mt19937_64& random, Adjacency adjacency) {
  World world;
  world.groups = random() % 2 == 0 ? 1 : 2;
  world.filters = 1 + static_cast<int>(random() % 3);
  for (int f = 0; f < world.filters; ++f) {
    for (int g = 0; g < f; ++g) {
      if (random() % 2 == 0) world.excluded.insert({g, f});
    }
  }
  const int columns = 1 + static_cast<int>(random() % 2);
  for (int c = 0; c < columns; ++c) {
    const int low = -static_cast<int>(random() % 5);
    world.range.emplace_back(low, 1 + static_cast<int>(random() % 5));
  }
  const int count = 2 + static_cast<int>(random() % 4);
  for (int i = 0; i < count; ++i) {
    JointStatistic made = {};
    made.filter = static_cast<int>(random() % world.filters);
    const int column = static_cast<int>(random() % columns);
    made.part = std::array{RowPart::presence, RowPart::value, RowPart::lattice}[random() % 3];
    made.column = made.part == RowPart::presence ? -1 - i : column;
    const auto [low, high] = world.range[static_cast<std::size_t>(column)];
    made.lattice = made.part == RowPart::lattice ? Lattice{0, 1, low, high} : kCountLattice;
    made.l2 = statistic_shift(made.lattice, adjacency, world.groups > 1).l2;
    world.statistics.push_back(made);
  }
  return world;
}

}  // namespace dpmix
