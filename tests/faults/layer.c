/* A file layer that fails on demand. Preloaded, it stands between a process and the system, counts what is done to files
 * under one folder (write, sync, rename, link, unlink, truncate, mkdir, create), and lets the n-th of these fail, cut a
 * write short, or kill the process. Everything else passes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WATCH, BROKEN_ONCE, FULL, BROKEN, SHORT, DIES, DIES_HALFWAY };
enum { PASS, REFUSE, CUT };

#define MAX_TRACE 65536

static char root[PATH_MAX];
static size_t root_length;
static int armed, kind;
static long at, count;
static char *trace[MAX_TRACE];
static const char *source; /* what is renamed or linked, for the trace */

void faults_arm(const char *folder, long n, int what) {
    snprintf(root, sizeof root, "%s", folder);
    root_length = strlen(root);
    at = n;
    kind = what;
    count = 0;
    armed = 1;
}

void faults_disarm(void) { armed = 0; }

long faults_count(void) { return count; }

const char *faults_trace(long n) { return n < count && n < MAX_TRACE ? trace[n] : ""; }

static int inside(const char *path) {
    return !strncmp(path, root, root_length) && (path[root_length] == '/' || !path[root_length]);
}

static int path_of(int folder, const char *path, char *found) {
    char link[64];
    ssize_t length;
    if (path && path[0] == '/') {
        snprintf(found, PATH_MAX, "%s", path);
        return 1;
    }
    if (folder == AT_FDCWD) {
        if (!getcwd(found, PATH_MAX)) return 0;
        length = strlen(found);
    } else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        length = readlink(link, found, PATH_MAX - 1);
        if (length < 0) return 0;
        found[length] = 0;
    }
    if (path) snprintf(found + length, PATH_MAX - length, "/%s", path);
    return 1;
}

/* What is to happen to the next operation: needs says whether it takes space on the disk. */
static int next(const char *operation, int folder, const char *path, int needs) {
    char found[PATH_MAX], line[2 * PATH_MAX + 32];
    int saved = errno, result = PASS;
    if (!armed || !path_of(folder, path, found) || !inside(found)) {
        errno = saved;
        return PASS;
    }
    if (count < MAX_TRACE) {
        snprintf(line, sizeof line, "%s %s", operation, found + root_length);
        if (source && path_of(AT_FDCWD, source, found)) {
            strncat(line, " of ", sizeof line - strlen(line) - 1);
            strncat(line, inside(found) ? found + root_length : found, sizeof line - strlen(line) - 1);
        }
        trace[count] = strdup(line);
    }
    errno = saved;
    if (count == at || (count > at && at >= 0)) {
        int first = count == at;
        switch (kind) {
        case BROKEN_ONCE:
            if (first) { errno = EIO; result = REFUSE; }
            break;
        case FULL:
            if (needs) { errno = ENOSPC; result = REFUSE; }
            break;
        case BROKEN:
            errno = EIO;
            result = REFUSE;
            break;
        case SHORT:
            if (first && !strcmp(operation, "write")) result = CUT;
            else if (needs) { errno = ENOSPC; result = REFUSE; }
            break;
        case DIES:
            if (first) kill(getpid(), SIGKILL);
            break;
        case DIES_HALFWAY:
            if (first && !strcmp(operation, "write")) result = CUT;
            else kill(getpid(), SIGKILL);
            break;
        }
    }
    count++;
    return result;
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define GUARD(operation, folder, path, needs) \
    if (next(operation, folder, path, needs) == REFUSE) return -1
#define GUARD_OF(operation, from, folder, path, needs) \
    source = from;                                     \
    int then = next(operation, folder, path, needs);   \
    source = NULL;                                     \
    if (then == REFUSE) return -1

ssize_t write(int file, const void *data, size_t size) {
    REAL(write);
    int then = next("write", file, NULL, 1);
    if (then == REFUSE) return -1;
    return real(file, data, then == CUT && size > 1 ? size / 2 : size);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t offset) {
    REAL(pwrite);
    int then = next("write", file, NULL, 1);
    if (then == REFUSE) return -1;
    return real(file, data, then == CUT && size > 1 ? size / 2 : size, offset);
}

ssize_t pwrite64(int file, const void *data, size_t size, off64_t offset) {
    REAL(pwrite64);
    int then = next("write", file, NULL, 1);
    if (then == REFUSE) return -1;
    return real(file, data, then == CUT && size > 1 ? size / 2 : size, offset);
}

ssize_t writev(int file, const struct iovec *pieces, int n) {
    REAL(writev);
    int then = next("write", file, NULL, 1);
    if (then == REFUSE) return -1;
    return real(file, pieces, then == CUT && n > 1 ? n / 2 : n);
}

int fsync(int file) { REAL(fsync); GUARD("sync", file, NULL, 1); return real(file); }
int fdatasync(int file) { REAL(fdatasync); GUARD("sync", file, NULL, 1); return real(file); }
int ftruncate(int file, off_t length) { REAL(ftruncate); GUARD("truncate", file, NULL, 0); return real(file, length); }
int ftruncate64(int file, off64_t length) { REAL(ftruncate64); GUARD("truncate", file, NULL, 0); return real(file, length); }
int unlink(const char *path) { REAL(unlink); GUARD("unlink", AT_FDCWD, path, 0); return real(path); }
int rmdir(const char *path) { REAL(rmdir); GUARD("unlink", AT_FDCWD, path, 0); return real(path); }
int mkdir(const char *path, mode_t mode) { REAL(mkdir); GUARD("mkdir", AT_FDCWD, path, 1); return real(path, mode); }
int rename(const char *from, const char *to) { REAL(rename); GUARD_OF("rename", from, AT_FDCWD, to, 0); return real(from, to); }
int link(const char *from, const char *to) { REAL(link); GUARD_OF("link", from, AT_FDCWD, to, 1); return real(from, to); }

int unlinkat(int folder, const char *path, int flags) {
    REAL(unlinkat);
    GUARD("unlink", folder, path, 0);
    return real(folder, path, flags);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    REAL(renameat);
    GUARD_OF("rename", from, to_folder, to, 0);
    return real(from_folder, from, to_folder, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    REAL(linkat);
    GUARD_OF("link", from, to_folder, to, 1);
    return real(from_folder, from, to_folder, to, flags);
}

int mkdirat(int folder, const char *path, mode_t mode) {
    REAL(mkdirat);
    GUARD("mkdir", folder, path, 1);
    return real(folder, path, mode);
}

#define OPEN(name, AT, PARAMETERS, ...)                                        \
    int name(PARAMETERS, int flags, ...) {                                     \
        REAL(name);                                                            \
        mode_t mode = 0;                                                       \
        if (flags & (O_CREAT | O_TMPFILE)) {                                   \
            va_list rest;                                                      \
            va_start(rest, flags);                                             \
            mode = va_arg(rest, mode_t);                                       \
            va_end(rest);                                                      \
        }                                                                      \
        if ((flags & O_CREAT) && next("create", AT, path, 1) == REFUSE) return -1; \
        return real(__VA_ARGS__, flags, mode);                                 \
    }
#define COMMA ,

OPEN(open, AT_FDCWD, const char *path, path)
OPEN(open64, AT_FDCWD, const char *path, path)
OPEN(openat, folder, int folder COMMA const char *path, folder, path)
OPEN(openat64, folder, int folder COMMA const char *path, folder, path)
