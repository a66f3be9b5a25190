// Which columns depend on each other: a forest of edges, closed to triangles by chords.
#pragma once

#include <optional>
#include <vector>

#include "core/base/index.hpp"

namespace dpmix {

// A column and those that it is drawn from: none, one, or two that are joined themselves.
struct DrawStep {
  int column;
  std::vector<int> parents;  // ascending
};

class ColumnGraph {
 public:
  explicit ColumnGraph(int columns) : neighbours_(index(columns)) {}

  int columns() const { return static_cast<int>(neighbours_.size()); }
  bool joined(int a, int b) const;
  void join(int a, int b);
  bool connected(int a, int b) const { return connected(a, b, -1); }  // by a path
  // The one column joined with both, if the graph with a chord between them is still chordal, with
  // cliques of at most three columns. The graph must be so itself.
  std::optional<int> chord_over(int a, int b) const;
  // An order in which each column depends on its parents alone. Nothing: the graph is not chordal,
  // or has four columns that are all joined.
  std::optional<std::vector<DrawStep>> order() const;

 private:
  bool connected(int a, int b, int without) const;

  std::vector<std::vector<int>> neighbours_;  // of each column, ascending
};

}  // namespace dpmix
