// Typed doors for what Swift cannot call of libcurl (variadic functions and macros), and the name of the thread that
// drives it.
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>

// A multi handle. libcurl lets any thread hold it; while one thread drives it, the others may call
// curl_multi_wakeup and nothing else.
typedef struct __attribute__((swift_attr("@Sendable"))) tracker_curl_multi {
    CURLM *_Nonnull handle;
} tracker_curl_multi;

// Names the calling thread. At most 15 bytes count.
void tracker_name_thread(const char *_Nonnull name);

static inline CURLcode tracker_curl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

static inline CURLcode tracker_curl_set_long(CURL *_Nonnull easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode tracker_curl_set_offset(CURL *_Nonnull easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode tracker_curl_set_string(CURL *_Nonnull easy, CURLoption option, const char *_Nullable value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode tracker_curl_set_pointer(CURL *_Nonnull easy, CURLoption option, void *_Nullable value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode tracker_curl_set_list(
    CURL *_Nonnull easy, CURLoption option, struct curl_slist *_Nullable value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode tracker_curl_set_sink(
    CURL *_Nonnull easy, CURLoption option,
    size_t (*_Nonnull sink)(char *_Nullable, size_t, size_t, void *_Nullable)) {
    return curl_easy_setopt(easy, option, sink);
}

static inline CURLcode tracker_curl_set_opener(
    CURL *_Nonnull easy,
    curl_socket_t (*_Nonnull open)(void *_Nullable, curlsocktype, struct curl_sockaddr *_Nonnull)) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open);
}

static inline CURLcode tracker_curl_set_closer(
    CURL *_Nonnull easy, int (*_Nonnull close)(void *_Nullable, curl_socket_t)) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close);
}

// Keeps a slow name lookup from holding up the removal of a handle. Since libcurl 7.87; nothing before.
static inline CURLcode tracker_curl_set_quick_exit(CURL *_Nonnull easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
    return curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)easy;
    return CURLE_OK;
#endif
}

// HTTP and HTTPS alone, in the way that this libcurl knows.
static inline CURLcode tracker_curl_set_web_only(CURL *_Nonnull easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static inline CURLcode tracker_curl_get_long(CURL *_Nonnull easy, CURLINFO info, long *_Nonnull value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode tracker_curl_get_pointer(CURL *_Nonnull easy, CURLINFO info, void *_Nullable *_Nonnull value) {
    return curl_easy_getinfo(easy, info, value);
}

#endif
