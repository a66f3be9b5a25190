// What a regression looks at in a row: public terms, coded into numbers of small norm.
//
// Enters: for each term the declared bounds of a number, the number of a column's categories, or
// the power of another term's number; the bounds of the target. Leaves, for a row: z, of which each
// term adds at most 1 to the squared norm, and the target in [-1, 1].
//
// A number becomes its place between its bounds. The k categories of a column become the corners of
// a regular simplex on the unit sphere in k - 1 dimensions: no indicators have corners as far apart
// for their norm. A power of a number whose lower powers are terms too becomes a Chebyshev
// polynomial, for powers themselves are almost collinear. All of it is linear in what the caller
// asked for: (1, numbers, indicators of all categories but the first, powers), so least squares are
// the same (docs/proofs/regression.md).
#pragma once

#include <span>
#include <vector>

#include "core/algebra/matrix.hpp"
#include "core/input/moment_frame.hpp"

namespace dpmix {

enum class TermKind { number, category, power };

struct DesignTerm {
  TermKind kind = TermKind::number;
  double lower = 0, upper = 1;  // of a number
  int categories = 0;
  int base = 0, power = 1;  // of which earlier term, a number
};

struct Design {
  static constexpr int most_columns = MomentFrame::max_features - 1;  // the target is one more
  static constexpr int most_power = 4;

  std::vector<DesignTerm> terms;
  double target_lower = 0, target_upper = 1;
  // A row whose target is missing counts as the middle of its bounds: where the target is all that
  // is protected, a row must not come or go by it.
  bool keeps_missing_target = false;

  // Error PV005: bounds unfit, too many columns, a power without the lower ones.
  void check() const;
  int inputs() const;   // numbers of a row: of each term but powers, then the target
  int columns() const;  // of z, without intercept and target
  // z and the target after it; x: inputs() numbers, categories as their number. False: missing.
  bool code(const double* x, double* z) const;
  // Squared norm of z at most, without intercept and target.
  double norm2() const { return static_cast<double>(terms.size()); }
  // (1, z) = map * (1, what was asked for); square.
  Matrix map() const;
  double target_centre() const { return target_lower / 2 + target_upper / 2; }
  double target_half() const { return target_upper / 2 - target_lower / 2; }

  // Rows of z and target as class moments see them. No row is clipped: the ball is a little wider.
  MomentFrame frame(int classes) const;

  std::vector<double> pack() const;
  static Design unpack(std::span<const double> packed);  // checks
};

}  // namespace dpmix
