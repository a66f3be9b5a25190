// Pictures of stored tree models, as SVG. Free: post-processing.
#pragma once

#include "pg/release/stored.hpp"

namespace dpmix::pg {

text* tree_picture(const FoundRelease& found);

}  // namespace dpmix::pg
