/* Preloaded into a process: makes one chosen system call on files below one folder fail.
   fault_arm(folder, n, error): the n-th such call from now on fails (from 0); a negative n: none.
   fault_count(): how many such calls there were since. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static char folder[PATH_MAX];
static long left = -1;
long count = 0;
static int error = EIO;

void fault_arm(const char* below, long n, int with) {
  snprintf(folder, sizeof folder, "%s", below);
  left = n;
  error = with;
  count = 0;
}
long fault_count(void) { return count; }

static int fails(const char* path) {
  if (!folder[0] || !path || strncmp(path, folder, strlen(folder)) != 0) return 0;
  ++count;
  if (left < 0 || left-- > 0) return 0;
  left = -1;
  errno = error;
  return 1;
}
static int fails_at(int descriptor) {
  char link[64], path[PATH_MAX];
  const int before = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  errno = before;
  if (size < 0) return 0;
  path[size] = 0;
  return fails(path);
}

#define REAL(type, name, ...) ((type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

static int opened(const char* name, const char* path, int flags, mode_t mode) {
  if (fails(path)) return -1;
  return ((int (*)(const char*, int, mode_t))dlsym(RTLD_NEXT, name))(path, flags, mode);
}
int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, int);
  va_end(more);
  return opened("open", path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, int);
  va_end(more);
  return opened("open64", path, flags, mode);
}
ssize_t read(int fd, void* to, size_t n) { return fails_at(fd) ? -1 : REAL(ssize_t, read, int, void*, size_t)(fd, to, n); }
ssize_t write(int fd, const void* from, size_t n) {
  if (fails_at(fd)) {
    /* half of it is written before the disk is full */
    REAL(ssize_t, write, int, const void*, size_t)(fd, from, n / 2);
    errno = error;
    return -1;
  }
  return REAL(ssize_t, write, int, const void*, size_t)(fd, from, n);
}
int fsync(int fd) { return fails_at(fd) ? -1 : REAL(int, fsync, int)(fd); }
int close(int fd) {
  const int failed = fails_at(fd), result = REAL(int, close, int)(fd);
  if (!failed) return result;
  errno = error;
  return -1;
}
int flock(int fd, int how) { return fails_at(fd) ? -1 : REAL(int, flock, int, int)(fd, how); }
int fchmod(int fd, mode_t mode) { return fails_at(fd) ? -1 : REAL(int, fchmod, int, mode_t)(fd, mode); }
int fchown(int fd, uid_t u, gid_t g) { return fails_at(fd) ? -1 : REAL(int, fchown, int, uid_t, gid_t)(fd, u, g); }
int chmod(const char* path, mode_t mode) { return fails(path) ? -1 : REAL(int, chmod, const char*, mode_t)(path, mode); }
int rename(const char* from, const char* to) { return fails(from) ? -1 : REAL(int, rename, const char*, const char*)(from, to); }
int unlink(const char* path) { return fails(path) ? -1 : REAL(int, unlink, const char*)(path); }
int fstat64(int fd, struct stat64* to) { return fails_at(fd) ? -1 : REAL(int, fstat64, int, struct stat64*)(fd, to); }
int stat64(const char* path, struct stat64* to) { return fails(path) ? -1 : REAL(int, stat64, const char*, struct stat64*)(path, to); }
int lstat64(const char* path, struct stat64* to) { return fails(path) ? -1 : REAL(int, lstat64, const char*, struct stat64*)(path, to); }
off64_t lseek64(int fd, off64_t at, int from) { return fails_at(fd) ? -1 : REAL(off64_t, lseek64, int, off64_t, int)(fd, at, from); }
