/* A library that refers to two routines, one offloaded and one forwarded, by the names of
 * every interface (interface_table.c says why), and calls them on operands of one element.
 * With LINKED, by those names that the library is linked with a BLAS for. Integers are
 * 64-bit, which small ones may be for either width. */
#include "tiny_part.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef void any_function(void);
bool tiny_run(const char *symbol, long count);

#define ROUTINES NAMES(dgemv) NAMES(dger)
#ifdef LINKED
#define REFERENCE
#define NAMES(name) NAME(name##_) NAME(cblas_##name)
#else
#define REFERENCE __attribute__((weak))
#define NAMES(name)                                                                                   \
    NAME(name##_) NAME(name##_64_) NAME(scipy_##name##_) NAME(scipy_##name##_64_) NAME(cblas_##name) \
    NAME(cblas_##name##64_) NAME(cblas_##name##_64) NAME(scipy_cblas_##name) NAME(scipy_cblas_##name##64_)
#endif

#define NAME(symbol) extern void symbol(void) REFERENCE;
ROUTINES
#undef NAME

#define NAME(symbol) {#symbol, symbol},
static const struct {
    const char *symbol;
    any_function *function;
} names[] = {ROUTINES};

typedef const int64_t *in;
typedef void dgemv_of_fortran(const char *, in, in, const double *, const double *, in, const double *, in,
                              const double *, double *, in, size_t);
typedef void dger_of_fortran(in, in, const double *, const double *, in, const double *, in, double *, in);
typedef void dgemv_of_cblas(int64_t, int64_t, int64_t, int64_t, double, const double *, int64_t,
                            const double *, int64_t, double, double *, int64_t);
typedef void dger_of_cblas(int64_t, int64_t, int64_t, double, const double *, int64_t, const double *,
                           int64_t, double *, int64_t);

static const int64_t one = 1;
static const double alpha = 2, beta = 0.5, a = 1, x = 1;
static double y = 1;
enum { COLUMN_MAJOR = 102, NO_TRANS = 111 };

static __attribute__((noinline)) void call(const char *symbol, any_function *function, long count)
{
    int cblas = strstr(symbol, "cblas_") != NULL, dgemv = strstr(symbol, "dgemv") != NULL;
    for (; count > 0; count--)
        if (cblas && dgemv)
            ((dgemv_of_cblas *)function)(COLUMN_MAJOR, NO_TRANS, 1, 1, alpha, &a, 1, &x, 1, beta, &y, 1);
        else if (cblas)
            ((dger_of_cblas *)function)(COLUMN_MAJOR, 1, 1, alpha, &x, 1, &a, 1, &y, 1);
        else if (dgemv)
            ((dgemv_of_fortran *)function)("N", &one, &one, &alpha, &a, &one, &x, &one, &beta, &y, &one, 1);
        else
            ((dger_of_fortran *)function)(&one, &one, &alpha, &x, &one, &a, &one, &y, &one);
}

COUNTED_PART counted_part(const char *symbol, any_function *function, long count)
{
    call(symbol, function, count);
    COUNTED_PART_ENDS;
}

/* False: no such symbol. */
bool tiny_run(const char *symbol, long count)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].function && strcmp(names[i].symbol, symbol) == 0) {
            call(symbol, names[i].function, not_counted(count));
            counted_part(symbol, names[i].function, count - not_counted(count));
            return true;
        }
    return false;
}
