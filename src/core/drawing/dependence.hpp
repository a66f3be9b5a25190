// A picture of which columns depend on each other: columns on a circle, a line for each pair, as a
// standalone SVG document in ASCII. Post-processing.
#pragma once

#include <string>
#include <vector>

namespace dpmix {

struct DependencePicture {
  struct Pair {
    int a, b;     // columns
    double nats;  // how much they tell of each other
    bool chord;
  };
  std::string model;                 // UTF-8, or any bytes
  std::string label;                 // likewise; empty: none
  std::vector<std::string> columns;  // likewise
  std::vector<Pair> pairs;
};

std::string draw_dependence(const DependencePicture& picture);

}  // namespace dpmix
