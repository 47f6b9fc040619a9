// Typed doors to SQLite for what Swift cannot call, and nothing else.
#ifndef CSQLITE_H
#define CSQLITE_H

#include <sqlite3.h>

#endif
