/* The process that times calls, on a BLAS of its own: what one routine writes must not be what others read.
 * Doubles have floats among them that are too small to be normal, which cost a host up to twice the time. */
#include "command/timed_calls.h"
#include "tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

static int products, wrong_numbers, written;

static int not_normal(const float *numbers, int64_t count)
{
    int found = 0;
    for (int64_t i = 0; i < count; i++)
        found += !isnormal(numbers[i]);
    return found;
}

EXPORTED void ztrmv_(const char *uplo, const char *trans, const char *diag, const int64_t *n, const void *a,
                     const int64_t *lda, void *x, const int64_t *incx);
void ztrmv_(const char *uplo, const char *trans, const char *diag, const int64_t *n, const void *a,
            const int64_t *lda, void *x, const int64_t *incx)
{
    (void)uplo, (void)trans, (void)diag, (void)a, (void)lda, (void)incx;
    memset(x, 0x00, (size_t)*n * 2 * sizeof(double)); /* zero and the numbers below are not normal */
    ((char *)x)[0] = 1;
    written++;
}

EXPORTED void ssymv_(const char *uplo, const int64_t *n, const void *alpha, const float *a,
                     const int64_t *lda, const float *x, const int64_t *incx, const void *beta, float *y,
                     const int64_t *incy);
void ssymv_(const char *uplo, const int64_t *n, const void *alpha, const float *a, const int64_t *lda,
            const float *x, const int64_t *incx, const void *beta, float *y, const int64_t *incy)
{
    (void)uplo, (void)alpha, (void)beta, (void)lda, (void)incx, (void)y, (void)incy;
    wrong_numbers += not_normal(x, *n) + not_normal(a, *n * *n);
    products++;
}

static bool ask(const char *requests)
{
    char path[] = "/tmp/mublas-requests-XXXXXX";
    const int file = mkstemp(path);
    const bool good = file >= 0 && write(file, requests, strlen(requests)) == (ssize_t)strlen(requests) &&
                      freopen(path, "r", stdin) && timed_calls("1048576") == 0;
    unlink(path);
    close(file);
    return good;
}

int main(void)
{
    const bool answered = ask("warm device ssymv 0 100 0 0 0 0 0 0 0 10\nwarm device ztrmv 0 100 0 0 0 0 0 0 0 10\n"
                              "warm device ssymv 0 100 0 0 0 0 0 0 0 10\nwarm device ssymv 0 300 0 0 0 0 0 0 0 10\n");
    tap_ok(answered && products >= 6 && written >= 3, "%d products, %d of a triangle", products, written);
    tap_ok(wrong_numbers == 0, "no operand has what another type wrote: %d numbers are not normal",
           wrong_numbers);
    return tap_done();
}
