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

static void make_vfs(void) {
    const sqlite3_vfs *standard = sqlite3_vfs_find(NULL);
    if (!standard) return;
    vfs = *standard;
    vfs.zName = "tracker";
    vfs.xSleep = pause_unless_hopeless;
    if (sqlite3_vfs_register(&vfs, 0) != SQLITE_OK) vfs.zName = NULL;
}

const char *tracker_sqlite_vfs(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_vfs);
    return vfs.zName;
}
