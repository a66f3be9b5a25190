// Products of matrices. An argument may be any expression; what is no block of columns is copied
// first, which costs little beside the product.
#pragma once

#include "core/algebra/matrix.hpp"

namespace dpmix {

using ConstBlock = Eigen::Ref<const Matrix>;

Matrix product(const ConstBlock& a, const ConstBlock& b);
// A S A', and A diag(d) A'.
Matrix congruence(const ConstBlock& a, const ConstBlock& s);
Matrix diagonal_congruence(const ConstBlock& a, const Eigen::Ref<const Vector>& d);
// c += factor A B; c overlaps neither.
void add_product(Eigen::Ref<Matrix> c, double factor, const ConstBlock& a, const ConstBlock& b);

// So many columns at a time that a product of a square matrix with them takes some ms.
Eigen::Index polled_columns(Eigen::Index size);
Eigen::Index polled_columns(Eigen::Index rows, Eigen::Index depth);

}  // namespace dpmix
