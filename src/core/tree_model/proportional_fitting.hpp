// Iterative proportional fitting (Deming & Stephan 1940): the table nearest to a start, in relative
// entropy, that has given margins.
#pragma once

#include <span>
#include <vector>

namespace dpmix {

// A margin of a table of up to four axes: `axes` are kept, in ascending order.
struct Margin {
  std::vector<int> axes;
  std::span<const double> target;
};

// sizes: of the table's axes, the last runs fastest. Rounds over all margins; polls.
void fit_margins(std::span<double> table, std::span<const int> sizes,
                 std::span<const Margin> margins, int rounds = 50);

}  // namespace dpmix
