// Constants that are compared with columns for which the owner set a time quantum: rounded down to
// its multiples, with a NOTICE, so that windows of dashboards, which send other literals at each
// refresh, are one question. It depends on the query and on declarations alone: what is answered,
// priced and charged is the query that comes out.
#pragma once

#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

struct RoundedMoments {
  const Query* query;  // the scope's own where nothing was rounded
  const char* quanta;  // those of the columns that were compared; empty: none has one
};
RoundedMoments rounded_moments(const RowScope* scope);

}  // namespace dpmix::pg
