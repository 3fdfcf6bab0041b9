/* The process that times calls, on a BLAS of its own: what one routine writes must not be what others read.
 * Doubles have floats among them that are too small to be normal, which cost a host up to twice the time.
 * And what a BLAS prints must not be taken for an answer. */
#include "command/tune/tune.h"
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
    puts("ssymv");
}

/* It tells by this whether a shim is there, and is not asked to time it. */
EXPORTED void dgemv_(void);
void dgemv_(void)
{
    abort();
}

/* The lines of output that are answers; -1: it failed, or there are others. */
static int ask(const char *requests)
{
    FILE *asked = tmpfile(), *output = tmpfile();
    const int tap = dup(STDOUT_FILENO);
    char line[64];
    double us[2];
    int answers = 0;
    if (!asked || !output || tap < 0 || fputs(requests, asked) < 0 || fflush(asked) != 0 ||
        lseek(fileno(asked), 0, SEEK_SET) != 0 || dup2(fileno(asked), STDIN_FILENO) < 0 ||
        dup2(fileno(output), STDOUT_FILENO) < 0)
        return -1;
    bool good = timed_calls("1048576") == 0;
    fflush(stdout);
    dup2(tap, STDOUT_FILENO);
    close(tap);
    for (rewind(output); fgets(line, sizeof line, output); answers++)
        good = good && sscanf(line, "%lf %lf", &us[0], &us[1]) == 2;
    fclose(asked);
    fclose(output);
    return good ? answers : -1;
}

int main(void)
{
    const int answers = ask("warm device ssymv 0 100 0 0 0 0 0 0 0 10\n"
                            "warm device ztrmv 0 100 0 0 0 0 0 0 0 10\n"
                            "warm device ssymv 0 100 0 0 0 0 0 0 0 10\n"
                            "warm device ssymv 0 300 0 0 0 0 0 0 0 10\n");
    tap_ok(answers == 4, "four calls are all that is answered: %d", answers);
    tap_ok(products >= 6 && written >= 3, "%d products, %d of a triangle", products, written);
    tap_ok(wrong_numbers == 0, "no operand has what another type wrote: %d numbers are not normal",
           wrong_numbers);
    return tap_done();
}
