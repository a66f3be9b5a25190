#include "pg/query/read/group_limit.hpp"

#include "pg/border/guard.hpp"

namespace dpmix::pg {

void refuse_many_groups(const char* detail) {
  refuse_argument("the query has too many groups",
                  psprintf("%s At most %d groups come back.", detail, kMaxGroups),
                  "Group by fewer or coarser keys.");
}

}  // namespace dpmix::pg
