/* A call is left by siglongjmp while its matrix is on its way to a device, or not yet, or no more; the matrix is
 * unmapped at once, and its place taken away. Right: no thread touches it any more, and later calls are right. In
 * children, each left at another moment. */
#include "case.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1600, ATTEMPTS = 8, STEP_MICROSECONDS = 4000 };
static const size_t bytes = sizeof(double) * N * N;
static sigjmp_buf out;
static double *matrix;

static void leave(int signal)
{
    (void)signal;
    siglongjmp(out, 1);
}

static int be_left_after(int microseconds)
{
    const struct itimerval soon = {{0, 0}, {0, microseconds}};
    const struct sigaction action = {.sa_handler = leave};
    double small[16 * 16];
    matrix = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(matrix, 0, bytes);
    first_row_sum(matrix, N, N, N);
    sigaction(SIGALRM, &action, NULL);
    if (sigsetjmp(out, 1) == 0) {
        setitimer(ITIMER_REAL, &soon, NULL);
        for (double value = 1;; value++) {
            for (size_t i = 0; i < bytes / sizeof *matrix; i += 512)
                matrix[i] = value;
            first_row_sum(matrix, N, N, N);
        }
    }
    mmap(matrix, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    usleep(20000);
    for (int i = 0; i < 16 * 16; i++)
        small[i] = 2;
    return first_row_sum(small, 16, 16, 16) != 32;
}

int main(void)
{
    int good = 0;
    for (int i = 1; i <= ATTEMPTS; i++) {
        int status = -1;
        const pid_t child = fork();
        if (child == 0)
            _exit(be_left_after(i * STEP_MICROSECONDS));
        waitpid(child, &status, 0);
        good += status == 0;
    }
    return verdict("children that ended well", good, ATTEMPTS);
}
