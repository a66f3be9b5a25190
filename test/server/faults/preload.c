// A disk and a clock that fail when the tests say so (LD_PRELOAD, under the server of a throwaway
// cluster only). The server's processes run in their data folder.
//
//   dpmix_faults/disk    lines "CALL PART ERRNO [once]": CALL is sync, write or extend (a write or
//   an
//                        allocation past the end), PART a part of the file's path, ERRNO EIO,
//                        ENOSPC or EROFS. "once": the first that meets it takes the file away.
//   dpmix_faults/clock   seconds to add to the time of day; "back N" or "swing N": another N
//   seconds
//                        back, or N forth and none in turn, every 20 ms.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))next(#name))

static void* next(const char* name) {
  return dlsym(RTLD_NEXT, name);
}

static int number_of(const char* name) {
  return strcmp(name, "ENOSPC") == 0 ? ENOSPC : strcmp(name, "EROFS") == 0 ? EROFS : EIO;
}

// True, with errno set: this call on this file is to fail. end: of what is written, or 0.
static int fails(const char* call, int fd, off_t end) {
  const int before = errno;
  FILE* rules = access("dpmix_faults/disk", R_OK) == 0 ? fopen("dpmix_faults/disk", "r") : NULL;
  int failed = 0;
  errno = before;
  if (rules == NULL) return 0;
  char link[64], path[PATH_MAX], line[256];
  struct stat status;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = '\0';
  while (!failed && fgets(line, sizeof line, rules) != NULL) {
    char asked[16] = "", part[128] = "", error[16] = "", once[16] = "";
    if (sscanf(line, "%15s %127s %15s %15s", asked, part, error, once) < 3) continue;
    if (strstr(path, part) == NULL) continue;
    const int same = strcmp(asked, call) == 0;
    const int extends = strcmp(asked, "extend") == 0 && strcmp(call, "write") == 0 &&
                        fstat(fd, &status) == 0 && end > status.st_size;
    if (!same && !extends) continue;
    if (strcmp(once, "once") == 0 && rename("dpmix_faults/disk", "dpmix_faults/disk.hit") != 0)
      continue;
    failed = number_of(error);
  }
  fclose(rules);
  errno = failed ? failed : before;
  return failed;
}

int fsync(int fd) {
  return fails("sync", fd, 0) ? -1 : NEXT(fsync)(fd);
}
int fdatasync(int fd) {
  return fails("sync", fd, 0) ? -1 : NEXT(fdatasync)(fd);
}
ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  return fails("write", fd, at + (off_t)size) ? -1 : NEXT(pwrite)(fd, data, size, at);
}
ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) {
  return fails("write", fd, at + (off_t)size) ? -1 : NEXT(pwrite64)(fd, data, size, at);
}
ssize_t pwritev(int fd, const struct iovec* parts, int count, off_t at) {
  return fails("write", fd, at + 1) ? -1 : NEXT(pwritev)(fd, parts, count, at);
}
ssize_t pwritev64(int fd, const struct iovec* parts, int count, off64_t at) {
  return fails("write", fd, at + 1) ? -1 : NEXT(pwritev64)(fd, parts, count, at);
}
int posix_fallocate(int fd, off_t at, off_t size) {  // returns the error
  const int error = fails("write", fd, at + size);
  return error ? error : NEXT(posix_fallocate)(fd, at, size);
}
int posix_fallocate64(int fd, off64_t at, off64_t size) {
  const int error = fails("write", fd, at + size);
  return error ? error : NEXT(posix_fallocate64)(fd, at, size);
}

// Seconds to add; read again every millisecond.
static long long shift(void) {
  static __thread long long read_at = -1, start;
  struct timespec now;
  NEXT(clock_gettime)(CLOCK_MONOTONIC, &now);
  const long long ms = now.tv_sec * 1000LL + now.tv_nsec / 1000000;
  if (ms != read_at) {
    const int before = errno;
    char line[64] = "";
    long long age = 0, every = 0;  // of the file, in ms
    struct stat status;
    FILE* file = fopen("dpmix_faults/clock", "r");
    if (file != NULL) {
      NEXT(clock_gettime)(CLOCK_REALTIME, &now);
      if (fstat(fileno(file), &status) == 0) {
        age = (now.tv_sec - status.st_mtim.tv_sec) * 1000LL +
              (now.tv_nsec - status.st_mtim.tv_nsec) / 1000000;
      }
      if (fgets(line, sizeof line, file) == NULL) line[0] = '\0';
      fclose(file);
    }
    start = 0;
    const int swings = sscanf(line, "swing %lld", &every) == 1;
    if (!swings && sscanf(line, "back %lld", &every) != 1) start = atoll(line);
    start += (swings ? age / 20 % 2 : -(age / 20)) * every;
    read_at = ms;
    errno = before;
  }
  return start;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  const int result = NEXT(clock_gettime)(clock, time);
  if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += shift();
  return result;
}
int gettimeofday(struct timeval* restrict time, void* restrict zone) {
  const int result = NEXT(gettimeofday)(time, zone);
  if (result == 0) time->tv_sec += shift();
  return result;
}
