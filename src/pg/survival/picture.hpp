// The picture of stored survival curves.
#pragma once

#include "pg/release/stored.hpp"

namespace dpmix::pg {

text* survival_picture(const FoundRelease& found, double level);

}  // namespace dpmix::pg
