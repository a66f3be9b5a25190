// Dense matrices. Light: Eigen's core alone. What a compiler takes seconds for (products of
// matrices, factors, inverses, eigenvectors) is in the other headers of this room, compiled once.
// Functions there poll after some 10 ms of work, which Eigen's own do not.
#pragma once

#include <Eigen/Core>

namespace dpmix {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

}  // namespace dpmix
