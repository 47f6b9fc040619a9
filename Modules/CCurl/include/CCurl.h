// Typed doors to libcurl for what Swift cannot call (variadic functions), and nothing else.
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>

#endif
