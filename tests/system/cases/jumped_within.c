/* A handler makes a jump of its own, to a place in itself that a static or an allocated buffer names, as probes of
 * memory do, while calls are under way. Right: the calls go on as if nothing had been; in always mode all of them are
 * the device's. */
#include "case.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

enum { N = 900, CALLS = 40, MICROSECONDS = 300 };
static sigjmp_buf in_static, *allocated;
static volatile sig_atomic_t jumps;

static void jump_within(int signal)
{
    sigjmp_buf *const place = jumps % 2 ? &in_static : allocated;
    (void)signal;
    if (sigsetjmp(*place, 0) == 0)
        siglongjmp(*place, 1);
    jumps++;
}

int main(void)
{
    const struct itimerval often = {{0, MICROSECONDS}, {0, MICROSECONDS}}, never = {{0, 0}, {0, 0}};
    const struct sigaction action = {.sa_handler = jump_within, .sa_flags = SA_RESTART};
    double *const a = malloc(sizeof(double) * N * N);
    int wrong = 0;
    allocated = malloc(sizeof *allocated);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int call = 1; call <= CALLS; call++) {
        for (size_t i = 0; i < N * N; i++)
            a[i] = call;
        wrong += first_row_sum(a, N, N, N) != (double)call * N;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    return verdict("wrong sums", wrong, 0) + verdict("jumped", jumps > 0, 1) != 0;
}
