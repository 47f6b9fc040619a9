#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "CCurl.h"

#ifdef __APPLE__
#define LIBRARY "/usr/lib/libcurl.4.dylib"
#else
#define LIBRARY "libcurl.so.4"
#endif

tracker_curl_functions tracker_curl;

const char *tracker_curl_load(void) {
    static char reason[256];
    void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!library) {
        snprintf(reason, sizeof reason, "%s", dlerror());
        return reason;
    }
    tracker_curl_functions found;
    const char *missing = NULL;
#define FIND(name) \
    if (!(found.name = (__typeof__(found.name))dlsym(library, "curl_" #name))) missing = "curl_" #name;
    TRACKER_CURL_FUNCTIONS(FIND)
#undef FIND
    const curl_version_info_data *version = found.version_info ? found.version_info(CURLVERSION_NOW) : NULL;
    if (version && version->version_num < 0x074a00)
        snprintf(reason, sizeof reason, "it is of version %s", version->version);
    else if (missing)
        snprintf(reason, sizeof reason, "%s lacks %s", LIBRARY, missing);
    else {
        // It stays loaded: its threads and exit handlers outlive every use.
        tracker_curl = found;
        return NULL;
    }
    dlclose(library);
    return reason;
}

void tracker_name_thread(const char *name) {
#ifdef __APPLE__
    pthread_setname_np(name);
#else
    pthread_setname_np(pthread_self(), name);
#endif
}
