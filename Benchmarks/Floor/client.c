// libcurl and nothing else: the least that a client of the product's kind can cost.
//
//   client URL COUNT BYTES single        one request after the other on one connection, a body of BYTES each
//   client URL COUNT BYTES multi N       N at once
//   client URL COUNT BYTES batch N       N events of BYTES in one request, gzip level 1, one request after the other
//   client echo                          writes back what it reads: what a program costs that libcurl is linked with
//
// Prints the seconds, the processor time in seconds and the bytes of the bodies as they went out, as JSON.
#include <curl/curl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <zlib.h>

static size_t ignore(char *bytes, size_t size, size_t count, void *to) {
    (void)bytes, (void)to;
    return size * count;
}

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

/// 128 bits that no other event has, as an id has them (SplitMix64, Steele et al., 2014).
static uint64_t random_bits(void) {
    static uint64_t state = 1;
    uint64_t mixed = state += 0x9E3779B97F4A7C15;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
}

/// An event of so many bytes, or some more if they are too few for what every event has.
static int event(char *to, int bytes, int number) {
    int head = sprintf(to, "{\"brand_id\":925,\"session_id\":\"session-1\",\"event_name\":\"PURCHASE\",\"data\":{\"messageId\":"
        "\"%016" PRIx64 "%016" PRIx64 "\",\"total\":%d.99,\"currency\":\"EUR\",\"text\":\"", random_bits(), random_bits(),
        number % 1000);
    int at = head;
    for (; at < bytes - 3; at++) to[at] = "checkout from the landing page of spring "[(at - head) % 41];
    return at + sprintf(to + at, "\"}}");
}

static CURL *handle(const char *url, struct curl_slist *headers) {
    CURL *easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, ignore);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    return easy;
}

static void give(CURL *easy, const char *body, long length) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, length);
}

static void check(CURL *easy, CURLcode code) {
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    if (code == CURLE_OK && status == 200) return;
    fprintf(stderr, "client: %s, status %ld\n", curl_easy_strerror(code), status);
    exit(1);
}

static long singly(const char *url, struct curl_slist *headers, int count, int bytes) {
    char *body = malloc((size_t)bytes + 512);
    CURL *easy = handle(url, headers);
    long sent = 0;
    for (int number = 0; number < count; number++) {
        int length = event(body, bytes, number);
        give(easy, body, length);
        check(easy, curl_easy_perform(easy));
        sent += length;
    }
    return sent;
}

static long at_once(const char *url, struct curl_slist *headers, int count, int bytes, int width) {
    CURLM *multi = curl_multi_init();
    int begun = 0, ended = 0;
    long sent = 0;
    while (begun < width && begun < count) {
        CURL *easy = handle(url, headers);
        char *body = malloc((size_t)bytes + 512);
        int length = event(body, bytes, begun++);
        sent += length;
        give(easy, body, length);
        curl_easy_setopt(easy, CURLOPT_PRIVATE, body);
        curl_multi_add_handle(multi, easy);
    }
    while (ended < count) {
        int running, left;
        curl_multi_perform(multi, &running);
        for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
            CURL *easy = message->easy_handle;
            check(easy, message->data.result);
            ended++;
            curl_multi_remove_handle(multi, easy);
            if (begun == count) continue;
            char *body;
            curl_easy_getinfo(easy, CURLINFO_PRIVATE, &body);
            int length = event(body, bytes, begun++);
            sent += length;
            give(easy, body, length);
            curl_multi_add_handle(multi, easy);
        }
        if (ended < count) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    return sent;
}

static long in_batches(const char *url, struct curl_slist *headers, int count, int bytes, int size) {
    size_t room = (size_t)size * ((size_t)bytes + 512) + 64;
    char *body = malloc(room), *packed = malloc(room);
    headers = curl_slist_append(headers, "Content-Encoding: gzip");
    CURL *easy = handle(url, headers);
    z_stream stream = { 0 };
    deflateInit2(&stream, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
    long sent = 0;
    for (int number = 0; number < count;) {
        int length = sprintf(body, "{\"batch\":[");
        for (int i = 0; i < size && number < count; i++) {
            if (i) body[length++] = ',';
            length += event(body + length, bytes, number++);
        }
        length += sprintf(body + length, "]}");
        deflateReset(&stream);
        stream.next_in = (Bytef *)body, stream.avail_in = (uInt)length;
        stream.next_out = (Bytef *)packed, stream.avail_out = (uInt)room;
        deflate(&stream, Z_FINISH);
        give(easy, packed, (long)stream.total_out);
        check(easy, curl_easy_perform(easy));
        sent += (long)stream.total_out;
    }
    return sent;
}

static int echo(void) {
    static char room[1 << 16];
    for (size_t count; fgets(room, sizeof room, stdin) && (count = strlen(room)) > 0;) {
        fwrite(room, 1, count, stdout);
        fflush(stdout);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "echo")) return echo();
    if (argc < 5 || (strcmp(argv[4], "single") && argc < 6)) {
        fprintf(stderr, "usage: client URL COUNT BYTES single|multi N|batch N, or client echo\n");
        return 64;
    }
    int count = atoi(argv[2]), bytes = atoi(argv[3]), size = argc > 5 ? atoi(argv[5]) : 1;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    struct curl_slist *headers = NULL;
    const char *fixed[] = { "Content-Type: application/json", "X-API-Key: key-12345678", "Expect:",
        "User-Agent: mobile-tracker/0.1.0 (linux)", "X-Sequence: 4711", "X-Occurred-At: 2025-11-27T10:30:00.000Z",
        "Idempotency-Key: 0192f1a4-77c1-7abc-8def-0123456789ab" };
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) headers = curl_slist_append(headers, fixed[i]);
    double begin = now(), before = used();
    long sent;
    if (!strcmp(argv[4], "batch")) sent = in_batches(argv[1], headers, count, bytes, size);
    else if (!strcmp(argv[4], "multi")) sent = at_once(argv[1], headers, count, bytes, size);
    else sent = singly(argv[1], headers, count, bytes);
    printf("{\"seconds\":%.6f,\"cpu\":%.6f,\"bytes\":%ld}\n", now() - begin, used() - before, sent);
}
