#include "core/cube/workload.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace dpmix {
namespace {

KeySet subset_of(std::span<const int> keys, std::size_t bits) {
  KeySet made = 0;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (bits >> k & 1) made |= KeySet{1} << keys[k];
  }
  return made;
}

bool comes_before(KeySet a, KeySet b) {
  const int sizes = std::popcount(a) - std::popcount(b);
  return sizes != 0 ? sizes < 0 : a < b;
}

}  // namespace

std::vector<int> keys_of(KeySet set) {
  std::vector<int> keys;
  for (; set != 0; set &= set - 1) keys.push_back(std::countr_zero(set));
  return keys;
}

CubeWorkload::CubeWorkload(std::span<const int> sizes, std::span<const KeySet> sets)
    : sizes_(sizes.begin(), sizes.end()), sets_(sets.begin(), sets.end()), first_{0} {
  for (const KeySet set : sets) {
    const std::vector<int> keys = keys_of(set);
    if (keys.size() > kMostKeysOfSet) throw std::length_error("too many keys of a set");
    for (std::size_t b = 0; b < std::size_t{1} << keys.size(); ++b) {
      closure_.push_back(subset_of(keys, b));
    }
  }
  std::ranges::sort(closure_, comes_before);
  closure_.erase(std::ranges::unique(closure_).begin(), closure_.end());
  for (const KeySet set : sets) {
    const std::vector<int> keys = keys_of(set);
    for (std::size_t b = 0; b < std::size_t{1} << keys.size(); ++b) {
      const auto place = std::ranges::lower_bound(closure_, subset_of(keys, b), comes_before);
      Part part{static_cast<int>(place - closure_.begin()), 1, 1};
      for (std::size_t k = 0; k < keys.size(); ++k) {
        const double n = size(keys[k]);
        if (b >> k & 1) {
          part.spread *= 1 - 1 / n;
        } else {
          part.told /= n;
          part.spread /= n * n;
        }
      }
      parts_.push_back(part);
    }
    first_.push_back(parts_.size());
  }
}

std::size_t CubeWorkload::cells(KeySet keys) const {
  std::size_t cells = 1;
  for (const int key : keys_of(keys)) cells *= static_cast<std::size_t>(size(key));
  return cells;
}

std::span<const CubeWorkload::Part> CubeWorkload::parts(std::size_t i) const {
  return std::span(parts_).subspan(first_[i], first_[i + 1] - first_[i]);
}

std::vector<double> CubeWorkload::precisions(std::span<const double> tables) const {
  std::vector<double> sum(residuals());
  for (std::size_t i = 0; i < sets(); ++i) {
    for (const Part& part : parts(i)) {
      sum[static_cast<std::size_t>(part.residual)] += part.told * tables[i];
    }
  }
  return sum;
}

std::vector<double> CubeWorkload::variances(std::span<const double> residuals) const {
  std::vector<double> variance(sets());
  for (std::size_t i = 0; i < sets(); ++i) {
    for (const Part& part : parts(i)) {
      variance[i] += part.spread / residuals[static_cast<std::size_t>(part.residual)];
    }
  }
  return variance;
}

std::vector<int> CubeWorkload::known(KeySet set) const {
  const std::vector<int> keys = keys_of(set);
  std::vector<int> places;
  if (!std::ranges::binary_search(closure_, set, comes_before)) return places;
  for (std::size_t b = 0; b < std::size_t{1} << keys.size(); ++b) {
    const auto place = std::ranges::lower_bound(closure_, subset_of(keys, b), comes_before);
    places.push_back(static_cast<int>(place - closure_.begin()));
  }
  return places;
}

double CubeWorkload::variance_of_sum(KeySet set, std::span<const int> values,
                                     std::span<const double> residuals) const {
  const std::vector<int> keys = keys_of(set), places = known(set);
  double variance = 0;
  for (std::size_t b = 0; b < places.size(); ++b) {
    double spread = 1;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const double n = size(keys[k]), taken = values[k];
      spread *= b >> k & 1 ? taken * (1 - taken / n) : taken * taken / (n * n);
    }
    variance += spread / residuals[static_cast<std::size_t>(places[b])];
  }
  return variance;
}

double CubeWorkload::covariance(KeySet set, std::span<const int> cell, std::span<const int> other,
                                std::span<const double> residuals) const {
  const std::vector<int> keys = keys_of(set), places = known(set);
  double covariance = 0;
  for (std::size_t b = 0; b < places.size(); ++b) {
    double spread = 1;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const double n = size(keys[k]);
      spread *= b >> k & 1 ? (cell[k] == other[k]) - 1 / n : 1 / (n * n);
    }
    covariance += spread / residuals[static_cast<std::size_t>(places[b])];
  }
  return covariance;
}

}  // namespace dpmix
