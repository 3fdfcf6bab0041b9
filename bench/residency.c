/* residency.c - what does a call gain whose matrix stays on the device? dsymv again and
 * again on a matrix that does not change.
 *
 *   residency [N [CALLS [WARM_UP]]]
 *
 * Prints a line for a matrix on 4 KiB pages and one on huge pages:
 *   case,n,calls,median_seconds,least_seconds,digest
 * x and y change from call to call, the matrix does not. An ordinary program:
 * bench/run_offload.sh runs it with and without the shim. */
#include "timing.h"

#include <stdio.h>
#include <sys/mman.h>

void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy,
            size_t uplo_length);

enum { HUGE_PAGE = 2 << 20 };

static double *map_matrix(size_t bytes, int advice)
{
    char *memory = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("residency: mmap");
        exit(1);
    }
    memory += -(uintptr_t)memory % HUGE_PAGE;
    if (madvise(memory, bytes, advice) != 0)
        perror("residency: madvise");
    return (double *)memory;
}

static void measure(const char *pages, int advice, int n, int calls, int warm_up)
{
    size_t bytes = (size_t)n * (size_t)n * sizeof(double);
    double *a = map_matrix(bytes, advice), *times = malloc((size_t)calls * sizeof *times);
    double *x = malloc((size_t)n * sizeof *x), *y = calloc((size_t)n, sizeof *y);
    const double alpha = 1.0 / n, beta = 0.5;
    const int one = 1;
    if (!times || !x || !y)
        exit(1);
    for (size_t j = 0; j < (size_t)n; j++)
        for (size_t i = 0; i < (size_t)n; i++)
            a[i + j * (size_t)n] = entry(1, i > j ? i : j, i > j ? j : i);
    for (int i = 0; i < n; i++)
        x[i] = entry(2, (uint64_t)i, 0);
    for (int call = -warm_up; call < calls; call++) {
        x[(call + warm_up) % n] += 1e-3;
        double start = seconds_now();
        dsymv_("L", &n, &alpha, a, &n, x, &one, &beta, y, &one, 1);
        if (call >= 0)
            times[call] = seconds_now() - start;
    }
    double middle = median(times, (size_t)calls);
    printf("dsymv on %s,%d,%d,%.9f,%.9f,%016llx\n", pages, n, calls, middle, times[0],
           (unsigned long long)digest_of(y, (size_t)n));
    fflush(stdout);
    munmap(a, bytes);
    free(times);
    free(x);
    free(y);
}

int main(int count, char **arguments)
{
    int n = count > 1 ? atoi(arguments[1]) : 8192, calls = count > 2 ? atoi(arguments[2]) : 200;
    int warm_up = count > 3 ? atoi(arguments[3]) : 400;
    if (n < 1 || calls < 1 || warm_up < 0) {
        fprintf(stderr, "usage: residency [N [CALLS [WARM_UP]]]\n");
        return 2;
    }
    measure("4 KiB pages", MADV_NOHUGEPAGE, n, calls, warm_up);
    measure("huge pages", MADV_HUGEPAGE, n, calls, warm_up);
    return 0;
}
