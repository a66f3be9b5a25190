// Grouping sets that are answered together: which tables are counted, and how well they make each
// other's cells known.
//
// Enters: how many values each key has, and sets of keys. A set's table has a cell for each
// combination of values of its keys, the first key slowest. The closure is all subsets of all sets:
// to each belongs a residual, the part of a table that no table of fewer keys tells. Leaves: what
// each set's table tells of each residual, and the variance of the least-squares answers.
// Everything here is public. Source: Xiao, He, Zhang, Kifer, ResidualPlanner, NeurIPS 2023.
// Proof: docs/proofs/cube.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dpmix {

using KeySet = std::uint64_t;  // bit i: key i is one of them

constexpr int kMostKeys = 64;       // of a workload
constexpr int kMostKeysOfSet = 12;  // a set has 2^12 subsets at most

class CubeWorkload {
 public:
  struct Part {     // a subset of a set
    int residual;   // its place in the closure
    double told;    // precision of the residual for a table of precision 1: 1 / cells summed up
    double spread;  // variance of a cell for a residual of precision 1
  };

  // sets: of at most kMostKeysOfSet keys each. A set that was measured several times is there as
  // often, with a table for each. Sizes are at least 1.
  CubeWorkload(std::span<const int> sizes, std::span<const KeySet> sets);

  std::size_t sets() const { return sets_.size(); }
  KeySet set(std::size_t i) const { return sets_[i]; }
  int size(int key) const { return sizes_[static_cast<std::size_t>(key)]; }
  std::size_t cells(KeySet keys) const;
  std::size_t residuals() const { return closure_.size(); }
  KeySet residual(int i) const { return closure_[static_cast<std::size_t>(i)]; }
  // The subsets of set i; part b is the subset of the keys that have a bit in b, the set's first
  // key being its lowest.
  std::span<const Part> parts(std::size_t i) const;

  // The precisions of the residuals, from those of the sets' tables.
  std::vector<double> precisions(std::span<const double> tables) const;
  // The variance of a cell of each set's answer, from the precisions of the residuals.
  std::vector<double> variances(std::span<const double> residuals) const;
  // The variance of the sum over so many values of each key, ascending, in the answer of any set of
  // keys of which `known` is not empty. With 1 value of each key, it is a cell's.
  double variance_of_sum(KeySet keys, std::span<const int> values,
                         std::span<const double> residuals) const;
  // The covariance of two cells, told by their values of each key, ascending, in the answer of any
  // such set.
  double covariance(KeySet keys, std::span<const int> cell, std::span<const int> other,
                    std::span<const double> residuals) const;
  // The residuals of all subsets of some keys, numbered as parts() are; empty: no set has them all.
  std::vector<int> known(KeySet keys) const;

 private:
  std::vector<int> sizes_;
  std::vector<KeySet> sets_, closure_;
  std::vector<Part> parts_;
  std::vector<std::size_t> first_;  // part of each set, and the end
};

// The keys of a set, ascending.
std::vector<int> keys_of(KeySet set);

}  // namespace dpmix
