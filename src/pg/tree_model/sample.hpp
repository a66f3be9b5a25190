// Rows drawn from a model of released columns. Free: post-processing.
#pragma once

#include "core/random/stream.hpp"
#include "core/tree_model/block_sampler.hpp"
#include "pg/release/stored.hpp"
#include "pg/rows/builder.hpp"

namespace dpmix::pg {

// Inside guard(). The rows have the model's columns, and its label where they have it.
void put_drawn_rows(RandomStream& random, RowBuilder* rows, BlockSampler& sampler, int64 wanted);

// Draws rows from a stored tree, into rows of any type that has its columns.
void put_tree_sample(const FoundRelease& found, RowBuilder* rows, int64 wanted);

}  // namespace dpmix::pg
