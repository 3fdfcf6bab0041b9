/* width.h - the width of the integers that a host's routines take, and a level 3 call of either width.
 *
 * A library's plain names take 32-bit or 64-bit integers. The library is asked by a call of a routine. A
 * level 3 call is made by the Fortran name of its routine. */
#ifndef MUBLAS_WIDTH_H
#define MUBLAS_WIDTH_H

#include "common/blas_call.h"
#include "host/symbols.h"

/* The routine to ask in interfaces of DETECTED width: isamax. */
enum symbol width_telling_symbol(enum interface interface);

/* Ask it: the answer. Calls into the library, so never in a constructor. */
enum integer_width width_ask(enum interface interface, host_function *isamax);

/* A LAPACK's width: ilaver_ of the library that `function` lies in, or that it depends on, writes three
 * integers; asked once for each library. WIDTH_DETECTED: it has none, or does not tell. Thread-safe. */
enum integer_width width_of_lapack(host_function *function);

/* `function` is the routine of the call's family and type, of either integer width. Pointers are of host
 * memory. */
void level3_call(host_function *function, const struct blas_call *call);

#endif
