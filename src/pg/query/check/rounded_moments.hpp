// Constants that are compared with columns for which the owner set a time quantum: rounded down to
// its multiples, with a NOTICE, so that windows of dashboards, which send other literals at each
// refresh, are one question. Of the query and of declarations alone: what is answered, priced and
// charged is the query that comes out.
#pragma once

#include "pg/query/read/shape.hpp"

namespace dpmix::pg {

struct RoundedMoments {
  const Query* query;  // the scope's own where nothing was rounded
  const char* quanta;  // of the columns that were compared: empty where none has one
};
RoundedMoments rounded_moments(const RowScope* scope);

}  // namespace dpmix::pg
