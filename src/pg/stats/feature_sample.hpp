// The states of dpmix_internal.feature_sample.
#pragma once

#include "core/stats/feature_sample.hpp"
#include "pg/border/postgres.hpp"

namespace dpmix::pg {

// Reads a state, like read_moment_state(). Inside guard(), rows() gives the sample as plain values.
FeatureSample read_sample_state(Datum state);

}  // namespace dpmix::pg
