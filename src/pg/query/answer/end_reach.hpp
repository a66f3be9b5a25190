// How far the ends of intervals lie from their answers.
#pragma once

namespace dpmix::pg {

struct EndReach {  // lattice steps that an interval allows the noise of its statistics
  double count, sum, squares;
  const double* tree;  // QuantileTree::reaches
};

}  // namespace dpmix::pg
