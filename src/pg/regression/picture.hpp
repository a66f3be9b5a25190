// Pictures of stored regressions, as SVG. Free: post-processing.
#pragma once

#include "pg/release/stored.hpp"

namespace dpmix::pg {

// level: of the intervals.
text* regression_picture(const FoundRelease& found, double level);

}  // namespace dpmix::pg
