// Eigenvalues and eigenvectors of a symmetric matrix; of a diagonal one in the order of its
// coordinates, so that what is made of them stays diagonal.
#pragma once

#include <Eigen/Eigenvalues>

namespace dpmix {

struct Spectrum {
  Spectrum(const Eigen::MatrixXd& matrix, bool diagonal) {
    if (diagonal) {
      values = matrix.diagonal();
      vectors = Eigen::MatrixXd::Identity(matrix.rows(), matrix.rows());
      return;
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
    values = solver.eigenvalues();
    vectors = solver.eigenvectors();
  }
  // The matrix of the same vectors with other values.
  Eigen::MatrixXd with(const Eigen::VectorXd& other) const {
    return vectors * other.asDiagonal() * vectors.transpose();
  }

  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};

}  // namespace dpmix
