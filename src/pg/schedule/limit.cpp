#include "pg/schedule/limit.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/role_number.hpp"

extern "C" {
#include "storage/lock.h"
#include "utils/guc.h"
}

namespace dpmix::pg {
namespace {

int most = 0;

Statement number_of = {"SELECT count(*) FROM dpmix.schedule WHERE owner = " DPMIX_NUMBERS_OF("$1")};

// Counted by one transaction at a time.
void lock_owner(Oid owner) {
  LOCKTAG tag;
  SET_LOCKTAG_OBJECT(tag, MyDatabaseId, catalog_table("schedule"), owner, 1);
  (void)LockAcquire(&tag, ExclusiveLock, false, false);
}

}  // namespace

void schedule_limit_init() {
  DefineCustomIntVariable("dpmix.max_schedules_per_role", "Most schedules that a role may have.",
                          "Those that are there stay.", &most, 100, 0, 1000000, PGC_SUSET, 0, NULL,
                          NULL, NULL);
}

void require_room_for(const Schedule* schedule) {
  int64 count = 0;
  as_catalog_owner([&] {
    lock_owner(schedule->owner);
    (void)read_rows(number_of, {schedule->owner});
    count = ResultRow{}.int8(1);
  });
  if (count < most) return;
  refuse(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
         psprintf("role \"%s\" has too many schedules", schedule->owner_name),
         psprintf("It has " INT64_FORMAT "; dpmix.max_schedules_per_role is %d.", count, most),
         "Drop one with dpmix.drop_schedule(), or ask a superuser to raise the setting.");
}

}  // namespace dpmix::pg
