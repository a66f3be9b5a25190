// Windows of a layer: over one person's rows, ordered so that no two of them tie where that
// matters.
#pragma once

#include "pg/query/layers/level.hpp"

namespace dpmix::pg {

// Once targets are made. PV002: a frame that rows could make fail, or whose end hangs on ties.
void make_windows(LayerQuery* level);

}  // namespace dpmix::pg
