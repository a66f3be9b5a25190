// Dense algebra that can be cancelled: every function polls after some 10 ms of work, which Eigen's
// own do not (half a second for the eigenvectors of 784 columns). Work is done by Eigen in pieces;
// what is here is the order of the pieces.
#pragma once

#include <Eigen/Core>

namespace dpmix {

// So many columns at a time that a product of a square matrix with them takes some ms.
Eigen::Index polled_columns(Eigen::Index size);

Eigen::MatrixXd polled_product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

// In place: the lower triangle becomes L of LL'. Reads the lower triangle of a positive definite
// matrix; what is above it becomes 0.
void polled_cholesky(Eigen::MatrixXd& matrix);
// In place, L lower triangular: L^-1 X and L'^-1 X.
void polled_solve(const Eigen::MatrixXd& lower, Eigen::MatrixXd& x);
void polled_solve_transposed(const Eigen::MatrixXd& lower, Eigen::MatrixXd& x);

struct PolledEigen {       // matrix = vectors * diag(values) * vectors'
  Eigen::VectorXd values;  // in no order
  Eigen::MatrixXd vectors;
};
// Of a symmetric matrix of finite numbers; reads the lower triangle. Householder's tridiagonal form
// and implicit QR steps (Golub and Van Loan, Matrix Computations, 8.3).
PolledEigen polled_eigen(Eigen::MatrixXd matrix);

}  // namespace dpmix
