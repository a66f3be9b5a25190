// Rows drawn from a mixture. Free: post-processing.
#pragma once

#include "core/mixture/gaussian_mixture.hpp"
#include "core/random/stream.hpp"
#include "pg/release/stored.hpp"
#include "pg/rows/builder.hpp"

namespace dpmix::pg {

// Inside guard(). The rows have the mixture's features, and its label where they have it.
void put_gmm_rows(RandomStream& random, RowBuilder* rows, const GaussianMixture& mixture,
                  int64 wanted);

// Draws rows from a stored mixture, into rows of any type that has its features.
void put_gmm_sample(const FoundRelease& found, RowBuilder* rows, int64 wanted);

}  // namespace dpmix::pg
