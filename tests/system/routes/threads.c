/* threads [ORDER [SOLVERS ROUNDS]]: threads, eight or SOLVERS, with eigenproblems of their own, three or
 * ROUNDS each; unless these are given, others call a small dsymv meanwhile. The last line before the plan is a
 * digest of all results, for a second run to agree with. */
#include "../blas_program.h"
#include "symmetric.h"
#include "tap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { SOLVERS_MOST = 8, CALLERS = 3, SMALL = 24 };

struct worker {
    pthread_t thread;
    int number, right, calls;
    uint64_t digest;
};

static pthread_barrier_t start;
static atomic_bool stop;
static int order = 90, solvers = SOLVERS_MOST, rounds = 3, callers = CALLERS;

static void *solve(void *argument)
{
    struct worker *worker = argument;
    pthread_barrier_wait(&start);
    for (uint64_t digest; worker->calls < rounds; worker->calls++) {
        worker->right += symmetric_runs(order + 7 * worker->number, 10 * worker->number + worker->calls,
                                        &digest);
        worker->digest = worker->digest * 31 + digest;
    }
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

static void read_words(int count, char **words)
{
    if (count > 1)
        order = atoi(words[1]);
    if (count < 4)
        return;
    solvers = atoi(words[2]);
    rounds = atoi(words[3]);
    callers = 0;
    if (solvers < 1 || solvers > SOLVERS_MOST)
        abort();
}

int main(int count, char **words)
{
    struct worker workers[SOLVERS_MOST + CALLERS] = {{.number = 0}};
    int solved = 0, calls = 0, right = 0;
    uint64_t digest = 0;
    alarm(240);
    read_words(count, words);
    pthread_barrier_init(&start, NULL, (unsigned)(solvers + callers));
    for (int i = 0; i < solvers + callers; i++) {
        workers[i].number = i;
        if (pthread_create(&workers[i].thread, NULL, i < solvers ? solve : call, &workers[i]) != 0)
            abort();
    }
    for (int i = 0; i < solvers + callers; i++) {
        stop = i >= solvers;
        pthread_join(workers[i].thread, NULL);
        solved += i < solvers ? workers[i].right : 0;
        right += i < solvers ? 0 : workers[i].right;
        calls += i < solvers ? 0 : workers[i].calls;
        digest = digest * 31 + workers[i].digest;
    }
    tap_ok(solved == solvers * rounds, "%d of %d eigenproblems in threads are right", solved, solvers * rounds);
    tap_ok(right == calls && (calls > 0 || callers == 0), "all calls of dsymv beside them are right");
    printf("# digest %016llx\n", (unsigned long long)digest);
    return tap_done();
}
