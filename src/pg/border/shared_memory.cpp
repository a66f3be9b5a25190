#include "pg/border/shared_memory.hpp"

extern "C" {
#include "storage/ipc.h"
#include "storage/shmem.h"
}

namespace dpmix::pg {
namespace {

Size reserved = 0;
shmem_request_hook_type previous_request_hook = NULL;

void request_memory() {
  if (previous_request_hook != NULL) previous_request_hook();
  RequestAddinShmemSpace(reserved);
}

}  // namespace

void reserve_shared_memory(Size size) {
  if (!process_shared_preload_libraries_in_progress) return;
  if (reserved == 0) {
    previous_request_hook = shmem_request_hook;
    shmem_request_hook = request_memory;
  }
  reserved += MAXALIGN(size);
}

}  // namespace dpmix::pg
