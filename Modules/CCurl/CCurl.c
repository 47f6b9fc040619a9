#define _GNU_SOURCE
#include <pthread.h>

#include "CCurl.h"

void tracker_name_thread(const char *name) {
#ifdef __APPLE__
    pthread_setname_np(name);
#else
    pthread_setname_np(pthread_self(), name);
#endif
}
