/* beside: four threads with eigenproblems, and twelve that call a small dsymv meanwhile, on one heap. The
 * operands of dsymv lie in the rows between the columns of the eigenproblems' matrices, so that every page
 * has some of both. If EMULATED_SOLVER_HOLD names a file, the device keeps the eigenproblems until all twelve
 * have made their calls. All numbers of dsymv are small and whole: the same results in every order of
 * summation. */
#include "symmetric.h"
#include "tap.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy, size_t);

enum { SOLVERS = 4, ROUNDS = 2, CALLERS = 12, CALLS = 25, ORDER = 200, SMALL = 24, LDA = ORDER + SMALL };
enum { CALLERS_EACH = CALLERS / SOLVERS, PATIENCE_S = 60 };

struct solver {
    pthread_t thread;
    struct symmetric problem;
    int right;
};

struct caller {
    pthread_t thread;
    double *a, *x, *y;
    double expected_a[SMALL][SMALL], expected_y[SMALL]; /* by rows */
    int calls, right;
};

static struct solver solvers[SOLVERS];
static struct caller callers[CALLERS];
static pthread_barrier_t barrier; /* the callers and main */
static atomic_int rounds_ended, callers_ready;
static atomic_bool stop;

static void *solve(void *argument)
{
    struct solver *const solver = argument;
    for (int round = 0; round < ROUNDS; round++) {
        const int info = symmetric_solve(&solver->problem);
        rounds_ended++;
        solver->right += info == 0 && symmetric_is_right(&solver->problem);
    }
    return NULL;
}

/* One caller's matrix after the other, then their vectors. */
static void place(struct caller *caller, int number)
{
    double *const gap = solvers[number / CALLERS_EACH].problem.a + ORDER;
    const int first = number % CALLERS_EACH;
    caller->a = gap + (size_t)(first * SMALL) * LDA;
    caller->y = gap + (size_t)(CALLERS_EACH * SMALL + first) * LDA;
    caller->x = gap + (size_t)(CALLERS_EACH * SMALL + CALLERS_EACH + first) * LDA;
    for (int i = 0; i < SMALL; i++) {
        caller->expected_y[i] = caller->y[i] = i - number;
        caller->x[i] = (i * 5 + number) % 9 - 4;
        for (int j = 0; j < SMALL; j++)
            caller->expected_a[i][j] = caller->a[i + j * LDA] = (i + j + number) % 7 - 3;
    }
}

static void call(struct caller *caller)
{
    const int n = SMALL, lda = LDA, one = 1, changed = caller->calls++ % SMALL;
    const double number = 1;
    caller->expected_a[changed][changed] = caller->a[changed * (LDA + 1)] = caller->calls % 5;
    for (int i = 0; i < SMALL; i++)
        for (int j = 0; j < SMALL; j++)
            caller->expected_y[i] += caller->expected_a[i][j] * caller->x[j];
    dsymv_("L", &n, &number, caller->a, &lda, caller->x, &one, &number, caller->y, &one, 1);
    caller->right += memcmp(caller->y, caller->expected_y, sizeof caller->expected_y) == 0;
}

static void *call_often(void *argument)
{
    struct caller *const caller = argument;
    for (int i = 0; i < CALLS; i++)
        call(caller);
    pthread_barrier_wait(&barrier); /* its operands may be on the device */
    pthread_barrier_wait(&barrier); /* the eigenproblems are there */
    for (int i = 0; i < CALLS; i++)
        call(caller);
    callers_ready++;
    while (!stop)
        call(caller);
    for (int i = 0; i < CALLS; i++)
        call(caller);
    return NULL;
}

static bool matrix_is_kept(const struct caller *caller)
{
    bool kept = true;
    for (int i = 0; i < SMALL; i++)
        for (int j = 0; j < SMALL; j++)
            kept = kept && caller->a[i + j * LDA] == caller->expected_a[i][j];
    return kept;
}

/* How many calls have begun to wait for the file. */
static long calls_held(const char *file)
{
    char begun[4096];
    struct stat status;
    snprintf(begun, sizeof begun, "%s.begun", file);
    return stat(begun, &status) == 0 ? (long)status.st_size : 0;
}

/* Nobody who is held up waits for ever. */
static bool comes_true(bool (*condition)(const char *file), const char *file)
{
    for (int i = 0; i < PATIENCE_S * 1000 && !condition(file); i++)
        usleep(1000);
    return condition(file);
}

static bool all_are_held(const char *file)
{
    return calls_held(file) == SOLVERS;
}

static bool all_have_called(const char *file)
{
    (void)file;
    return callers_ready == CALLERS;
}

static void begin(void)
{
    pthread_barrier_init(&barrier, NULL, CALLERS + 1);
    for (int i = 0; i < SOLVERS; i++)
        solvers[i].problem = symmetric_make_apart(ORDER, LDA, i);
    for (int i = 0; i < CALLERS; i++) {
        place(&callers[i], i);
        if (pthread_create(&callers[i].thread, NULL, call_often, &callers[i]) != 0)
            abort();
    }
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < SOLVERS; i++)
        if (pthread_create(&solvers[i].thread, NULL, solve, &solvers[i]) != 0)
            abort();
}

static void end(void)
{
    int solved = 0, right = 0, calls = 0, kept = 0;
    for (int i = 0; i < SOLVERS; i++) {
        pthread_join(solvers[i].thread, NULL);
        solved += solvers[i].right;
    }
    stop = true;
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(callers[i].thread, NULL);
        right += callers[i].right, calls += callers[i].calls, kept += matrix_is_kept(&callers[i]);
    }
    tap_ok(solved == SOLVERS * ROUNDS, "%d of %d eigenproblems are right", solved, SOLVERS * ROUNDS);
    tap_ok(right == calls && calls >= 3 * CALLS * CALLERS, "%d of %d calls beside them are right", right,
           calls);
    tap_ok(kept == CALLERS, "%d of %d matrices between theirs are what they were", kept, CALLERS);
}

int main(void)
{
    const char *const file = getenv("EMULATED_SOLVER_HOLD");
    alarm(240);
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    begin();
    if (file)
        tap_ok(comes_true(all_are_held, file), "all %d eigenproblems are on the device", SOLVERS);
    pthread_barrier_wait(&barrier);
    const bool called = comes_true(all_have_called, NULL);
    if (file) {
        tap_ok(called && rounds_ended == 0, "while they are there all %d other threads make their calls",
               CALLERS);
        FILE *const release = fopen(file, "w");
        if (!release || fclose(release) != 0)
            abort();
    }
    end();
    return tap_done();
}
