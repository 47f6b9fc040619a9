// A batch of analytics events for zlib, as the client compresses it (level 1): copied into one body and given to deflate
// at once, or given to it piece by piece as the events lie in memory, without that copy.
//
//   gzip BATCHES
//
// Prints the processor time of each event in microseconds, as JSON, and fails if the two results differ.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <zlib.h>

enum { events = 100, room = 65536 };

static const char opening[] = "{\"batch\":[", closing[] = "]}";
static const char tail[] = ",\"writeKey\":\"0123456789ab\",\"sentAt\":\"2025-11-27T10:30:00.000Z\"}";
static char event[events][512];
static unsigned char body[room], whole[room], pieces[room];
static z_stream stream;

static double used(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void give(const void *bytes, size_t count, int flush) {
    stream.next_in = (unsigned char *)bytes;
    stream.avail_in = (unsigned)count;
    deflate(&stream, flush);
}

static void begin(unsigned char *output) {
    deflateReset(&stream);
    stream.next_out = output;
    stream.avail_out = room;
}

static size_t compress_whole(void) {
    unsigned char *end = body;
    const char *before = opening;
    for (int i = 0; i < events; i++, before = ",") {
        end = mempcpy(end, before, strlen(before));
        end = mempcpy(end, event[i], strlen(event[i]));
        end = mempcpy(end, tail, strlen(tail));
    }
    end = mempcpy(end, closing, strlen(closing));
    begin(whole);
    give(body, (size_t)(end - body), Z_FINISH);
    return stream.total_out;
}

static size_t compress_pieces(void) {
    begin(pieces);
    const char *before = opening;
    for (int i = 0; i < events; i++, before = ",") {
        give(before, strlen(before), Z_NO_FLUSH);
        give(event[i], strlen(event[i]), Z_NO_FLUSH);
        give(tail, strlen(tail), Z_NO_FLUSH);
    }
    give(closing, strlen(closing), Z_FINISH);
    return stream.total_out;
}

static double time_of(size_t (*compress)(void), int batches) {
    double before = used();
    for (int i = 0; i < batches; i++) compress();
    return (used() - before) * 1e6 / batches / events;
}

int main(int count, char **arguments) {
    int batches = count == 2 ? atoi(arguments[1]) : 0;
    if (batches < 1 || deflateInit2(&stream, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 1;
    for (int i = 0; i < events; i++) {
        snprintf(
            event[i], sizeof event[i],
            "{\"type\":\"track\",\"event\":\"Order Completed\",\"messageId\":\"%08lx-%08lx-%08lx\",\"properties\":{\"total\":"
            "%ld.99},\"timestamp\":\"2025-11-27T10:30:%02d.%03ldZ\",\"context\":{\"library\":{\"name\":\"mobile-tracker\"},"
            "\"os\":{\"name\":\"linux\"},\"locale\":\"en-US\",\"timezone\":\"UTC\"},\"anonymousId\":\"visitor-1\"",
            random(), random(), random(), random() % 1000, i % 60, random() % 1000);
    }
    size_t length = compress_whole();
    if (compress_pieces() != length || memcmp(whole, pieces, length) != 0) {
        fprintf(stderr, "gzip: the results differ\n");
        return 1;
    }
    printf("{\"whole\": %.3f, ", time_of(compress_whole, batches));
    printf("\"pieces\": %.3f}\n", time_of(compress_pieces, batches));
}
