/* threads [ORDER]: eight threads with eigenproblems of their own, and others that call a small dsymv
 * meanwhile. The last line before the plan is a digest of all results, for a second run to agree with. */
#include "../blas_program.h"
#include "symmetric.h"
#include "tap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { SOLVERS = 8, CALLERS = 3, ROUNDS = 3, SMALL = 24 };

struct worker {
    pthread_t thread;
    int number, right, calls;
    uint64_t digests[ROUNDS];
};

static pthread_barrier_t start;
static atomic_bool stop;
static int order = 90;

static void *solve(void *argument)
{
    struct worker *worker = argument;
    pthread_barrier_wait(&start);
    for (int round = 0; round < ROUNDS; round++, worker->calls++)
        worker->right += symmetric_runs(order + 7 * worker->number, 10 * worker->number + round,
                                        &worker->digests[round]);
    return NULL;
}

static void *call(void *argument)
{
    struct worker *worker = argument;
    double a[SMALL * SMALL];
    for (int i = 0; i < SMALL * SMALL; i++)
        a[i] = (double)((i * 37 + worker->number) % 63) / 32 - 1;
    pthread_barrier_wait(&start);
    do
        worker->right += call_is_right(DSYMV, a, SMALL, SMALL, SMALL, 1.5, 0.5, worker->calls++);
    while (!stop);
    return NULL;
}

int main(int count, char **words)
{
    struct worker workers[SOLVERS + CALLERS] = {{.number = 0}};
    int solved = 0, calls = 0, right = 0;
    uint64_t digest = 0;
    alarm(240);
    if (count > 1)
        order = atoi(words[1]);
    pthread_barrier_init(&start, NULL, SOLVERS + CALLERS);
    for (int i = 0; i < SOLVERS + CALLERS; i++) {
        workers[i].number = i;
        if (pthread_create(&workers[i].thread, NULL, i < SOLVERS ? solve : call, &workers[i]) != 0)
            abort();
    }
    for (int i = 0; i < SOLVERS + CALLERS; i++) {
        stop = i >= SOLVERS;
        pthread_join(workers[i].thread, NULL);
        solved += i < SOLVERS ? workers[i].right : 0;
        right += i < SOLVERS ? 0 : workers[i].right;
        calls += i < SOLVERS ? 0 : workers[i].calls;
        for (int round = 0; round < ROUNDS && i < SOLVERS; round++)
            digest = digest * 31 + workers[i].digests[round];
    }
    tap_ok(solved == SOLVERS * ROUNDS, "%d of %d eigenproblems in threads are right", solved,
           SOLVERS * ROUNDS);
    tap_ok(right == calls && calls > 0, "all calls of dsymv beside them are right");
    printf("# digest %016llx\n", (unsigned long long)digest);
    return tap_done();
}
