/* Threads that are cancelled in the middle of BLAS calls, while another goes on. BLAS has no
 * cancellation points: a call with a cancellation pending ends as any other. */
#include "blas_program.h"
#include "tap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 160, ROUNDS = 40 };

static atomic_int returned, right;

/* Memory that no call has seen: it is looked up, which reads files, and sent. */
static double *new_matrix(void)
{
    double *matrix = mmap(NULL, SIZE * SIZE * sizeof(double), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (matrix == MAP_FAILED)
        abort();
    for (int i = 0; i < SIZE * SIZE; i++)
        matrix[i] = (double)(i % 63) / 32;
    return matrix;
}

static void *call_when_cancelled(void *matrix)
{
    pthread_cancel(pthread_self());
    bool good = call_is_right(DSYMV, matrix, SIZE, SIZE, SIZE, 1.5, 0.5, 1);
    atomic_fetch_add(&returned, 1);
    atomic_fetch_add(&right, good);
    pthread_testcancel();
    return NULL;
}

int main(void)
{
    int cancelled = 0, others = 0;
    alarm(120); /* a lock that a cancelled thread kept ends the test here */
    for (int round = 0; round < ROUNDS; round++) {
        double *matrix = new_matrix();
        pthread_t thread;
        void *result = NULL;
        if (pthread_create(&thread, NULL, call_when_cancelled, matrix) != 0)
            abort();
        if (round % 2) /* beside the cancelled thread's call, or after it */
            others += call_is_right(DSYMV, matrix, SIZE, SIZE, SIZE, 1.5, 0.5, round);
        pthread_join(thread, &result);
        cancelled += result == PTHREAD_CANCELED;
        matrix[round] = 50;
        others += call_is_right(DSYMV, matrix, SIZE, SIZE, SIZE, 1.5, 0.5, round);
    }
    tap_ok(cancelled == ROUNDS, "%d of %d threads end by their cancellation", cancelled, ROUNDS);
    tap_ok(returned == ROUNDS && right == ROUNDS, "%d of %d calls return before that, %d right",
           (int)returned, ROUNDS, (int)right);
    tap_ok(others == ROUNDS * 3 / 2, "%d of %d calls of another thread are right", others, ROUNDS * 3 / 2);
    return tap_done();
}
