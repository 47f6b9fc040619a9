// A library to preload: it numbers the calls of a program that can fail, and makes chosen ones fail.
//
// A call is known by its kind and its place: the file within the state folder, or for sockets, threads and memory the
// library that calls. Each such name has a count of its own, so a call has the same number in every run, whatever other
// threads do meanwhile. FAULTS_ROOT is the state folder, FAULTS_PAGE a file that explorer.py shares with this library:
// what is to fail, whether calls are counted now, and how often each name was called. FAULTS_SPARED is a library whose
// own calls are left alone.
//
// With FAULTS_SERVER, a descriptor of a socket, the process that is started runs no program: once all libraries are
// loaded, it forks at each request a process that goes on to `main`. Loading is half of a short life. No library may have
// been initialized by then: Swift's runtime would have kept the number of the server's thread, and wait for ever for what
// two threads of a forked process want at once. So this one is linked to be initialized first, before even libc has its
// environment.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

// The kinds. explorer.py has the same list, in this order.
enum kind {
    OPEN, OPEN_WRITE, CREATE, OPENDIR, READDIR, READ, PREAD, WRITE, PWRITE, FSYNC, FDATASYNC, FTRUNCATE, RENAME, UNLINK,
    MKDIR, STAT, FLOCK, LOCK, MMAP, SOCKET, PIPE, EVENTFD, EPOLL, TIMERFD, THREAD, MALLOC, KINDS
};

static const char *const kinds[KINDS] = {
    "open", "open-write", "create", "opendir", "readdir", "read", "pread", "write", "pwrite", "fsync", "fdatasync",
    "ftruncate", "rename", "unlink", "mkdir", "stat", "flock", "lock", "mmap", "socket", "pipe", "eventfd", "epoll",
    "timerfd", "thread", "malloc"
};

enum { IDLE, ARMED };  // whether calls are counted, and fail
enum { NAMES = 512, NAME = 120, PLANS = 2, TRACE = 8192, DESCRIPTORS = 4096 };

struct plan {
    char name[NAME];     // what begins to fail
    uint32_t number;     // with which call of that name
    int32_t error;       // how, or -1: the process is killed
    uint32_t mask;       // the kinds that go on failing
    uint32_t count;      // how many calls fail in all; 0: every one, until the page is idle
};

// Shared with explorer.py, which knows where each member is.
struct page {
    _Atomic uint32_t state, begun, seen, names, traced;
    uint32_t plans;
    struct plan plan[PLANS];
    struct { char name[NAME]; uint32_t count; } name[NAMES];
    uint16_t trace[TRACE];
};

static struct page *page;
static char root[PATH_MAX];
static size_t rootLength;
static atomic_flag busy = ATOMIC_FLAG_INIT;
static uint16_t places[DESCRIPTORS];  // of a descriptor: 1 + an entry of `placeNames`
static char placeNames[NAMES][NAME];
static _Atomic uint32_t placeCount;
static struct { uintptr_t from, to; const char *name; } libraries[16];
static int libraryCount;
static const char *spared = "";

static int noteLibrary(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size, (void)data;
    static const char *const known[][2] = {
        {"libsqlite3", "sqlite"}, {"libcurl", "curl"}, {"libdispatch", "dispatch"}, {"libswift", "swift"}
    };
    for (size_t i = 0; i < 4; i++)
        for (int j = 0; j < info->dlpi_phnum && strstr(info->dlpi_name, known[i][0]); j++)
            if (info->dlpi_phdr[j].p_type == PT_LOAD && info->dlpi_phdr[j].p_flags & PF_X && libraryCount < 16) {
                uintptr_t from = info->dlpi_addr + info->dlpi_phdr[j].p_vaddr;
                libraries[libraryCount].from = from;
                libraries[libraryCount].to = from + info->dlpi_phdr[j].p_memsz;
                libraries[libraryCount++].name = known[i][1];
            }
    return 0;
}

// What world.py asks for: a new process, which is given descriptors 0 to 2, or how one has ended.
struct request { int32_t process, isFaulty; };

// Returns in each process that it has forked.
static void serve(int channel) {
    // The host would load it by itself, in each of its lives.
    if (!dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL)) _exit(1);
    for (;;) {
        struct request request;
        struct iovec part = {&request, sizeof request};
        union { struct cmsghdr header; char bytes[CMSG_SPACE(3 * sizeof(int))]; } control;
        struct msghdr message = {
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes
        };
        if (recvmsg(channel, &message, MSG_CMSG_CLOEXEC) != sizeof request) _exit(0);
        int32_t answer = -1;
        if (request.process) {
            waitpid(request.process, &answer, 0);
        } else {
            int given[3];
            memcpy(given, CMSG_DATA(&control.header), sizeof given);
            answer = fork();
            if (answer == 0) {
                for (int i = 0; i < 3; i++) dup2(given[i], i);
                if (!request.isFaulty) page = NULL;
            }
            for (int i = 0; i < 3; i++) close(given[i]);
            if (answer == 0) break;
        }
        if (write(channel, &answer, sizeof answer) != sizeof answer) _exit(1);
    }
    close(channel);
}

__attribute__((constructor)) static void start(int count, char **arguments, char **environment) {
    (void)count, (void)arguments;
    environ = environment;
    const char *path = getenv("FAULTS_PAGE"), *folder = getenv("FAULTS_ROOT"), *server = getenv("FAULTS_SERVER");
    if (!path || !folder) return;
    snprintf(root, sizeof root, "%s", folder);
    rootLength = strlen(root);
    if (getenv("FAULTS_SPARED")) spared = getenv("FAULTS_SPARED");
    int descriptor = open(path, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return;
    void *shared = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (shared != MAP_FAILED) page = shared;
    if (server) serve(atoi(server));
    dl_iterate_phdr(noteLibrary, NULL);
}

// Which library calls; "product" is the program itself.
static const char *callerName(void *address) {
    for (int i = 0; i < libraryCount; i++)
        if ((uintptr_t)address >= libraries[i].from && (uintptr_t)address < libraries[i].to) return libraries[i].name;
    return "product";
}

static void acquire(void) { while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) ; }
static void release(void) { atomic_flag_clear_explicit(&busy, memory_order_release); }

// Counts a call, and says whether it fails: 0, or the error.
static int fails(enum kind kind, const char *place) {
    if (!page || !place || strcmp(place, spared) == 0) return 0;
    page->seen++;
    if (page->state != ARMED) return 0;
    char name[NAME];
    snprintf(name, sizeof name, "%s:%s", kinds[kind], place);
    acquire();
    uint32_t index = 0;
    while (index < page->names && strcmp(page->name[index].name, name) != 0) index++;
    if (index == page->names && index < NAMES) strcpy(page->name[page->names++].name, name);
    if (index == NAMES) { release(); return 0; }
    uint32_t number = ++page->name[index].count;
    if (page->traced < TRACE) page->trace[page->traced++] = (uint16_t)index;
    int error = 0;
    // The second plan begins when the first one has.
    for (uint32_t i = 0; i <= page->begun && i < page->plans; i++) {
        struct plan *plan = &page->plan[i];
        static uint32_t spent[PLANS];
        int begins = i == page->begun && number == plan->number && strcmp(plan->name, name) == 0;
        int goesOn = i < page->begun && plan->mask & 1u << kind && (plan->count == 0 || spent[i] < plan->count);
        if (!begins && !goesOn) continue;
        if (begins) page->begun++;
        spent[i]++;
        if (plan->error < 0) { kill(getpid(), SIGKILL); pause(); }
        error = plan->error;
        break;
    }
    release();
    return error;
}

// The place of a path: what follows the state folder. NULL for what lies elsewhere.
static const char *placeOf(int folder, const char *path, char *buffer) {
    if (!page || !path) return NULL;
    if (path[0] == '/') {
        if (strcmp(path, "/proc/sys/kernel/random/boot_id") == 0) return "boot_id";
        if (strncmp(path, root, rootLength) != 0 || (path[rootLength] != '/' && path[rootLength])) return NULL;
        path += rootLength;
        while (*path == '/') path++;
        return *path ? path : ".";
    }
    if (folder < 0 || folder >= DESCRIPTORS || !places[folder]) return NULL;
    const char *above = placeNames[places[folder] - 1];
    snprintf(buffer, NAME, "%s%s%s", strcmp(above, ".") ? above : "", strcmp(above, ".") ? "/" : "", path);
    return buffer;
}

static const char *placeOfDescriptor(int descriptor) {
    if (descriptor < 0 || descriptor >= DESCRIPTORS || !places[descriptor]) return NULL;
    return placeNames[places[descriptor] - 1];
}

static void setPlace(int descriptor, const char *place) {
    if (descriptor < 0 || descriptor >= DESCRIPTORS) return;
    acquire();
    uint32_t index = 0;
    places[descriptor] = 0;
    while (place && index < placeCount && strcmp(placeNames[index], place) != 0) index++;
    if (place && index < NAMES) {
        if (index == placeCount) snprintf(placeNames[placeCount++], NAME, "%s", place);
        places[descriptor] = (uint16_t)(index + 1);
    }
    release();
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

#define FAIL(kind, place, value) \
    do { int error_ = fails(kind, place); if (error_) { errno = error_; return value; } } while (0)

static int opens(int folder, const char *path, int flags, mode_t mode) {
    REAL(int, openat64, int, const char *, int, ...);
    char buffer[NAME];
    const char *place = placeOf(folder, path, buffer);
    enum kind kind = flags & (O_WRONLY | O_RDWR) ? OPEN_WRITE : OPEN;
    int before = errno;
    if (place && flags & O_CREAT && faccessat(folder, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0) kind = CREATE;
    errno = before;
    FAIL(kind, place, -1);
    int descriptor = real(folder, path, flags, mode);
    setPlace(descriptor, place);
    return descriptor;
}

#define MODE(flags) \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { va_list list; va_start(list, flags); mode = va_arg(list, mode_t); va_end(list); }

int open(const char *path, int flags, ...) { MODE(flags) return opens(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return opens(AT_FDCWD, path, flags | O_LARGEFILE, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE(flags) return opens(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE(flags) return opens(folder, path, flags, mode); }

int close(int descriptor) {
    REAL(int, close, int);
    setPlace(descriptor, NULL);
    return real(descriptor);
}

DIR *opendir(const char *path) {
    REAL(DIR *, opendir, const char *);
    char buffer[NAME];
    const char *place = placeOf(AT_FDCWD, path, buffer);
    FAIL(OPENDIR, place, NULL);
    DIR *stream = real(path);
    if (stream) setPlace(dirfd(stream), place);
    return stream;
}

DIR *fdopendir(int descriptor) {
    REAL(DIR *, fdopendir, int);
    FAIL(OPENDIR, placeOfDescriptor(descriptor), NULL);
    return real(descriptor);
}

int closedir(DIR *stream) {
    REAL(int, closedir, DIR *);
    setPlace(dirfd(stream), NULL);
    return real(stream);
}

#define CALL(kind, place, failed, type, name, parameters, ...) \
    type name parameters { \
        static type (*real) parameters; \
        char buffer[NAME]; \
        (void)buffer; \
        if (!real) real = (type (*) parameters)dlsym(RTLD_NEXT, #name); \
        FAIL(kind, place, failed); \
        return real(__VA_ARGS__); \
    }

#define OF(descriptor) placeOfDescriptor(descriptor)
#define AT(folder, path) placeOf(folder, path, buffer)
#define PATH(path) placeOf(AT_FDCWD, path, buffer)
#define CALLER callerName(__builtin_return_address(0))

CALL(READDIR, OF(dirfd(d)), NULL, struct dirent *, readdir, (DIR *d), d)
CALL(READDIR, OF(dirfd(d)), NULL, struct dirent64 *, readdir64, (DIR *d), d)
CALL(READ, OF(f), -1, ssize_t, read, (int f, void *b, size_t n), f, b, n)
CALL(PREAD, OF(f), -1, ssize_t, pread, (int f, void *b, size_t n, off_t o), f, b, n, o)
CALL(PREAD, OF(f), -1, ssize_t, pread64, (int f, void *b, size_t n, off64_t o), f, b, n, o)
CALL(WRITE, OF(f), -1, ssize_t, write, (int f, const void *b, size_t n), f, b, n)
CALL(PWRITE, OF(f), -1, ssize_t, pwrite, (int f, const void *b, size_t n, off_t o), f, b, n, o)
CALL(PWRITE, OF(f), -1, ssize_t, pwrite64, (int f, const void *b, size_t n, off64_t o), f, b, n, o)
CALL(FSYNC, OF(f), -1, int, fsync, (int f), f)
CALL(FDATASYNC, OF(f), -1, int, fdatasync, (int f), f)
CALL(FTRUNCATE, OF(f), -1, int, ftruncate, (int f, off_t n), f, n)
CALL(FTRUNCATE, OF(f), -1, int, ftruncate64, (int f, off64_t n), f, n)
CALL(RENAME, PATH(a), -1, int, rename, (const char *a, const char *b), a, b)
CALL(RENAME, AT(x, a), -1, int, renameat, (int x, const char *a, int y, const char *b), x, a, y, b)
CALL(UNLINK, PATH(p), -1, int, unlink, (const char *p), p)
CALL(UNLINK, AT(x, p), -1, int, unlinkat, (int x, const char *p, int f), x, p, f)
CALL(UNLINK, PATH(p), -1, int, rmdir, (const char *p), p)
CALL(MKDIR, PATH(p), -1, int, mkdir, (const char *p, mode_t m), p, m)
CALL(MKDIR, AT(x, p), -1, int, mkdirat, (int x, const char *p, mode_t m), x, p, m)
CALL(STAT, PATH(p), -1, int, stat, (const char *p, struct stat *s), p, s)
CALL(STAT, PATH(p), -1, int, stat64, (const char *p, struct stat64 *s), p, s)
CALL(STAT, PATH(p), -1, int, lstat, (const char *p, struct stat *s), p, s)
CALL(STAT, PATH(p), -1, int, lstat64, (const char *p, struct stat64 *s), p, s)
CALL(STAT, OF(f), -1, int, fstat, (int f, struct stat *s), f, s)
CALL(STAT, OF(f), -1, int, fstat64, (int f, struct stat64 *s), f, s)
CALL(STAT, AT(x, p), -1, int, fstatat, (int x, const char *p, struct stat *s, int f), x, p, s, f)
CALL(STAT, AT(x, p), -1, int, fstatat64, (int x, const char *p, struct stat64 *s, int f), x, p, s, f)
CALL(STAT, PATH(p), -1, int, access, (const char *p, int m), p, m)
CALL(MMAP, OF(f), MAP_FAILED, void *, mmap, (void *a, size_t n, int p, int g, int f, off_t o), a, n, p, g, f, o)
CALL(MMAP, OF(f), MAP_FAILED, void *, mmap64, (void *a, size_t n, int p, int g, int f, off64_t o), a, n, p, g, f, o)
CALL(SOCKET, CALLER, -1, int, socket, (int d, int t, int p), d, t, p)
CALL(SOCKET, CALLER, -1, int, socketpair, (int d, int t, int p, int v[2]), d, t, p, v)
CALL(PIPE, CALLER, -1, int, pipe, (int v[2]), v)
CALL(PIPE, CALLER, -1, int, pipe2, (int v[2], int f), v, f)
CALL(EVENTFD, CALLER, -1, int, eventfd, (unsigned n, int f), n, f)
CALL(EPOLL, CALLER, -1, int, epoll_create1, (int f), f)
CALL(TIMERFD, CALLER, -1, int, timerfd_create, (clockid_t c, int f), c, f)

// A lock that is released cannot fail.
int flock(int descriptor, int operation) {
    REAL(int, flock, int, int);
    if (!(operation & LOCK_UN)) FAIL(FLOCK, OF(descriptor), -1);
    return real(descriptor, operation);
}

static int controls(int descriptor, int command, void *argument) {
    REAL(int, fcntl64, int, int, ...);
    int locks = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
    if (locks && ((struct flock *)argument)->l_type != F_UNLCK) FAIL(LOCK, OF(descriptor), -1);
    int result = real(descriptor, command, argument);
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) setPlace(result, OF(descriptor));
    return result;
}

#define ARGUMENT(last) va_list list; va_start(list, last); void *argument = va_arg(list, void *); va_end(list);

int fcntl(int descriptor, int command, ...) { ARGUMENT(command) return controls(descriptor, command, argument); }
int fcntl64(int descriptor, int command, ...) { ARGUMENT(command) return controls(descriptor, command, argument); }

struct start { void *(*run)(void *); void *context; };

static void *runNamed(void *context) {
    struct start start = *(struct start *)context;
    free(context);
    prctl(PR_SET_NAME, "product");
    return start.run(start.context);
}

// A thread begins with the name of the one that makes it, which may be any. The product's have a name of their own here.
int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *c) {
    REAL(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    const char *caller = CALLER;
    int error = fails(THREAD, caller);
    if (error) return error;
    struct start *start = strcmp(caller, "product") ? NULL : malloc(sizeof *start);
    if (!start) return real(t, a, run, c);
    *start = (struct start){run, c};
    if ((error = real(t, a, runNamed, start))) free(start);
    return error;
}

// Memory of Swift's own cannot be refused: its runtime ends the process then.
enum { LARGE = 4096 };
extern void *__libc_malloc(size_t), *__libc_realloc(void *, size_t);

static int refuses(size_t size, void *address) {
    if (size < LARGE || !page || page->state != ARMED) return 0;
    const char *name = callerName(address);
    return (!strcmp(name, "sqlite") || !strcmp(name, "curl")) && fails(MALLOC, name);
}

void *malloc(size_t size) {
    if (refuses(size, __builtin_return_address(0))) { errno = ENOMEM; return NULL; }
    return __libc_malloc(size);
}

void *realloc(void *block, size_t size) {
    if (refuses(size, __builtin_return_address(0))) { errno = ENOMEM; return NULL; }
    return __libc_realloc(block, size);
}
