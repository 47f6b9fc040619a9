// A backend that does as little as a backend can: it reads HTTP/1.1 requests and answers each with 200 at once.
//
//   server
//
// Prints its port, and ends with its standard input. A session gets an id. Bodies are counted and
// thrown away; gzip is never inflated. What the driver asks of it:
//
//   POST /stall          leave events unanswered from now on; sessions are answered
//   POST /flow           answer those, and all that follow
//   GET /wait?requests=N answer once N events have come since the last /clear, with the counts
//   POST /clear          begin counting anew
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct connection {
    int socket;
    char *bytes;
    size_t count, room;
    // Whether a request waits for its answer.
    int is_owed;
    struct connection *next;
};

/// What some of the other trackers want to read; the product reads nothing of it.
#define TAKEN "{\"status\":1}"

static int poller;
static int is_stalled;
static struct connection *all;
static struct connection *waiter;
static long waited_for;
static long requests, body_bytes;
static double first_at, last_at;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void answer(struct connection *to, const char *body) {
    char text[512];
    int length = snprintf(text, sizeof text,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s", strlen(body), body);
    // An answer is far smaller than a socket's buffer.
    if (send(to->socket, text, (size_t)length, MSG_NOSIGNAL) != length) shutdown(to->socket, SHUT_RDWR);
}

static void answer_waiter(void) {
    char text[256];
    snprintf(text, sizeof text, "{\"requests\":%ld,\"bytes\":%ld,\"first\":%.9f,\"last\":%.9f}", requests, body_bytes,
        first_at, last_at);
    answer(waiter, text);
    waiter = NULL;
}

static void take_event(struct connection *from, size_t length) {
    last_at = now();
    if (requests++ == 0) first_at = last_at;
    body_bytes += (long)length;
    if (is_stalled) from->is_owed = 1;
    else answer(from, TAKEN);
    if (waiter && requests >= waited_for) answer_waiter();
}

static void flow(void) {
    is_stalled = 0;
    for (struct connection *each = all; each; each = each->next) {
        if (!each->is_owed) continue;
        each->is_owed = 0;
        answer(each, TAKEN);
    }
}

static void take(struct connection *from, const char *line, size_t length) {
    const char *path = strchr(line, ' ');
    path = path ? path + 1 : "";
    if (!strncmp(path, "/v2/tracking-session ", 21)) answer(from, "{\"data\":{\"id\":\"session-1\"}}");
    else if (!strncmp(path, "/wait?requests=", 15)) {
        waiter = from;
        waited_for = atol(path + 15);
        if (requests >= waited_for) answer_waiter();
    } else if (!strncmp(path, "/stall ", 7)) { is_stalled = 1; answer(from, "{}"); }
    else if (!strncmp(path, "/flow ", 6)) { flow(); answer(from, "{}"); }
    else if (!strncmp(path, "/clear ", 7)) { requests = body_bytes = 0; first_at = last_at = 0; answer(from, "{}"); }
    else take_event(from, length);
}

/// The number after a header's name, or -1.
static long header(const char *head, const char *name) {
    size_t length = strlen(name);
    for (const char *line = strstr(head, "\r\n"); line && line[2] != '\r'; line = strstr(line + 2, "\r\n"))
        if (!strncasecmp(line + 2, name, length)) return atol(line + 2 + length);
    return -1;
}

/// Takes every whole request out of what has been read.
static void take_all(struct connection *from) {
    size_t begin = 0;
    while (begin < from->count) {
        char *head = from->bytes + begin;
        char *end = memmem(head, from->count - begin, "\r\n\r\n", 4);
        if (!end) break;
        end[2] = 0;
        long length = header(head, "content-length:");
        int expects = header(head, "expect:") >= 0;
        end[2] = '\r';
        if (length < 0) length = 0;
        size_t whole = (size_t)(end - head) + 4 + (size_t)length;
        if (from->count - begin < whole) {
            // Once: the head is looked at again with each piece of the body.
            if (expects && from->count - begin == whole - (size_t)length)
                send(from->socket, "HTTP/1.1 100 Continue\r\n\r\n", 25, MSG_NOSIGNAL);
            if (from->room < whole + 1) {
                from->room = whole + 1;
                memmove(from->bytes, head, from->count - begin);
                from->count -= begin;
                begin = 0;
                from->bytes = realloc(from->bytes, from->room);
            }
            break;
        }
        take(from, head, (size_t)length);
        begin += whole;
    }
    memmove(from->bytes, from->bytes + begin, from->count - begin);
    from->count -= begin;
}

static void forget(struct connection *gone) {
    struct connection **at = &all;
    while (*at != gone) at = &(*at)->next;
    *at = gone->next;
    if (waiter == gone) waiter = NULL;
    close(gone->socket);
    free(gone->bytes);
    free(gone);
}

static void read_from(struct connection *from) {
    if (from->count + 1 >= from->room) from->bytes = realloc(from->bytes, from->room = from->room * 2 + 65536);
    ssize_t count = read(from->socket, from->bytes + from->count, from->room - from->count - 1);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) { forget(from); return; }
    from->count += (size_t)count;
    from->bytes[from->count] = 0;
    take_all(from);
}

static void watch(int descriptor, void *mark) {
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = mark };
    epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event);
}

static void welcome(int listener) {
    int one = 1, taken = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (taken < 0) return;
    setsockopt(taken, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct connection *connection = calloc(1, sizeof *connection);
    connection->socket = taken;
    connection->next = all;
    all = connection;
    watch(taken, connection);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 512)
        || getsockname(listener, (struct sockaddr *)&address, &size)) {
        perror("server");
        return 1;
    }
    poller = epoll_create1(EPOLL_CLOEXEC);
    watch(listener, &listener);
    watch(STDIN_FILENO, &poller);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        struct epoll_event events[64];
        int count = epoll_wait(poller, events, 64, -1);
        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr == &listener) welcome(listener);
            else if (events[i].data.ptr == &poller) return 0;
            else read_from(events[i].data.ptr);
        }
    }
}
