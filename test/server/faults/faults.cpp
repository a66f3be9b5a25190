// What happens at the places named in the code by DPMIX_FAULT: what the tests put into the file
// dpmix_faults/PLACE of the server's data folder. Linked into build/faults/dpmix.so only.
//
//   error | panic | exit | kill    ends the statement, the cluster, the process (1), it and the
//   cluster wait                           until the test removes dpmix_faults/PLACE.hit;
//   interruptible count                          adds a line to dpmix_faults/PLACE.count
//
// The first process that comes by takes the file away and leaves its pid in PLACE.hit; after
// "always", everyone who comes by does it and nothing is taken away.
#include <unistd.h>

#include "pg/border/fault.hpp"
#include "pg/border/postgres.hpp"

extern "C" {
#include "storage/ipc.h"
}

namespace dpmix::pg {
namespace {

constexpr const char* kFolder = "dpmix_faults";

bool read_word(FILE* file, char* word, size_t size) {
  char format[16];
  snprintf(format, sizeof format, "%%%zus", size - 1);
  return fscanf(file, format, word) == 1;
}

void write_pid(const char* path, const char* mode) {
  FILE* file = fopen(path, mode);
  if (file == NULL) return;
  fprintf(file, "%d\n", (int)getpid());
  fclose(file);
}

void wait_while_there(const char* path) {
  while (access(path, F_OK) == 0) {
    CHECK_FOR_INTERRUPTS();
    pg_usleep(2000);
  }
  CHECK_FOR_INTERRUPTS();  // a signal sent before the file went is here by now
}

void act(const char* action, const char* place, const char* hit) {
  if (strcmp(action, "wait") == 0) return wait_while_there(hit);
  if (strcmp(action, "exit") == 0) proc_exit(1);
  if (strcmp(action, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(action, "panic") == 0) elog(PANIC, "asked to panic at %s", place);
  elog(ERROR, "asked to fail at %s", place);
}

}  // namespace

void fault(const char* place) {
  char path[MAXPGPATH], claimed[MAXPGPATH], hit[MAXPGPATH], action[16] = "", next[16];
  snprintf(path, sizeof path, "%s/%s", kFolder, place);
  FILE* file = fopen(path, "r");
  if (file == NULL) return;
  const bool read = read_word(file, action, sizeof action);
  const bool always = read && strcmp(action, "always") == 0 && read_word(file, next, sizeof next);
  fclose(file);
  snprintf(hit, sizeof hit, "%s.hit", path);
  if (always) {
    snprintf(path, sizeof path, "%s/%s.count", kFolder, place);
    write_pid(path, "a");
    if (strcmp(next, "count") != 0) act(next, place, hit);
    return;
  }
  snprintf(claimed, sizeof claimed, "%s.%d", path, (int)getpid());
  if (rename(path, claimed) != 0) return;  // another came first
  (void)unlink(claimed);                   // it may be another user's
  write_pid(claimed, "w");
  if (rename(claimed, hit) == 0) act(action, place, hit);
}

// Every third message while the file is there, in one of the ways in which bytes go wrong.
void garble(const char* place, char* kind, const char** bytes, size_t* size) {
  char path[MAXPGPATH];
  snprintf(path, sizeof path, "%s/%s", kFolder, place);
  if (access(path, F_OK) != 0 || random() % 3 != 0) return;
  snprintf(path, sizeof path, "%s/%s.count", kFolder, place);
  write_pid(path, "a");
  char* other = (char*)palloc0(*size + 64);
  memcpy(other, *bytes, *size);
  *bytes = other;
  const size_t at = *size > 0 ? (size_t)random() % *size : 0;
  switch (random() % 6) {
    case 0:
      *kind = (char)random();
      return;
    case 1:
      *kind = "TDBNEQLZ"[random() % 8];
      return;
    case 2:
      *size = at;
      return;  // cut short
    case 3:
      *size += (size_t)random() % 64;
      return;
    case 4:
      other[at] = (char)random();
      return;
    default:  // a length or a count
      for (size_t i = at; i < at + 4 && i < *size; i++)
        other[i] = random() % 2 != 0 ? '\xff' : '\x7f';
  }
}

}  // namespace dpmix::pg
