// Typed doors to zlib for what Swift cannot call (macros), and nothing else.
#ifndef CZLIB_H
#define CZLIB_H

#include <zlib.h>

// The largest window, written as gzip instead of zlib: 16 is what zlib adds for that.
#define TRACKER_GZIP_WINDOW (MAX_WBITS + 16)

static inline int tracker_gzip_deflate_init(z_stream *_Nonnull stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, TRACKER_GZIP_WINDOW, MAX_MEM_LEVEL - 1, Z_DEFAULT_STRATEGY);
}

static inline int tracker_gzip_inflate_init(z_stream *_Nonnull stream) {
    return inflateInit2(stream, TRACKER_GZIP_WINDOW);
}

#endif
