/* grown_results.c - what does a call of level 3 take whose result has grown a little in the same memory?
 *
 *   grown_results [CALLS]
 *
 * Prints for each pair of orders the times of calls with the smaller one, with the larger one after these,
 * with the smaller one again, and with the larger one in memory of its own: as many calls each (40), of which
 * some are printed, the first and the last among them:
 *   routine,order,after,first_us,second,third,fifth,ninth,thirteenth,twenty-first,last_us,digest
 * `after` is the order before in the same memory; 0: none. An ordinary program, for the host BLAS alone or
 * under the shim. */
#include "timing.h"

#include <stdio.h>

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc, size_t transa_length, size_t transb_length);
void dsyr2k_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
             const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
             const int *ldc, size_t uplo_length, size_t trans_length);

enum { TERMS = 32, ORDER_MOST = 2640, LEAST_CALLS = 21, MOST_CALLS = 10000 };
enum routine { DGEMM, DSYR2K, ROUTINES };

static const char *const routine_names[] = {"dgemm", "dsyr2k"};

static const struct pair {
    int smaller, larger;
} pairs[] = {{300, 305},   {300, 318},   {700, 710},   {700, 740},   {1300, 1370},
             {1396, 1409}, {1500, 1510}, {1500, 1560}, {2500, 2520}, {2500, 2640}};

static const int shown[] = {0, 1, 2, 4, 8, 12, 20};

static double *filled(size_t count, uint64_t seed)
{
    double *memory = malloc(count * sizeof *memory);
    if (!memory) {
        fputs("grown_results: no memory\n", stderr);
        exit(1);
    }
    for (size_t i = 0; i < count; i++)
        memory[i] = entry(seed, i, 0);
    return memory;
}

struct matrices {
    double *a, *b, *c;
};

static void call(enum routine routine, int n, const struct matrices *of)
{
    static const double one = 1, half = 0.5;
    static const int k = TERMS;
    if (routine == DGEMM)
        dgemm_("N", "N", &n, &n, &k, &one, of->a, &n, of->b, &k, &half, of->c, &n, 1, 1);
    else
        dsyr2k_("L", "N", &n, &k, &one, of->a, &n, of->b, &n, &half, of->c, &n, 1, 1);
}

static void measure(enum routine routine, int n, int after, const struct matrices *of, int calls)
{
    double *times = filled((size_t)calls, 1);
    for (int i = 0; i < calls; i++) {
        const double start = seconds_now();
        call(routine, n, of);
        times[i] = seconds_now() - start;
    }
    printf("%s,%d,%d", routine_names[routine], n, after);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        printf(",%.0f", 1e6 * times[shown[i]]);
    printf(",%.0f,%016llx\n", 1e6 * times[calls - 1],
           (unsigned long long)digest_of(of->c, (size_t)n * (size_t)n));
    fflush(stdout);
    free(times);
}

static void measure_pair(enum routine routine, struct pair pair, int calls)
{
    const size_t most = (size_t)ORDER_MOST * ORDER_MOST;
    struct matrices of = {filled(ORDER_MOST * TERMS, 1), filled(ORDER_MOST * TERMS, 2), filled(most, 3)};
    double *shared = of.c, *own = filled(most, 3);
    measure(routine, pair.smaller, 0, &of, calls);
    measure(routine, pair.larger, pair.smaller, &of, calls);
    measure(routine, pair.smaller, pair.larger, &of, calls);
    of.c = own;
    measure(routine, pair.larger, 0, &of, calls);
    free(of.a);
    free(of.b);
    free(shared);
    free(own);
}

int main(int count, char **arguments)
{
    char *end = NULL;
    const long calls = count > 1 ? strtol(arguments[1], &end, 10) : 40;
    if (count > 2 || (end && *end) || calls < LEAST_CALLS || calls > MOST_CALLS) {
        fprintf(stderr, "usage: grown_results [CALLS], from %d to %d\n", LEAST_CALLS, MOST_CALLS);
        return 2;
    }
    puts("routine,order,after,first_us,second,third,fifth,ninth,thirteenth,twenty-first,last_us,digest");
    for (enum routine routine = 0; routine < ROUTINES; routine++)
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
            measure_pair(routine, pairs[i], (int)calls);
    return 0;
}
