/* Makes calls fail: cc -shared -fPIC -O1 -o fail_calls.so fail_calls.c; LD_PRELOAD=fail_calls.so FAIL_CALL=... PROGRAM
 *
 * FAIL_CALL: alloc (malloc, calloc, realloc, posix_memalign, aligned_alloc, and so operator new), write (write, pwrite,
 *   writev, fwrite but for standard error), sync (fsync, fdatasync), open (open, openat, fopen), create (those of them
 *   that make a file), rename (rename, link), unlink (unlink, unlinkat).
 *
 * FAIL_AT: which of these calls, from 1; 0: none, they are counted alone.
 *
 * FAIL_FROM, set: that one and all after it.
 *
 * FAIL_WITH: the error number; or short: half of what is to be written, as a full disk does; or signal:N, raised.
 *
 * FAIL_PROGRAM: the name of the program that is meant; others that it starts are left alone.
 *
 * FAIL_COUNT: a file that gets the number of these calls, at the end.
 *
 * Calls count from the beginning of main(): what loads a program before is no part of it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum Kind { kNone, kAlloc, kWrite, kSync, kOpen, kCreate, kRename, kUnlink };

static const char* const kNames[] = {"", "alloc", "write", "sync", "open", "create", "rename", "unlink"};

static enum Kind failing_kind = kNone;
static long failing_at = 0;
static int is_from = 0;
static int failing_errno = EIO;
static int is_short = 0;
static int raised_signal = 0;
static const char* count_file = NULL;
static atomic_long calls = 0;
static atomic_int is_armed = 0;

extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* memory, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);

/* Whether this call is one that fails. */
static int fails(enum Kind kind) {
  if (kind != failing_kind || !atomic_load(&is_armed)) return 0;
  const long number = atomic_fetch_add(&calls, 1) + 1;
  if (failing_at == 0 || number < failing_at || (number > failing_at && !is_from)) return 0;
  if (raised_signal != 0) {
    raise(raised_signal);
    return 0;
  }
  errno = failing_errno;
  return 1;
}

static void read_settings(void) {
  const char* call = getenv("FAIL_CALL");
  const char* program = getenv("FAIL_PROGRAM");
  if (call == NULL || (program != NULL && strcmp(program, program_invocation_short_name) != 0)) return;
  for (int kind = kAlloc; kind <= kUnlink; ++kind) {
    if (strcmp(call, kNames[kind]) == 0) failing_kind = (enum Kind)kind;
  }
  const char* at = getenv("FAIL_AT");
  const char* with = getenv("FAIL_WITH");
  failing_at = at == NULL ? 0 : atol(at);
  is_from = getenv("FAIL_FROM") != NULL;
  count_file = getenv("FAIL_COUNT");
  if (failing_kind == kAlloc) failing_errno = ENOMEM;
  if (with == NULL) return;
  is_short = strcmp(with, "short") == 0;
  if (strncmp(with, "signal:", 7) == 0) {
    raised_signal = atoi(with + 7);
  } else if (!is_short) {
    failing_errno = atoi(with);
  } else {
    failing_errno = ENOSPC;
  }
}

static void write_count(void) {
  if (count_file == NULL) return;
  atomic_store(&is_armed, 0);
  char text[32];
  const int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&calls));
  const int file = (int)syscall(SYS_openat, AT_FDCWD, count_file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file >= 0 && syscall(SYS_write, file, text, (size_t)length) != length) syscall(SYS_exit_group, 99);
}

static int (*main_of_program)(int, char**, char**);

static int counted_main(int argc, char** argv, char** environment) {
  read_settings();
  atexit(write_count);
  atomic_store(&is_armed, 1);
  return main_of_program(argc, argv, environment);
}

typedef int (*StartMain)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void),
                         void*);

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void* stack_end) {
  main_of_program = main;
  return ((StartMain)dlsym(RTLD_NEXT, "__libc_start_main"))(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

/* Memory ---------------------------------------------------------------------------------------------------------- */

void* malloc(size_t size) { return fails(kAlloc) ? NULL : __libc_malloc(size); }

void* calloc(size_t count, size_t size) { return fails(kAlloc) ? NULL : __libc_calloc(count, size); }

void* realloc(void* memory, size_t size) { return fails(kAlloc) ? NULL : __libc_realloc(memory, size); }

void* memalign(size_t alignment, size_t size) { return fails(kAlloc) ? NULL : __libc_memalign(alignment, size); }

void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void** memory, size_t alignment, size_t size) {
  if (fails(kAlloc)) return ENOMEM;
  void* const got = __libc_memalign(alignment, size);
  if (got == NULL) return ENOMEM;
  *memory = got;
  return 0;
}

/* Writing --------------------------------------------------------------------------------------------------------- */

/* How much of so many bytes is written before the call fails; -1: nothing, it fails now. Full disks write what fits and
 * fail the next time, so all calls after a short one fail. */
static ssize_t cut(size_t size) {
  if (!is_short || size < 2) return -1;
  is_short = 0;
  is_from = 1;
  return (ssize_t)(size / 2);
}

ssize_t write(int file, const void* bytes, size_t size) {
  if (file != STDERR_FILENO && fails(kWrite)) {
    const ssize_t part = cut(size);
    return part < 0 ? -1 : syscall(SYS_write, file, bytes, (size_t)part);
  }
  return syscall(SYS_write, file, bytes, size);
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  if (fails(kWrite)) {
    const ssize_t part = cut(size);
    return part < 0 ? -1 : syscall(SYS_pwrite64, file, bytes, (size_t)part, at);
  }
  return syscall(SYS_pwrite64, file, bytes, size, at);
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t at) { return pwrite(file, bytes, size, at); }

ssize_t writev(int file, const struct iovec* parts, int count) {
  if (file != STDERR_FILENO && fails(kWrite)) {
    const ssize_t part = count > 0 ? cut(parts[0].iov_len) : -1;
    return part < 0 ? -1 : syscall(SYS_write, file, parts[0].iov_base, (size_t)part);
  }
  return syscall(SYS_writev, file, parts, count);
}

typedef size_t (*Fwrite)(const void*, size_t, size_t, FILE*);

size_t fwrite(const void* bytes, size_t size, size_t count, FILE* stream) {
  static Fwrite next = NULL;
  if (next == NULL) next = (Fwrite)dlsym(RTLD_NEXT, "fwrite");
  if (stream == stderr || !fails(kWrite)) return next(bytes, size, count, stream);
  const int error = errno;
  const size_t written = is_short && count > 1 ? next(bytes, size, count / 2, stream) : 0;
  errno = error;
  return written;
}

/* Files ----------------------------------------------------------------------------------------------------------- */

int fsync(int file) { return fails(kSync) ? -1 : (int)syscall(SYS_fsync, file); }

int fdatasync(int file) { return fails(kSync) ? -1 : (int)syscall(SYS_fdatasync, file); }

static int opened(int folder, const char* path, int flags, mode_t mode) {
  if (fails(kOpen) || ((flags & O_CREAT) != 0 && fails(kCreate))) return -1;
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}

static mode_t mode_of(int flags, va_list rest) {
  return (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return opened(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return opened(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return opened(folder, path, flags, mode);
}

int openat64(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return opened(folder, path, flags | O_LARGEFILE, mode);
}

typedef FILE* (*Fopen)(const char*, const char*);

static FILE* opened_stream(const char* name, const char* path, const char* mode) {
  if (fails(kOpen) || (mode[0] != 'r' && fails(kCreate))) return NULL;
  return ((Fopen)dlsym(RTLD_NEXT, name))(path, mode);
}

FILE* fopen(const char* path, const char* mode) { return opened_stream("fopen", path, mode); }

FILE* fopen64(const char* path, const char* mode) { return opened_stream("fopen64", path, mode); }

int rename(const char* from, const char* to) {
  return fails(kRename) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int link(const char* from, const char* to) {
  return fails(kRename) ? -1 : (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlinkat(int folder, const char* path, int flags) {
  return fails(kUnlink) ? -1 : (int)syscall(SYS_unlinkat, folder, path, flags);
}

int unlink(const char* path) { return fails(kUnlink) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0); }
