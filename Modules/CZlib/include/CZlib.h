// Typed doors to zlib for what Swift cannot call (macros), and nothing else.
#ifndef CZLIB_H
#define CZLIB_H

#include <zlib.h>

#endif
