// Typed doors to SQLite for what Swift cannot call, and nothing else.
#ifndef CSQLITE_H
#define CSQLITE_H

#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast that Swift does not see: SQLite copies the bytes.
static inline int tracker_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text ? text : "", length, SQLITE_TRANSIENT);
}

static inline int tracker_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    return sqlite3_bind_blob(statement, index, bytes ? bytes : "", length, SQLITE_TRANSIENT);
}

// SQLITE_STATIC: SQLite reads the bytes where they are, as long as the statement runs.
static inline int tracker_sqlite_lend_text(sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text ? text : "", length, SQLITE_STATIC);
}

static inline int tracker_sqlite_lend_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    return sqlite3_bind_blob(statement, index, bytes ? bytes : "", length, SQLITE_STATIC);
}

// The name of SQLite's way to files for our databases: the standard one, but it does not wait for locks that the system
// cannot give, and a read that the medium refuses is SQLITE_IOERR_VNODE. NULL, which stands for the standard one, if it cannot be made.
const char *tracker_sqlite_vfs(void);

#endif
