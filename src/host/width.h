/* width.h - do a library's plain names take 32-bit or 64-bit integers? */
#ifndef MUBLAS_WIDTH_H
#define MUBLAS_WIDTH_H

#include "host/symbols.h"

/* The routine to ask in interfaces of DETECTED width: isamax. */
enum symbol width_telling_symbol(enum interface interface);

/* Ask it: the answer. Calls into the library, so never in a constructor. */
enum integer_width width_ask(enum interface interface, host_function *isamax);

/* Of a LAPACK: by ilaver_ of the library that `function` lies in, or that it depends on, which writes
 * three integers; asked once for each library. WIDTH_DETECTED: it has none, or does not tell. Thread-safe. */
enum integer_width width_of_lapack(host_function *function);

#endif
