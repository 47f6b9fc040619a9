// The caller's end of a pipe to a program that answers a line with a line, and such a program that does nothing else.
//
//   calls echo                   writes back what it reads
//   calls burst COUNT FILE       writes FILE's first line COUNT times, then its other lines, and reads as many answers
//   calls each COUNT FILE        writes the line, waits for its answer, and writes the next
//   calls spawn COUNT FILE CMD…  starts CMD, writes the line, waits for an answer, and kills it; COUNT times
//
// `burst` and `each` write to the descriptor 1 and read from 0, and print the seconds to standard error, as JSON; `spawn`
// prints the middle of its times to standard output.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 1 << 18 };
static char room[ROOM];

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void write_all(int to, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(to, bytes, count);
        if (written <= 0) fail("calls: write");
        bytes += written;
        count -= (size_t)written;
    }
}

/// Reads some lines, of which the last may go on.
static long read_lines(int from) {
    ssize_t count = read(from, room, ROOM);
    if (count <= 0) fail("calls: the program has ended");
    long lines = 0;
    for (char *at = room; (at = memchr(at, '\n', (size_t)(room + count - at))); at++) lines++;
    return lines;
}

static void echo(void) {
    for (ssize_t count; (count = read(0, room, ROOM)) > 0;) write_all(1, room, (size_t)count);
}

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "r");
    if (!file) fail(path);
    char *text = malloc(1 << 20);
    *size = fread(text, 1, 1 << 20, file);
    fclose(file);
    return text;
}

/// Writes as long as there is room and reads as long as there is something, so that neither end waits for the other.
static double burst(long count, const char *text, size_t size) {
    const char *end = memchr(text, '\n', size);
    size_t line = (size_t)(end - text) + 1;
    long expected = count;
    for (const char *at = end + 1; at < text + size; at++) expected += *at == '\n';
    size_t whole = line * (size_t)count + (size - line), written = 0;
    char *all = malloc(whole);
    for (long i = 0; i < count; i++) memcpy(all + (size_t)i * line, text, line);
    memcpy(all + (size_t)count * line, text + line, size - line);
    fcntl(1, F_SETFL, O_NONBLOCK);
    double begin = now();
    while (expected > 0) {
        struct pollfd ends[2] = { { .fd = 0, .events = POLLIN }, { .fd = written < whole ? 1 : -1, .events = POLLOUT } };
        if (poll(ends, 2, -1) < 0) fail("calls: poll");
        if (ends[1].revents) {
            ssize_t taken = write(1, all + written, whole - written < ROOM ? whole - written : ROOM);
            if (taken > 0) written += (size_t)taken;
        }
        if (ends[0].revents) expected -= read_lines(0);
    }
    double seconds = now() - begin;
    fcntl(1, F_SETFL, 0);
    return seconds;
}

static double each(long count, const char *line, size_t size) {
    double begin = now();
    for (long i = 0; i < count; i++) {
        write_all(1, line, size);
        while (read_lines(0) == 0) {}
    }
    return now() - begin;
}

static double spawned(const char *line, size_t size, char **command) {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC)) fail("calls: pipe");
    double begin = now();
    pid_t child = vfork();
    if (child == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        execv(command[0], command);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    write_all(to[1], line, size);
    while (read_lines(from[0]) == 0) {}
    double seconds = now() - begin;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(to[1]);
    close(from[0]);
    return seconds;
}

static int ascending(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return (difference > 0) - (difference < 0);
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "echo")) {
        echo();
        return 0;
    }
    if (argc < 4) {
        fprintf(stderr, "usage: calls echo|burst COUNT FILE|each COUNT FILE|spawn COUNT FILE CMD…\n");
        return 64;
    }
    long count = atol(argv[2]);
    size_t size;
    char *text = read_file(argv[3], &size);
    double seconds;
    if (!strcmp(argv[1], "burst")) seconds = burst(count, text, size);
    else if (!strcmp(argv[1], "each")) seconds = each(count, text, size);
    else {
        double *times = calloc((size_t)count, sizeof *times);
        for (long i = 0; i < count; i++) times[i] = spawned(text, size, argv + 4);
        qsort(times, (size_t)count, sizeof *times, ascending);
        seconds = times[count / 2];
    }
    fprintf(strcmp(argv[1], "spawn") ? stderr : stdout, "{\"seconds\":%.6f}\n", seconds);
}
