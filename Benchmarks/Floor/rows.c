// Bare SQLite, as the outbox sets it up: rows of BYTES inserted GROUP to a transaction, into a database of its own in
// FOLDER. And a bare JSON check: is each message valid, with one pass over its bytes.
//
//   rows sqlite FOLDER COUNT GROUP BYTES
//   rows json COUNT FILE
//
// Prints the seconds and the processor time in seconds, as JSON.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double used(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static double begun_at, used_before;

/// The clock starts once everything is set up.
static void start_clock(void) {
    begun_at = now();
    used_before = used();
}

static void run(sqlite3 *database, const char *sql) {
    char *message = NULL;
    if (sqlite3_exec(database, sql, NULL, NULL, &message) == SQLITE_OK) return;
    fprintf(stderr, "rows: %s\n", message);
    exit(1);
}

static void insert(const char *folder, int count, int group, int bytes) {
    char path[4096];
    snprintf(path, sizeof path, "%s/floor.sqlite", folder);
    sqlite3 *database;
    if (sqlite3_open(path, &database) != SQLITE_OK) exit(1);
    run(database, "PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
        "CREATE TABLE record(id INTEGER PRIMARY KEY, body TEXT NOT NULL)");
    sqlite3_stmt *begin, *add, *commit;
    sqlite3_prepare_v2(database, "BEGIN IMMEDIATE", -1, &begin, NULL);
    sqlite3_prepare_v2(database, "INSERT INTO record(body) VALUES(?)", -1, &add, NULL);
    sqlite3_prepare_v2(database, "COMMIT", -1, &commit, NULL);
    char *body = malloc((size_t)bytes);
    memset(body, 'x', (size_t)bytes);
    start_clock();
    for (int done = 0; done < count;) {
        sqlite3_step(begin), sqlite3_reset(begin);
        for (int i = 0; i < group && done < count; i++, done++) {
            sqlite3_bind_text(add, 1, body, bytes, SQLITE_STATIC);
            if (sqlite3_step(add) != SQLITE_DONE) exit(1);
            sqlite3_reset(add);
        }
        if (sqlite3_step(commit) != SQLITE_DONE) exit(1);
        sqlite3_reset(commit);
    }
}

static const char *value(const char *at, const char *end);

static const char *space(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) at++;
    return at;
}

static const char *string(const char *at, const char *end) {
    while (at < end && *at != '"') {
        if ((unsigned char)*at < 0x20) return NULL;
        at += *at == '\\' ? 2 : 1;
    }
    return at < end ? at + 1 : NULL;
}

static const char *members(const char *at, const char *end, char close) {
    at = space(at, end);
    if (at < end && *at == close) return at + 1;
    for (;;) {
        if (close == '}') {
            at = space(at, end);
            if (at >= end || *at != '"' || !(at = string(at + 1, end))) return NULL;
            at = space(at, end);
            if (at >= end || *at++ != ':') return NULL;
        }
        if (!(at = value(at, end))) return NULL;
        at = space(at, end);
        if (at >= end) return NULL;
        if (*at == close) return at + 1;
        if (*at++ != ',') return NULL;
    }
}

/// The end of a value, or nothing. Good enough for what the benchmark writes: numbers and words are not told apart.
static const char *value(const char *at, const char *end) {
    at = space(at, end);
    if (at >= end) return NULL;
    if (*at == '"') return string(at + 1, end);
    if (*at == '{' || *at == '[') return members(at + 1, end, *at == '{' ? '}' : ']');
    const char *begin = at;
    while (at < end && *at != ',' && *at != '}' && *at != ']' && *at != '\n') at++;
    return at > begin ? at : NULL;
}

static void scan(int count, const char *path) {
    static char text[1 << 16];
    FILE *file = fopen(path, "r");
    if (!file || !fgets(text, sizeof text, file)) exit(1);
    size_t length = strlen(text);
    start_clock();
    for (int i = 0; i < count; i++) {
        // Another text each time, so that the compiler checks each.
        text[length - 1] = i & 1 ? '\n' : ' ';
        if (!value(text, text + length)) exit(1);
    }
}

int main(int argc, char **argv) {
    if (argc == 6 && !strcmp(argv[1], "sqlite")) insert(argv[2], atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
    else if (argc == 4 && !strcmp(argv[1], "json")) scan(atoi(argv[2]), argv[3]);
    else {
        fprintf(stderr, "usage: rows sqlite FOLDER COUNT GROUP BYTES | rows json COUNT FILE\n");
        return 64;
    }
    printf("{\"seconds\":%.6f,\"cpu\":%.6f}\n", now() - begun_at, used() - used_before);
}
