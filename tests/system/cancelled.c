/* Threads that are cancelled in the middle of BLAS calls, while others go on. */
#include "blas_program.h"
#include "tap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { SIZE = 160, ROUNDS = 60 };

static double matrix[SIZE * SIZE];
static atomic_long calls;

static void *call_for_ever(void *unused)
{
    const int size = SIZE, one = 1;
    const double alpha = 1, beta = 0;
    double x[SIZE] = {1}, y[SIZE];
    for (;;) {
        dsymv_("L", &size, &alpha, matrix, &size, x, &one, &beta, y, &one);
        atomic_fetch_add(&calls, 1);
        pthread_testcancel();
    }
    return unused;
}

static bool start_and_cancel(int round)
{
    pthread_t thread;
    void *result;
    long before = atomic_load(&calls);
    if (pthread_create(&thread, NULL, call_for_ever, NULL) != 0)
        return false;
    while (atomic_load(&calls) < before + 1 + round % 3)
        usleep(50);
    usleep((unsigned)round * 13 % 400); /* into the middle of a call */
    return pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED;
}

int main(void)
{
    int ended = 0, right = 0;
    alarm(120); /* a lock that a cancelled thread kept ends the test here */
    for (int i = 0; i < SIZE * SIZE; i++)
        matrix[i] = (double)(i % 63) / 32;
    for (int round = 0; round < ROUNDS; round++) {
        ended += start_and_cancel(round);
        matrix[round] = round;
        right += call_is_right(DSYMV, matrix, SIZE, SIZE, SIZE, 1.5, 0.5, round);
    }
    tap_ok(ended == ROUNDS, "%d of %d threads end by their cancellation", ended, ROUNDS);
    tap_ok(right == ROUNDS, "%d of %d calls of another thread afterwards are right", right, ROUNDS);
    return tap_done();
}
