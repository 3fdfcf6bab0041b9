/* host_width.h - do a LAPACK's plain names take 32-bit or 64-bit integers? */
#ifndef MUBLAS_LAPACK_HOST_WIDTH_H
#define MUBLAS_LAPACK_HOST_WIDTH_H

#include "interpose/host_blas.h"

/* By ilaver_ of the library that `function` lies in, or that it depends on, which writes three integers; asked once for
 * each library. WIDTH_DETECTED: it has none, or does not tell. Thread-safe. */
enum integer_width host_width_of(host_function *function);

#endif
