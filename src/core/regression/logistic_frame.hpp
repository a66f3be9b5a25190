// What a pass of a logistic regression looks at in a row: its slope and its information, as
// integers.
//
// Enters: a coded row (z, y), y from -1 to 1, and public numbers of its class: coefficients b of
// (1, z), and a frame from which (1, z) is seen whitened, clipped to a radius and rounded toward
// zero to integers q, |q| <= R. Leaves, with p the probability of the score b (1, z), as rows of
// core/stats/class_moments.hpp:
//   slope        (p - share) q, share = (1 + y) / 2: its sum is the gradient of the log-likelihood
//   information  2 sqrt(p (1 - p)) q: its products are four times the second derivative
// Neither is longer than q. All arithmetic behind q is in integers: a row's own are the same on
// every server and in every plan, whatever other rows there are. Proof: docs/proofs/regression.md.
#pragma once

#include <cstdint>

#include "core/input/moment_frame_placer.hpp"

namespace dpmix {

struct LogisticFrame {
  static constexpr double unit = 0x1p-16;        // of a coefficient
  static constexpr double most_units = 1 << 26;  // of one coefficient

  MomentFrame seen;                  // of (1, z)
  std::vector<double> coefficients;  // of (1, z), class by class, in units: whole numbers

  // Error PV005: coefficients that are none, or more classes and features than two rows of class
  // moments for each row can have.
  void check() const;
  std::vector<double> pack() const;
  static LogisticFrame unpack(std::span<const double> packed);  // checks
};

// Where the slopes and the information of class k of so many are summed.
inline int slope_class(int k) {
  return k;
}
inline int information_class(int k, int classes) {
  return classes + k;
}

// The probability of a score, and the residual's factors, in units of 2^-20.
struct LogisticWeights {
  static constexpr std::int64_t one = 1 << 20;
  std::int64_t probability, information;  // information: 2 sqrt(p (1 - p)), rounded down
};
// score: in units of 2^-36; a whole number below 2^53.
LogisticWeights logistic_weights(double score);

// A view on memory that the caller keeps: trivially copyable, allocates nothing, never throws.
class LogisticPlacer {
 public:
  static std::size_t memory_size(const LogisticFrame& frame);  // in doubles
  LogisticPlacer() = default;
  LogisticPlacer(const LogisticFrame& frame, double* memory);

  int inputs() const { return placer_.inputs(); }  // z and y
  // False: the row is missing. Both have FramePlacer::max_row numbers.
  bool place(int k, const double* row, std::int32_t* slope, std::int32_t* information) const;

 private:
  FramePlacer placer_;
  const double* coefficients_ = nullptr;
};

}  // namespace dpmix
