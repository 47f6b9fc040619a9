#include "CSQLite.h"

#include <errno.h>
#include <pthread.h>

static sqlite3_vfs vfs;

// To SQLite a lock that the system cannot give (ENOLCK) is one that another process has. It would ask for it again and
// again, for up to ten seconds (wal.c, walTryBeginRead). Without the pauses between, it gives up at once.
static int pause_unless_hopeless(sqlite3_vfs *self, int microseconds) {
    (void)self;
    if (errno == ENOLCK) {
        errno = 0;
        return microseconds;
    }
    sqlite3_vfs *standard = sqlite3_vfs_find(NULL);
    return standard->xSleep(standard, microseconds);
}

// The methods of a file, with the standard ones that they stand for.
struct file_methods {
    sqlite3_io_methods methods;
    const sqlite3_io_methods *standard;
};

// The standard VFS has one table of methods for databases and others for the files beside them.
enum { TABLES = 8 };
static struct file_methods tables[TABLES];
static pthread_mutex_t tables_lock = PTHREAD_MUTEX_INITIALIZER;

// SQLite reports a read that the medium refuses (EIO) as SQLITE_CORRUPT: the VFS says SQLITE_IOERR_CORRUPTFS, and vdbe.c
// makes that of it. SQLITE_IOERR_VNODE, which is left to extensions, arrives as it is.
static int read_file(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
    const struct file_methods *table = (const struct file_methods *)file->pMethods;
    int code = table->standard->xRead(file, buffer, count, offset);
    return code == SQLITE_IOERR_CORRUPTFS ? SQLITE_IOERR_VNODE : code;
}

static const sqlite3_io_methods *methods_for(const sqlite3_io_methods *standard) {
    const sqlite3_io_methods *found = standard;
    pthread_mutex_lock(&tables_lock);
    for (int i = 0; i < TABLES; i++) {
        if (!tables[i].standard) {
            tables[i].methods = *standard;
            tables[i].methods.xRead = read_file;
            tables[i].standard = standard;
        }
        if (tables[i].standard == standard) {
            found = &tables[i].methods;
            break;
        }
    }
    pthread_mutex_unlock(&tables_lock);
    return found;
}

static int open_file(sqlite3_vfs *self, const char *name, sqlite3_file *file, int flags, int *opened_flags) {
    int code = sqlite3_vfs_find(NULL)->xOpen(self, name, file, flags, opened_flags);
    if (file->pMethods) file->pMethods = methods_for(file->pMethods);
    return code;
}

static void make_vfs(void) {
    const sqlite3_vfs *standard = sqlite3_vfs_find(NULL);
    if (!standard) return;
    vfs = *standard;
    vfs.zName = "tracker";
    vfs.xOpen = open_file;
    vfs.xSleep = pause_unless_hopeless;
    if (sqlite3_vfs_register(&vfs, 0) != SQLITE_OK) vfs.zName = NULL;
}

const char *tracker_sqlite_vfs(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_vfs);
    return vfs.zName;
}
