/* in_turns.c - what the shim costs a program of small calls: rounds of them through it and straight to its
 * host, in turns, in one process.
 *
 *   in_turns SHIM HOST_BLAS [ROUNDS [WINDOW]]
 *
 * A host's speed drifts by more, from one process to the next, than small calls may be held up. Prints for
 * every WINDOW rounds the medians in microseconds of the host, the shim, and the host again, which shows
 * what is noise:
 *   rounds,seconds,host_us,shim_us,again_us
 * and then of single calls, medians of as many rounds, what the shim and the host again take more:
 *   routine,n,host_us,shim_more_ns,again_more_ns
 * The rounds are those of bench/programs/small_calls.c, but for ddot. Matrices and results are shared by all
 * three, so once a device is in use the host pays for following what it writes, too. */
#include "timing.h"

#include <dlfcn.h>
#include <stdio.h>

enum { LARGEST = 200, NARROW = 4, AREA = LARGEST * LARGEST, CALL_ROUNDS = 2000 };
enum way { HOST, SHIM, AGAIN, WAYS };
enum routine { DGEMV, DSYMV, DTRSV, DAXPY, DGEMM, DSYRK, DGER, ROUTINES };

static const char *const names[ROUTINES] = {"dgemv_", "dsymv_", "dtrsv_", "daxpy_",
                                            "dgemm_", "dsyrk_", "dger_"};
static const int sizes[] = {4, 7, 10, 16, 23, 32, 50, 64, 100, 128, 150, 200};
enum { SIZES = sizeof sizes / sizeof *sizes };

typedef void any_function(); /* Fortran's conventions: pointers, and lengths that nobody reads */
static any_function *functions[WAYS][ROUTINES];

static double a[AREA], x[LARGEST], general[LARGEST], symmetric[LARGEST], solved[LARGEST], sum[LARGEST],
    product[AREA], updated[AREA];

static void call(any_function *function, enum routine routine, int n)
{
    static const int one = 1, lda = LARGEST, narrow = NARROW;
    static const double plus = 1, minus = -1, zero = 0;
    const size_t length = 1;
    switch (routine) {
    case DGEMV: function("N", &n, &n, &plus, a, &lda, x, &one, &zero, general, &one, length); break;
    case DSYMV: function("L", &n, &plus, a, &lda, x, &one, &zero, symmetric, &one, length); break;
    case DTRSV: function("L", "N", "N", &n, a, &lda, solved, &one, length, length, length); break;
    case DAXPY: function(&n, &plus, general, &one, sum, &one); break;
    case DGEMM:
        function("N", "N", &n, &n, &n, &plus, a, &lda, a, &lda, &zero, product, &lda, length, length);
        break;
    case DSYRK:
        function("L", "N", &n, &narrow, &plus, a, &lda, &zero, updated, &lda, length, length);
        break;
    default: function(&n, &narrow, &minus, x, &one, x, &one, updated, &lda); break;
    }
}

static void prepare(int n)
{
    for (int i = 0; i < n; i++)
        solved[i] = sum[i] = x[i];
}

static double time_round(enum way way)
{
    const double start = seconds_now();
    for (int size = 0; size < SIZES; size++) {
        prepare(sizes[size]);
        for (int routine = 0; routine < ROUTINES; routine++)
            call(functions[way][routine], (enum routine)routine, sizes[size]);
    }
    return seconds_now() - start;
}

static void *allocate(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (!memory)
        exit(1);
    return memory;
}

static void time_rounds(int rounds, int window)
{
    double *times[WAYS];
    const double start = seconds_now();
    for (int way = 0; way < WAYS; way++)
        times[way] = allocate((size_t)window * sizeof **times);
    puts("rounds,seconds,host_us,shim_us,again_us");
    for (int round = 0; round < rounds; round++) {
        for (int turn = 0; turn < WAYS; turn++) {
            const int way = (turn + round) % WAYS;
            times[way][round % window] = time_round((enum way)way);
        }
        if ((round + 1) % window == 0)
            printf("%d,%.2f,%.1f,%.1f,%.1f\n", round + 1, seconds_now() - start,
                   1e6 * median(times[HOST], (size_t)window), 1e6 * median(times[SHIM], (size_t)window),
                   1e6 * median(times[AGAIN], (size_t)window));
    }
}

typedef double call_times[SIZES][ROUTINES][CALL_ROUNDS];

static void time_calls(call_times *times)
{
    for (int round = 0; round < CALL_ROUNDS; round++)
        for (int turn = 0; turn < WAYS; turn++) {
            const int way = (turn + round) % WAYS;
            for (int size = 0; size < SIZES; size++) {
                prepare(sizes[size]);
                for (int routine = 0; routine < ROUTINES; routine++) {
                    const double start = seconds_now();
                    call(functions[way][routine], (enum routine)routine, sizes[size]);
                    times[way][size][routine][round] = seconds_now() - start;
                }
            }
        }
}

static void show_calls(call_times *times)
{
    puts("routine,n,host_us,shim_more_ns,again_more_ns");
    for (int routine = 0; routine < ROUTINES; routine++)
        for (int size = 0; size < SIZES; size++) {
            double middle[WAYS];
            for (int way = 0; way < WAYS; way++)
                middle[way] = median(times[way][size][routine], CALL_ROUNDS);
            printf("%s,%d,%.2f,%.0f,%.0f\n", names[routine], sizes[size], 1e6 * middle[HOST],
                   1e9 * (middle[SHIM] - middle[HOST]), 1e9 * (middle[AGAIN] - middle[HOST]));
        }
}

static void find_functions(const char *shim, const char *host)
{
    void *const host_library = dlopen(host, RTLD_NOW | RTLD_GLOBAL), *const library = dlopen(shim, RTLD_NOW);
    if (!host_library || !library) {
        fprintf(stderr, "in_turns: %s\n", dlerror());
        exit(1);
    }
    for (int way = 0; way < WAYS; way++)
        for (int routine = 0; routine < ROUTINES; routine++) {
            void *const from = way == SHIM ? library : host_library;
            functions[way][routine] = (any_function *)dlsym(from, names[routine]);
            if (!functions[way][routine]) {
                fprintf(stderr, "in_turns: no %s\n", names[routine]);
                exit(1);
            }
        }
}

int main(int count, char **arguments)
{
    const int rounds = count > 3 ? atoi(arguments[3]) : 1500;
    const int window = count > 4 ? atoi(arguments[4]) : 250;
    if (count < 3 || rounds < 1 || window < 1) {
        fprintf(stderr, "usage: in_turns SHIM HOST_BLAS [ROUNDS [WINDOW]]\n");
        return 2;
    }
    for (int j = 0; j < LARGEST; j++)
        for (int i = 0; i < LARGEST; i++)
            a[i + j * LARGEST] = entry(1, i > j ? i : j, i > j ? j : i) + (i == j ? LARGEST : 0);
    for (int i = 0; i < LARGEST; i++)
        x[i] = entry(2, (uint64_t)i, 0);
    find_functions(arguments[1], arguments[2]);
    time_rounds(rounds, window);
    call_times *const times = allocate(WAYS * sizeof *times);
    time_calls(times);
    show_calls(times);
    free(times);
    return 0;
}
