/* Threads that call BLAS at once: their first calls race, they share matrices, pages and
 * vectors, end right after a call, and lock mirrors in every order. Every result is checked. */
#include "blas_program.h"
#include "tap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 8, SIZE = 96, SMALL = 9, ROUNDS = 6, ORDERS = 6, UPDATED = 48, TERMS = 4, STRIDED = 64 };

struct worker {
    pthread_t thread;
    int number, right;
};

static pthread_barrier_t start;
static double *shared;          /* SIZE x SIZE, read by all */
static double *small;           /* SMALL x SMALL for each thread, side by side in few pages */
static double *mapped[3];       /* UPDATED x UPDATED each, in mappings of their own */
static double interleaved[THREADS * STRIDED];

/* Memory of its own, apart from all other mappings. */
static double *map_apart(size_t elements)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (elements * sizeof(double) + page - 1) / page * page;
    char *memory = mmap(NULL, bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + page, bytes, PROT_READ | PROT_WRITE) != 0)
        abort();
    return (double *)(memory + page);
}

static void fill(double *matrix, size_t elements, int seed)
{
    for (size_t i = 0; i < elements; i++)
        matrix[i] = (double)((i * 37 + (size_t)seed * 11) % 63) / 32 - 1;
}

static void run(void *(*work)(void *), struct worker *workers)
{
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.number = i};
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            abort();
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
}

static int sum_right(const struct worker *workers)
{
    int sum = 0;
    for (int i = 0; i < THREADS; i++)
        sum += workers[i].right;
    return sum;
}

/* All routines on one matrix that nobody writes. The first round is the process's first
 * calls: binding, waking, the first mirror. */
static void *read_shared(void *context)
{
    struct worker *worker = context;
    pthread_barrier_wait(&start);
    for (int round = 0; round < ROUNDS; round++) {
        enum routine_under_test routine = (enum routine_under_test)((worker->number + round) % SSYMV);
        worker->right += call_is_right(routine, shared, SIZE, SIZE, SIZE, 1.5, 0.5, round);
    }
    return NULL;
}

/* Each its own matrix, which it writes between calls; the pages are everybody's. */
static void *write_own(void *context)
{
    struct worker *worker = context;
    double *mine = small + worker->number * SMALL * SMALL;
    pthread_barrier_wait(&start);
    for (int round = 0; round < ROUNDS; round++) {
        mine[round] = round + worker->number;
        worker->right += call_is_right(DSYMV, mine, SMALL, SMALL, SMALL, 2, 0.5, round);
        mine[round + SMALL] = round;
        worker->right += call_is_right(DGEMV_T, mine, SMALL, SMALL, SMALL, 2, 0.5, round);
    }
    return NULL;
}

/* Results that interleave: element i belongs to thread i modulo THREADS. */
static void *write_interleaved(void *context)
{
    struct worker *worker = context;
    const int n = STRIDED, increment = THREADS, one = 1;
    double x[STRIDED], expected[STRIDED];
    pthread_barrier_wait(&start);
    for (int round = 0; round < ROUNDS; round++) {
        const double alpha = 1, beta = 0;
        for (int i = 0; i < STRIDED; i++) {
            x[i] = i == (round + worker->number) % STRIDED;
            expected[i] = shared[i + (round + worker->number) % STRIDED * SIZE];
        }
        const int ld = SIZE;
        dgemv_("N", &n, &n, &alpha, shared, &ld, x, &one, &beta, interleaved + worker->number, &increment);
        bool good = true;
        for (int i = 0; i < STRIDED; i++)
            good = good && interleaved[worker->number + i * THREADS] == expected[i];
        worker->right += good;
    }
    return NULL;
}

/* B and C lie in two of the mappings, A, each thread's own, in the third, in every order:
 * who locked them as the operands come would wait for ever. */
static void *update_in_orders(void *context)
{
    static const int orders[ORDERS][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    struct worker *worker = context;
    const int *order = orders[worker->number % ORDERS], n = UPDATED / 2, k = TERMS, ld = UPDATED;
    const double alpha = 0.5, beta = 1;
    /* Each mapping: first what all read, then some columns of each thread's own. */
    const double *b = mapped[order[0]], *c = mapped[order[1]];
    double *a = mapped[order[2]] + UPDATED * (TERMS + worker->number * n);
    pthread_barrier_wait(&start);
    for (int round = 0; round < ROUNDS; round++) {
        double before[UPDATED * UPDATED / 2];
        bool good = true;
        memcpy(before, a, (size_t)ld * (size_t)n * sizeof *a);
        dsyr2k_("L", "N", &n, &k, &alpha, b, &ld, c, &ld, &beta, a, &ld);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < ld; i++) {
                double sum = before[i + j * ld]; /* all terms are small multiples of 2**-11: exact */
                for (int l = 0; l < TERMS && i >= j && i < n; l++)
                    sum += alpha * (b[i + l * ld] * c[j + l * ld] + c[i + l * ld] * b[j + l * ld]);
                good = good && a[i + j * ld] == sum;
            }
        worker->right += good;
    }
    return NULL;
}

static void *call_and_end(void *context)
{
    struct worker *worker = context;
    worker->right = call_is_right(DSYMV, shared, SIZE, SIZE, SIZE, 1, 0, worker->number);
    return NULL;
}

/* Threads that come, call once and go, detached or not, while others do. */
static int short_lives(void)
{
    struct worker workers[THREADS];
    int right = 0;
    for (int round = 0; round < ROUNDS; round++) {
        run(call_and_end, workers);
        right += sum_right(workers);
        shared[round] += 1;
    }
    return right;
}

int main(void)
{
    struct worker workers[THREADS];
    alarm(300); /* a deadlock ends here */
    pthread_barrier_init(&start, NULL, THREADS);
    shared = map_apart(SIZE * SIZE);
    small = map_apart(THREADS * SMALL * SMALL);
    fill(shared, SIZE * SIZE, 1);
    fill(small, THREADS * SMALL * SMALL, 2);
    for (int i = 0; i < 3; i++) {
        mapped[i] = map_apart(UPDATED * (TERMS + THREADS * UPDATED / 2));
        fill(mapped[i], UPDATED * (TERMS + THREADS * UPDATED / 2), 3 + i);
    }
    run(read_shared, workers);
    tap_ok(sum_right(workers) == THREADS * ROUNDS,
           "first calls that race, on a matrix that all read: %d of %d right", sum_right(workers),
           THREADS * ROUNDS);
    run(write_own, workers);
    tap_ok(sum_right(workers) == 2 * THREADS * ROUNDS, "matrices that share pages: %d of %d right",
           sum_right(workers), 2 * THREADS * ROUNDS);
    run(write_interleaved, workers);
    tap_ok(sum_right(workers) == THREADS * ROUNDS, "results that interleave: %d of %d right",
           sum_right(workers), THREADS * ROUNDS);
    run(update_in_orders, workers);
    tap_ok(sum_right(workers) == THREADS * ROUNDS, "three mirrors in every order: %d of %d right",
           sum_right(workers), THREADS * ROUNDS);
    int right = short_lives();
    tap_ok(right == THREADS * ROUNDS, "threads that end after one call: %d of %d right", right,
           THREADS * ROUNDS);
    return tap_done();
}
