// A typed door to the C library's allocator for what Swift cannot call, and nothing else.
#ifndef CALLOCATOR_H
#define CALLOCATOR_H

#include <stdlib.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

// Has all threads share one arena. glibc gives each thread one of its own, up to eight a core, and a block that one
// thread frees serves no other: after bursts of calls most of a host's memory lay free in such arenas.
static inline void tracker_share_arena(void) {
#if defined(__GLIBC__)
    mallopt(M_ARENA_MAX, 1);
#endif
}

#endif
