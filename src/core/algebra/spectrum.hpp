// Eigenvalues and eigenvectors of symmetric matrices.
#pragma once

#include "core/algebra/matrix.hpp"

namespace dpmix {

struct Spectrum {  // matrix = vectors diag(values) vectors'
  Vector values;
  Matrix vectors;

  // The matrix of the same vectors with other values.
  Matrix with(const Vector& other) const;
};

// Values ascend. Reads the lower triangle; its numbers are finite. Householder's tridiagonal form
// and implicit QR steps (Golub and Van Loan, Matrix Computations, 8.3). diagonal: the matrix is,
// and values come in the order of its coordinates, so that what is made of them stays diagonal.
Spectrum spectrum_of(Matrix matrix, bool diagonal = false);

}  // namespace dpmix
