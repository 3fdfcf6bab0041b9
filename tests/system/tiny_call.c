/* tiny_call LIBRARY SYMBOL COUNT: COUNT calls of dgemv or dgemm by any of its names on
 * operands of one element, for counting instructions. LIBRARY is tiny_names.so. Integers
 * are 64-bit, which small ones may be for either width. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void any_function(void);
struct tiny_name {
    const char *symbol;
    any_function *function;
};

typedef const int64_t *in;
typedef void fortran_dgemv(const char *, in, in, const double *, const double *, in, const double *, in, const double *,
                           double *, in, size_t);
typedef void fortran_dgemm(const char *, const char *, in, in, in, const double *, const double *, in, const double *,
                           in, const double *, double *, in, size_t, size_t);
typedef void cblas_dgemv(int64_t, int64_t, int64_t, int64_t, double, const double *, int64_t, const double *, int64_t,
                         double, double *, int64_t);
typedef void cblas_dgemm(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, double, const double *, int64_t,
                         const double *, int64_t, double, double *, int64_t);

static const int64_t one = 1;
static const double alpha = 2, beta = 0.5, a = 1, b = 1, x = 1;
static double y = 1;
enum { COLUMN_MAJOR = 102, NO_TRANS = 111 };

static void call(const char *symbol, any_function *function)
{
    int cblas = strstr(symbol, "cblas_") != NULL, dgemv = strstr(symbol, "dgemv") != NULL;
    if (cblas && dgemv)
        ((cblas_dgemv *)function)(COLUMN_MAJOR, NO_TRANS, 1, 1, alpha, &a, 1, &x, 1, beta, &y, 1);
    else if (cblas)
        ((cblas_dgemm *)function)(COLUMN_MAJOR, NO_TRANS, NO_TRANS, 1, 1, 1, alpha, &a, 1, &b, 1, beta, &y, 1);
    else if (dgemv)
        ((fortran_dgemv *)function)("N", &one, &one, &alpha, &a, &one, &x, &one, &beta, &y, &one, 1);
    else
        ((fortran_dgemm *)function)("N", "N", &one, &one, &one, &alpha, &a, &one, &b, &one, &beta, &y, &one, 1, 1);
}

int main(int count, char **arguments)
{
    void *library = count > 3 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    const struct tiny_name *names = library ? dlsym(library, "tiny_names") : NULL;
    for (int i = 0; names && names[i].symbol; i++)
        if (names[i].function && strcmp(names[i].symbol, arguments[2]) == 0) {
            for (long calls = atol(arguments[3]); calls > 0; calls--)
                call(names[i].symbol, names[i].function);
            return 0;
        }
    fprintf(stderr, "tiny_call: no such symbol, or usage: tiny_call LIBRARY SYMBOL COUNT\n");
    return 2;
}
