/* tiny ROUTINE COUNT: COUNT calls of ROUTINE on operands of one element, for
 * counting instructions. */
#include "tiny_part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
void daxpy_(const int *n, const double *alpha, const double *x, const int *incx, double *y, const int *incy);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *x, const int *incx, const double *beta, double *y, const int *incy,
            size_t);
void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy, size_t);
void dtrmv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a,
            const int *lda, double *x, const int *incx, size_t, size_t, size_t);
void dsyr2k_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
             const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
             const int *ldc, size_t, size_t);

static const int one = 1;
static const double alpha = 2, beta = 0.5;
static double a, b, c, x, y;

static void call_ddot(void)
{
    x = ddot_(&one, &a, &one, &b, &one);
}

static void call_daxpy(void)
{
    daxpy_(&one, &alpha, &x, &one, &y, &one);
}

static void call_dgemv(void)
{
    dgemv_("N", &one, &one, &alpha, &a, &one, &x, &one, &beta, &y, &one, 1);
}

static void call_dsymv(void)
{
    dsymv_("L", &one, &alpha, &a, &one, &x, &one, &beta, &y, &one, 1);
}

static void call_dtrmv(void)
{
    dtrmv_("L", "N", "N", &one, &a, &one, &x, &one, 1, 1, 1);
}

static void call_dsyr2k(void)
{
    dsyr2k_("L", "N", &one, &one, &alpha, &a, &one, &b, &one, &beta, &c, &one, 1, 1);
}

static const struct {
    const char *name;
    void (*call)(void);
} routines[] = {
    {"ddot", call_ddot},   {"daxpy", call_daxpy}, {"dgemv", call_dgemv},
    {"dsymv", call_dsymv}, {"dtrmv", call_dtrmv}, {"dsyr2k", call_dsyr2k},
};

static __attribute__((noinline)) void repeat(void (*call)(void), long calls)
{
    for (; calls > 0; calls--)
        call();
}

COUNTED_PART counted_part(void (*call)(void), long calls)
{
    repeat(call, calls);
    COUNTED_PART_ENDS;
}

int main(int count, char **arguments)
{
    for (size_t i = 0; count > 2 && i < sizeof routines / sizeof *routines; i++)
        if (strcmp(arguments[1], routines[i].name) == 0) {
            const long calls = atol(arguments[2]);
            repeat(routines[i].call, not_counted(calls));
            counted_part(routines[i].call, calls - not_counted(calls));
            return 0;
        }
    fprintf(stderr, "usage: tiny ROUTINE COUNT\n");
    return 2;
}
