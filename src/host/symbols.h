/* symbols.h - numbers for the BLAS and LAPACK symbols of symbols.def and for the interfaces they belong
 * to; the width of the integers that a host's routines take, and a call of either width. */
#ifndef MUBLAS_SYMBOLS_H
#define MUBLAS_SYMBOLS_H

#include "common/blas_call.h"

#include <stdbool.h>

/* SYMBOL_dgemv_, SYMBOL_dgemv_64_, SYMBOL_cblas_dgemv, ... */
enum symbol {
#define FORWARDED_SYMBOL(symbol, ...) SYMBOL_##symbol,
#define OFFLOADED_SYMBOL(symbol, ...) SYMBOL_##symbol,
#include "host/symbols.def"
    SYMBOL_COUNT
};

/* INTERFACE_NAME_, INTERFACE_NAME_64_, INTERFACE_scipy_cblas_NAME64_, INTERFACE_LAPACK_NAME_, ... A host
 * library has all of a BLAS interface or nothing; of LAPACK's it may have any part. */
enum interface {
#define INTERFACE_ROW(prefix, suffix, ...) INTERFACE_##prefix##NAME##suffix,
    FORTRAN_INTERFACES(INTERFACE_ROW) CBLAS_INTERFACES(INTERFACE_ROW)
#undef INTERFACE_ROW
#define INTERFACE_ROW(prefix, suffix, ...) INTERFACE_LAPACK_##prefix##NAME##suffix,
    LAPACK_INTERFACES(INTERFACE_ROW)
#undef INTERFACE_ROW
    INTERFACE_COUNT
};

/* A routine, to be cast to its own type before a call. */
typedef void host_function(void);

/* Bits of an integer argument. DETECTED: ask the library. */
enum integer_width { WIDTH_DETECTED = 0, WIDTH_32 = 32, WIDTH_64 = 64 };

/* The exported name ("dsymv_64_"). Static storage. */
const char *symbol_name(enum symbol symbol);

/* True for what mublas can run on the device. */
bool symbol_is_offloaded(enum symbol symbol);

enum interface symbol_interface(enum symbol symbol);

/* The same routine by its plain name: dgemv_ for scipy_dgemv_64_. */
enum symbol symbol_plain(enum symbol symbol);
/* True for the C interfaces. */
static inline bool interface_is_cblas(enum interface interface)
{
    return interface >= INTERFACE_cblas_NAME && interface < INTERFACE_LAPACK_NAME_;
}
/* True for those of LAPACK. */
static inline bool interface_is_lapack(enum interface interface)
{
    return interface >= INTERFACE_LAPACK_NAME_;
}
/* Is it a symbol of LAPACK's? */
bool symbol_name_is_lapack(const char *name);

/* A C interface, plain Fortran names or LAPACK's plain names: the first of its language. */
enum interface interface_plain(enum interface interface);

/* How the interface writes its names: "NAME_64_", "scipy_cblas_NAME", "LAPACK's NAME_". */
const char *interface_form(enum interface interface);
enum integer_width interface_width(enum interface interface);

/* The symbol of the interface that stands for all (dgemm's, dsyevr's): every BLAS or LAPACK worth binding
 * has it. */
enum symbol interface_sentinel(enum interface interface);

/* A library's plain names take 32-bit or 64-bit integers. The library is asked by a call of a routine. */

/* The routine to ask in interfaces of DETECTED width: isamax. */
enum symbol width_telling_symbol(enum interface interface);

/* Ask it: the answer. Calls into the library, so never in a constructor. */
enum integer_width width_ask(enum interface interface, host_function *isamax);

/* A LAPACK's width: ilaver_ of the library that `function` lies in, or that it depends on, writes three
 * integers; asked once for each library. WIDTH_DETECTED: it has none, or does not tell. Thread-safe. */
enum integer_width width_of_lapack(host_function *function);

/* Makes the call. `function` is the routine of its family and type by the Fortran name, of either integer
 * width. Pointers are of host memory. */
void routine_call(host_function *function, const struct blas_call *call);

#endif
