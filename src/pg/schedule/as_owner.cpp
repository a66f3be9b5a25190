#include "pg/schedule/as_owner.hpp"

#include "pg/border/run_as.hpp"
#include "pg/border/subtransaction.hpp"

namespace dpmix::pg {

ErrorData* error_as_owner(const Schedule* schedule, Action body) {
  return error_of([&] {
    run_as(schedule->owner, true, [&] {
      const int level = enter_settings(schedule);
      body();
      leave_settings(level);
    });
  });
}

}  // namespace dpmix::pg
