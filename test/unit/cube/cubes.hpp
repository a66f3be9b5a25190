// Workloads of tests, and dense matrices to hold them against.
#pragma once

#include <Eigen/Dense>
#include <bit>
#include <random>

#include "core/cube/workload.hpp"

namespace dpmix {

inline std::vector<KeySet> sets_up_to(int keys, int most) {
  std::vector<KeySet> sets;
  for (KeySet set = 0; set < KeySet{1} << keys; ++set) {
    if (std::popcount(set) <= most) sets.push_back(set);
  }
  return sets;
}

inline std::vector<KeySet> rollup(int keys) {
  std::vector<KeySet> sets;
  for (int k = 0; k <= keys; ++k) sets.push_back((KeySet{1} << k) - 1);
  return sets;
}

inline std::vector<int> census_sizes() {
  return {85, 9, 100, 16, 7, 15, 6, 5, 2, 100, 100, 99, 42, 2};
}

// Of sets, distinct, of keys with 1 to 4 values.
inline CubeWorkload random_workload(std::mt19937_64& random, int keys) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<int> sizes;
  for (int k = 0; k < keys; ++k) sizes.push_back(1 + pick(4));
  std::vector<KeySet> sets;
  for (KeySet set = 0; set < KeySet{1} << keys; ++set) {
    if (pick(2) == 0) sets.push_back(set);
  }
  if (sets.empty()) sets.push_back((KeySet{1} << keys) - 1);
  return {sizes, sets};
}

// From the table of all keys to that of a set.
inline Eigen::MatrixXd adding_up(const std::vector<int>& sizes, KeySet set) {
  Eigen::MatrixXd made = Eigen::MatrixXd::Ones(1, 1);
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    Eigen::MatrixXd axis = Eigen::MatrixXd::Ones(1, sizes[k]);
    if (set >> k & 1) axis = Eigen::MatrixXd::Identity(sizes[k], sizes[k]);
    Eigen::MatrixXd next(made.rows() * axis.rows(), made.cols() * axis.cols());
    for (Eigen::Index i = 0; i < made.rows(); ++i) {
      for (Eigen::Index j = 0; j < made.cols(); ++j) {
        next.block(i * axis.rows(), j * axis.cols(), axis.rows(), axis.cols()) = made(i, j) * axis;
      }
    }
    made = next;
  }
  return made;
}

inline std::vector<int> sizes_of(const CubeWorkload& workload, int keys) {
  std::vector<int> sizes;
  for (int k = 0; k < keys; ++k) sizes.push_back(workload.size(k));
  return sizes;
}

}  // namespace dpmix
