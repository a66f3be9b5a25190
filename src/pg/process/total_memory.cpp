#include "pg/process/total_memory.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/shared_memory.hpp"
#include "pg/process/places.hpp"

extern "C" {
#include "miscadmin.h"
#include "storage/ipc.h"
#include "utils/guc.h"
}

namespace dpmix::pg {
namespace {

int total_memory = 4 * 1024 * 1024;  // kB

struct Part {
  pid_t pid;  // 0: nobody's
  double bytes;
};

struct Parts {
  LWLock lock;  // first: SharedPiece
  Part part[kPlaces];
};

SharedPiece memory = {"dpmix memory ", "dpmix_memory", sizeof(Parts)};
Part* own = NULL;

Parts* parts() {
  return (Parts*)memory.memory;
}

void give_back(int, Datum) {
  if (own == NULL) return;
  LWLockAcquire(&parts()->lock, LW_EXCLUSIVE);
  *own = {};
  LWLockRelease(&parts()->lock);
}

// Call before anything is taken: if no exit callback can be registered, this session ends.
void watch_exit() {
  static bool watches = false;
  if (!watches) before_shmem_exit(give_back, (Datum)0);
  watches = true;
}

// What others have. Under the lock.
double taken_by_others(Part** unused) {
  double taken = 0;
  for (Part& part : parts()->part) {
    if (part.pid == 0) *unused = &part;
    if (part.pid != MyProcPid) taken += part.bytes;
  }
  return taken;
}

[[noreturn]] void refuse_total(double bytes, double taken) {
  const char* asked = psprintf(
      "Rows may need %.0f kB of all processes of this release; "
      "dpmix.total_memory is %d kB",
      bytes / 1024, total_memory);
  if (bytes > total_memory * 1024.) {
    refuse_argument("the release does not fit the memory of all releases", psprintf("%s.", asked),
                    "Ask for less at once, with fewer workers, or let an administrator raise "
                    "dpmix.total_memory.");
  }
  refuse(ErrorCode::ledger_unavailable, "other releases have the memory that this one needs",
         psprintf("%s, of which others have %.0f kB. Nothing was charged.", asked, taken / 1024),
         "Try again when they are done.");
}

}  // namespace

void total_memory_init() {
  DefineCustomIntVariable(
      "dpmix.total_memory", "Memory that rows may take in all processes of releases together.",
      "Parallel workers count. A release that could need more is refused.", &total_memory,
      total_memory, 64 * 1024, MAX_KILOBYTES, PGC_SIGHUP, GUC_UNIT_KB, NULL, NULL, NULL);
  reserve(&memory);
}

void take_of_total(double bytes) {
  if (!attach(&memory)) {
    refuse(ErrorCode::ledger_unavailable, "no shared memory is left for releases",
           "It holds what each of them may take.",
           "Add dpmix to shared_preload_libraries, which sets its memory aside.");
  }
  watch_exit();
  Part* unused = NULL;
  LWLockAcquire(&parts()->lock, LW_EXCLUSIVE);
  const double taken = taken_by_others(&unused);
  const bool fits = taken + bytes <= total_memory * 1024. && (own != NULL || unused != NULL);
  if (fits) {
    if (own == NULL) own = unused;
    *own = {MyProcPid, Max(own->bytes, bytes)};  // what it has of the kernel it keeps
  }
  LWLockRelease(&parts()->lock);
  if (!fits) refuse_total(bytes, taken);
}

}  // namespace dpmix::pg
