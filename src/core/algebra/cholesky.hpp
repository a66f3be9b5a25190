// Cholesky factors, and what is solved with them.
#pragma once

#include <optional>

#include "core/algebra/product.hpp"

namespace dpmix {

// L with LL' = matrix, 0 above its diagonal; nullopt unless it is positive definite. Reads the
// lower triangle.
std::optional<Matrix> cholesky(Matrix matrix);

// L lower triangular: L^-1 X, and L'^-1 X.
Matrix solve_lower(const Matrix& lower, Matrix x);
Matrix solve_transposed(const Matrix& lower, Matrix x);
Matrix inverse_of_lower(const Matrix& lower);
// The X with LL' X = B.
Matrix solve_cholesky(const Matrix& lower, Matrix b);
// log det L: half of that of LL'.
double log_determinant(const Matrix& lower);

}  // namespace dpmix
