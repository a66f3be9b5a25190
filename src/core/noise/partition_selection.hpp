// Whether a group whose name is not public may come back: the coin that keeps it, of the largest
// probability that (epsilon, delta)-DP allows for its number of units (Desfontaines, Voss, Gipson,
// Mandayam 2022, Theorem 2).
//
// Enters: the guarantee of one group, and how many units the group has. Leaves: kept or not.
// Guaranteed: P(kept) is 0 without units, never falls with them, is 1 from sure_from() on; and the
// outcomes for n and n - 1 units are (epsilon, delta)-DP, exactly: probabilities are drawn from
// without any rounding. Proof: docs/proofs/partition_selection.md.
#pragma once

#include <cstdint>

#include "core/random/exact_exp.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

constexpr double kLeastSelectionEpsilon = 1e-9;

class PartitionSelection {
 public:
  // 1e-9 <= epsilon <= 1e7 and 1e-300 <= delta < 1, read as the rationals they are; else Error
  // PV005.
  PartitionSelection(double epsilon, double delta);

  bool keeps(RandomStream& random, std::uint64_t units) const;

  double epsilon() const { return epsilon_; }
  double delta() const { return delta_; }
  std::uint64_t turn() const { return turn_; }            // n1 of the proof
  std::uint64_t sure_from() const { return sure_from_; }  // the least number that is always kept
  std::uint64_t likely_from() const;                      // ... that is kept half of the time
  double probability(std::uint64_t units) const;          // within 4e-12
  // Contains it, in units of 2^-bits; shrinks to it as bits grow.
  Bracket enclose(std::uint64_t units, int bits) const;

 private:
  bool draws(RandomStream& random, std::uint64_t units) const;
  Bracket rising(std::uint64_t units, int places) const;   // r(n) of the proof, in 2^-places
  Bracket settling(std::uint64_t more, int places) const;  // pi(n1 + m), below 1
  bool turned(std::uint64_t units) const;                  // r(n) > pi*
  bool sure(std::uint64_t more) const;                     // r(n1) + r(m) >= 1

  double epsilon_, delta_;
  int guard_;  // bits that quotients and differences may lose
  std::uint64_t turn_ = 1, sure_from_ = 2;
};

}  // namespace dpmix
