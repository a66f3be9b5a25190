// Pictures of stored mixtures, as SVG. Free: post-processing.
#pragma once

#include "pg/release/stored.hpp"

namespace dpmix::pg {

// feature: NULL for the first; PV005.
text* gmm_picture(const FoundRelease& found, const char* feature);

}  // namespace dpmix::pg
