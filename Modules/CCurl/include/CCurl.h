// libcurl, loaded when it is first needed: typed doors to its functions, and the name of the thread that drives it.
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

// What is called of libcurl.
#define TRACKER_CURL_FUNCTIONS(each) \
    each(easy_cleanup) each(easy_getinfo) each(easy_init) each(easy_perform) each(easy_setopt) each(easy_strerror) \
    each(free) each(getdate) each(global_init) each(multi_add_handle) each(multi_cleanup) each(multi_info_read) \
    each(multi_init) each(multi_perform) each(multi_poll) each(multi_remove_handle) each(multi_wakeup) \
    each(slist_append) each(slist_free_all) each(url) each(url_cleanup) each(url_get) each(url_set) each(version_info)

#define TRACKER_CURL_MEMBER(name) __typeof__(&curl_##name) _Nonnull name;
typedef struct {
    TRACKER_CURL_FUNCTIONS(TRACKER_CURL_MEMBER)
} tracker_curl_functions;
#undef TRACKER_CURL_MEMBER

// Empty until tracker_curl_load() has returned NULL.
extern tracker_curl_functions tracker_curl;

// Loads libcurl, 7.74 or newer. One thread at a time may call it; once it has returned NULL, every thread may call the
// functions below. Otherwise it returns why not, valid until the next call, and may be called again.
const char *_Nullable tracker_curl_load(void);

static inline const char *_Nonnull tracker_curl_version(void) {
    return tracker_curl.version_info(CURLVERSION_NOW)->version;
}

static inline CURLcode tracker_curl_global_init(void) { return tracker_curl.global_init(CURL_GLOBAL_DEFAULT); }

static inline time_t tracker_curl_getdate(const char *_Nonnull text) { return tracker_curl.getdate(text, NULL); }

static inline CURL *_Nullable tracker_curl_easy_init(void) { return tracker_curl.easy_init(); }

static inline void tracker_curl_easy_cleanup(CURL *_Nonnull easy) { tracker_curl.easy_cleanup(easy); }

static inline CURLcode tracker_curl_easy_perform(CURL *_Nonnull easy) { return tracker_curl.easy_perform(easy); }

static inline const char *_Nonnull tracker_curl_easy_strerror(CURLcode code) { return tracker_curl.easy_strerror(code); }

static inline CURLM *_Nullable tracker_curl_multi_init(void) { return tracker_curl.multi_init(); }

static inline void tracker_curl_multi_cleanup(CURLM *_Nonnull multi) { tracker_curl.multi_cleanup(multi); }

static inline CURLMcode tracker_curl_multi_wakeup(CURLM *_Nonnull multi) { return tracker_curl.multi_wakeup(multi); }

static inline CURLMcode tracker_curl_multi_poll(CURLM *_Nonnull multi, int milliseconds) {
    return tracker_curl.multi_poll(multi, NULL, 0, milliseconds, NULL);
}

static inline CURLMcode tracker_curl_multi_perform(CURLM *_Nonnull multi, int *_Nonnull running) {
    return tracker_curl.multi_perform(multi, running);
}

static inline CURLMsg *_Nullable tracker_curl_multi_info_read(CURLM *_Nonnull multi, int *_Nonnull queued) {
    return tracker_curl.multi_info_read(multi, queued);
}

static inline CURLMcode tracker_curl_multi_add_handle(CURLM *_Nonnull multi, CURL *_Nonnull easy) {
    return tracker_curl.multi_add_handle(multi, easy);
}

static inline CURLMcode tracker_curl_multi_remove_handle(CURLM *_Nonnull multi, CURL *_Nonnull easy) {
    return tracker_curl.multi_remove_handle(multi, easy);
}

static inline struct curl_slist *_Nullable tracker_curl_slist_append(
    struct curl_slist *_Nullable list, const char *_Nonnull line) {
    return tracker_curl.slist_append(list, line);
}

static inline void tracker_curl_slist_free_all(struct curl_slist *_Nullable list) { tracker_curl.slist_free_all(list); }

static inline CURLU *_Nullable tracker_curl_url(void) { return tracker_curl.url(); }

static inline void tracker_curl_url_cleanup(CURLU *_Nonnull url) { tracker_curl.url_cleanup(url); }

static inline CURLUcode tracker_curl_url_set(
    CURLU *_Nonnull url, CURLUPart part, const char *_Nonnull text, unsigned int flags) {
    return tracker_curl.url_set(url, part, text, flags);
}

static inline CURLUcode tracker_curl_url_get(
    CURLU *_Nonnull url, CURLUPart part, char *_Nullable *_Nonnull text, unsigned int flags) {
    return tracker_curl.url_get(url, part, text, flags);
}

static inline void tracker_curl_free(void *_Nullable text) { tracker_curl.free(text); }

static inline CURLcode tracker_curl_set_long(CURL *_Nonnull easy, CURLoption option, long value) {
    return tracker_curl.easy_setopt(easy, option, value);
}

static inline CURLcode tracker_curl_set_offset(CURL *_Nonnull easy, CURLoption option, curl_off_t value) {
    return tracker_curl.easy_setopt(easy, option, value);
}

static inline CURLcode tracker_curl_set_string(CURL *_Nonnull easy, CURLoption option, const char *_Nullable value) {
    return tracker_curl.easy_setopt(easy, option, value);
}

static inline CURLcode tracker_curl_set_pointer(CURL *_Nonnull easy, CURLoption option, void *_Nullable value) {
    return tracker_curl.easy_setopt(easy, option, value);
}

static inline CURLcode tracker_curl_set_list(
    CURL *_Nonnull easy, CURLoption option, struct curl_slist *_Nullable value) {
    return tracker_curl.easy_setopt(easy, option, value);
}

static inline CURLcode tracker_curl_set_sink(
    CURL *_Nonnull easy, CURLoption option,
    size_t (*_Nonnull sink)(char *_Nullable, size_t, size_t, void *_Nullable)) {
    return tracker_curl.easy_setopt(easy, option, sink);
}

static inline CURLcode tracker_curl_set_opener(
    CURL *_Nonnull easy,
    curl_socket_t (*_Nonnull open)(void *_Nullable, curlsocktype, struct curl_sockaddr *_Nonnull)) {
    return tracker_curl.easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open);
}

static inline CURLcode tracker_curl_set_closer(
    CURL *_Nonnull easy, int (*_Nonnull close)(void *_Nullable, curl_socket_t)) {
    return tracker_curl.easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close);
}

static inline CURLcode tracker_curl_end(CURL *_Nullable easy, void *_Nullable tls, void *_Nullable context) {
    (void)easy, (void)tls, (void)context;
    return CURLE_ABORTED_BY_CALLBACK;
}

// Ends a transfer once its certificates are read, before a byte is sent. Not every libcurl can.
static inline CURLcode tracker_curl_set_end_before_tls(CURL *_Nonnull easy) {
    return tracker_curl.easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, tracker_curl_end);
}

// Keeps a slow name lookup from holding up the removal of a handle: CURLOPT_QUICK_EXIT, since libcurl 7.87; before that
// it does nothing. Options are named by number that the headers of the oldest libcurl do not have.
static inline CURLcode tracker_curl_set_quick_exit(CURL *_Nonnull easy) {
    CURLcode code = tracker_curl.easy_setopt(easy, (CURLoption)(CURLOPTTYPE_LONG + 322), 1L);
    return code == CURLE_UNKNOWN_OPTION ? CURLE_OK : code;
}

// HTTP and HTTPS alone: CURLOPT_PROTOCOLS_STR, since libcurl 7.85, and what stood in its place before.
static inline CURLcode tracker_curl_set_web_only(CURL *_Nonnull easy) {
    CURLcode code = tracker_curl.easy_setopt(easy, (CURLoption)(CURLOPTTYPE_STRINGPOINT + 318), "http,https");
    if (code != CURLE_UNKNOWN_OPTION) return code;
    return tracker_curl.easy_setopt(easy, (CURLoption)(CURLOPTTYPE_LONG + 181), (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
}

static inline CURLcode tracker_curl_get_long(CURL *_Nonnull easy, CURLINFO info, long *_Nonnull value) {
    return tracker_curl.easy_getinfo(easy, info, value);
}

static inline CURLcode tracker_curl_get_pointer(CURL *_Nonnull easy, CURLINFO info, void *_Nullable *_Nonnull value) {
    return tracker_curl.easy_getinfo(easy, info, value);
}

#endif
