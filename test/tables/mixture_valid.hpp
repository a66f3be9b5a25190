// What every released mixture must be, whatever the table.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <numeric>

#include "core/mixture/divergence.hpp"
#include "core/mixture/sampling.hpp"
#include "tables/mixture_tables.hpp"

namespace dpmix::test {

inline void expect_valid(const GaussianMixture& mixture, const Table& table) {
  double weights = 0;
  for (const GaussianMixture::Component& c : mixture.components) {
    EXPECT_GT(c.weight, 0);
    EXPECT_GE(c.rows, 0);
    weights += c.weight;
    for (std::size_t i = 0; i < c.mean.size(); ++i) {
      EXPECT_GE(c.mean[i], table.lower[i]);
      EXPECT_LE(c.mean[i], table.upper[i]);
    }
    const int d = mixture.features;
    const Matrix covariance = Eigen::Map<const Matrix>(c.covariance.data(), d, d);
    EXPECT_TRUE(covariance.allFinite());
    EXPECT_EQ(covariance, covariance.transpose());
    EXPECT_EQ(Eigen::LLT<Matrix>(covariance).info(), Eigen::Success);
  }
  EXPECT_NEAR(weights, 1, 1e-12);
  EXPECT_NO_THROW(GmmSampler{mixture});
  std::vector<int> same(mixture.components.size());
  std::iota(same.begin(), same.end(), 0);
  EXPECT_NEAR(gmm_kl(mixture, mixture, same), 0, 1e-9);
}

}  // namespace dpmix::test
