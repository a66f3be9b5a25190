#include "core/tree_model/graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace dpmix {
namespace {

constexpr int size = 6;
using Joined = std::array<std::array<bool, size>, size>;

std::vector<std::pair<int, int>> all_pairs() {
  std::vector<std::pair<int, int>> pairs;
  for (int a = 0; a < size; ++a) {
    for (int b = a + 1; b < size; ++b) pairs.emplace_back(a, b);
  }
  return pairs;
}
const std::vector<std::pair<int, int>> pairs = all_pairs();
constexpr std::uint32_t graphs = 1U << 15;

Joined joined_of(std::uint32_t graph) {
  Joined joined = {};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto [a, b] = pairs[i];
    joined[a][b] = joined[b][a] = (graph >> i & 1) != 0;
  }
  return joined;
}

ColumnGraph graph_of(std::uint32_t graph) {
  ColumnGraph made(size);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if ((graph >> i & 1) != 0) made.join(pairs[i].second, pairs[i].first);
  }
  return made;
}

// By the definitions alone, over all sets of columns: no four that are all joined, no four or more
// that make a cycle and nothing else.
bool fits_by_definition(std::uint32_t graph) {
  const Joined joined = joined_of(graph);
  for (std::uint32_t set = 0; set < 1U << size; ++set) {
    std::vector<int> in;
    for (int i = 0; i < size; ++i) {
      if ((set >> i & 1) != 0) in.push_back(i);
    }
    if (in.size() < 4) continue;
    bool all = true, two_each = true;
    for (const int a : in) {
      const auto degree = std::count_if(in.begin(), in.end(), [&](int b) { return joined[a][b]; });
      all = all && degree == static_cast<std::ptrdiff_t>(in.size()) - 1;
      two_each = two_each && degree == 2;
    }
    // All of degree two: one cycle, or two triangles, which are no cycle.
    bool one_cycle = two_each;
    if (two_each) {
      std::uint32_t reached = 1U << in.front();
      for (int step = 0; step < size; ++step) {
        for (const int a : in) {
          for (const int b : in) {
            if ((reached >> a & 1) != 0 && joined[a][b]) reached |= 1U << b;
          }
        }
      }
      one_cycle = reached == set;
    }
    if ((all && in.size() == 4) || one_cycle) return false;
  }
  return true;
}

TEST(ColumnGraph, OrdersTheGraphsThatAreChordalWithSmallCliques) {
  for (std::uint32_t graph = 0; graph < graphs; ++graph) {
    const Joined joined = joined_of(graph);
    const auto order = graph_of(graph).order();
    ASSERT_EQ(order.has_value(), fits_by_definition(graph)) << graph;
    if (!order) continue;
    ASSERT_EQ(order->size(), size);
    std::array<bool, size> before = {};
    int edges = 0;
    for (const DrawStep& step : *order) {
      ASSERT_FALSE(before[step.column]);
      ASSERT_TRUE(std::is_sorted(step.parents.begin(), step.parents.end()));
      ASSERT_LE(step.parents.size(), 2U);
      for (const int parent : step.parents) {
        ASSERT_TRUE(before[parent] && joined[parent][step.column]);
        ++edges;
      }
      ASSERT_TRUE(step.parents.size() < 2 || joined[step.parents[0]][step.parents[1]]);
      before[step.column] = true;
    }
    ASSERT_EQ(edges, std::popcount(graph));  // each edge is between a column and its parent
  }
}

TEST(ColumnGraph, AllowsTheChordsThatKeepItSo) {
  for (std::uint32_t graph = 0; graph < graphs; ++graph) {
    if (!fits_by_definition(graph)) continue;
    const Joined joined = joined_of(graph);
    const ColumnGraph made = graph_of(graph);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto [a, b] = pairs[i];
      int both = 0, shared = -1;
      for (int c = 0; c < size; ++c) {
        if (joined[a][c] && joined[b][c]) ++both, shared = c;
      }
      const auto chord = made.chord_over(a, b);
      const bool allowed = !joined[a][b] && both > 0 && fits_by_definition(graph | 1U << i);
      ASSERT_EQ(chord.has_value(), allowed) << graph << ": " << a << ", " << b;
      ASSERT_EQ(chord.value_or(-1), allowed ? shared : -1);
      ASSERT_EQ(made.chord_over(b, a), chord);
    }
  }
}

TEST(ColumnGraph, ConnectsByPaths) {
  ColumnGraph graph(5);
  graph.join(3, 1);
  graph.join(1, 4);
  graph.join(1, 4);
  EXPECT_TRUE(graph.joined(1, 3));
  EXPECT_TRUE(graph.joined(4, 1));
  EXPECT_FALSE(graph.joined(3, 4));
  EXPECT_TRUE(graph.connected(3, 4));
  EXPECT_FALSE(graph.connected(0, 3));
  EXPECT_TRUE(graph.connected(2, 2));
  EXPECT_FALSE(graph.chord_over(2, 2));
  EXPECT_EQ(graph.chord_over(3, 4), 1);
}

}  // namespace
}  // namespace dpmix
