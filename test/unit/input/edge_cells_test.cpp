#include "core/input/edge_cells.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/base/error.hpp"

namespace dpmix {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(EdgeCells, HoldTheirLowerEdgeAndNotTheirUpper) {
  std::mt19937_64 random(2);
  for (std::size_t count = 2; count <= 40; ++count) {
    std::vector<double> edges = {count % 3 == 0 ? -kInfinity : -5.5};
    while (edges.size() < count) {
      edges.push_back((edges.size() == 1 ? -5 : edges.back()) + 1 + random() % 3);
    }
    if (count % 2 == 0) edges.back() = kInfinity;
    std::vector<double> values = edges;
    for (double edge : edges) {
      values.push_back(std::nextafter(edge, kInfinity));
      values.push_back(std::nextafter(edge, -kInfinity));
    }
    values.insert(values.end(), {-kInfinity, kInfinity, 0.0, -1e300, 1e300});
    for (double value : values) {
      int expected = -1;
      for (std::size_t i = 0; i + 1 < count; ++i) {
        if (edges[i] <= value && value < edges[i + 1]) expected = static_cast<int>(i);
      }
      ASSERT_EQ(edge_cell(edges, value), expected) << value << " among " << count;
    }
  }
}

TEST(EdgeCells, BadEdgesAreRefused) {
  using Edges = std::vector<double>;
  for (const Edges& edges :
       {Edges{}, {1}, {1, 1}, {2, 1}, {1, std::nan("")}, {std::nan(""), 1}, {0, 1, 1, 2}}) {
    EXPECT_THROW(check_edges(edges), Error) << edges.size();
  }
  Edges many(kMostEdges + 1);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i);
  EXPECT_THROW(check_edges(many), Error);
  many.pop_back();
  EXPECT_NO_THROW(check_edges(many));
  EXPECT_NO_THROW(check_edges(Edges{-kInfinity, kInfinity}));
}

}  // namespace
}  // namespace dpmix
