/* ends WAY: a dsyevd that is left in the middle.
 *   jump  by longjmp from a timer's handler, several times, then more calls
 *   exit  by exit in another thread; handlers run, and the status is 0
 *   fork  a fork in another thread: the child calls, and the parent goes on */
#include "../blas_program.h"
#include "symmetric.h"
#include "tap.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONG = 260, SHORT = 40, JUMPS = 5 };

static sigjmp_buf out;
static volatile sig_atomic_t inside;
static atomic_int rounds;
static atomic_bool stop;

static bool calls_are_right(void)
{
    static double a[SHORT * SHORT];
    for (int i = 0; i < SHORT * SHORT; i++)
        a[i] = (double)(i * 37 % 63) / 32 - 1;
    return symmetric_runs(SHORT, 3, NULL) && symmetric_runs(2 * SHORT, 4, NULL) &&
           call_is_right(DSYMV, a, SHORT, SHORT, SHORT, 1.5, 0.5, 1);
}

static void leave(int number)
{
    (void)number;
    if (inside) {
        inside = 0;
        siglongjmp(out, 1);
    }
}

/* Each time from somewhat further on. */
static int jump_out(struct symmetric *problem)
{
    struct sigaction action = {.sa_handler = leave};
    volatile int jumps = 0;
    sigaction(SIGALRM, &action, NULL);
    for (volatile int i = 0; i < JUMPS; i++) {
        const struct itimerval soon = {.it_value = {.tv_usec = 700 * (i + 1) * (i + 1)}},
                               never = {{0, 0}, {0, 0}};
        if (sigsetjmp(out, 1) == 0) {
            setitimer(ITIMER_REAL, &soon, NULL);
            inside = 1;
            symmetric_solve(problem);
            inside = 0;
        } else {
            jumps++;
        }
        setitimer(ITIMER_REAL, &never, NULL);
    }
    return jumps;
}

static int jump(void)
{
    struct symmetric problem = symmetric_make(LONG, 1);
    const int jumps = jump_out(&problem);
    tap_ok(jumps > 0, "left dsyevd by longjmp (%d of %d times)", jumps, JUMPS);
    tap_ok(calls_are_right(), "other calls after it are right");
    tap_ok(symmetric_solve(&problem) == 0 && symmetric_is_right(&problem), "and so is the one that was left");
    symmetric_free(&problem);
    return tap_done();
}

static void *solve(void *unused)
{
    struct symmetric problem = symmetric_make(LONG, 2);
    bool right = true;
    while (!stop) {
        rounds++;
        right = symmetric_solve(&problem) == 0 && right;
    }
    right = symmetric_is_right(&problem) && right;
    symmetric_free(&problem);
    return right ? &stop : unused;
}

static pthread_t begin(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, solve, NULL) != 0)
        abort();
    while (rounds < 2)
        usleep(500);
    usleep(3000);
    return thread;
}

static void say_end(void)
{
    printf("ok 1 - exit handlers run while another thread is in dsyevd\n1..1\n");
}

static int leave_by_exit(void)
{
    atexit(say_end);
    begin();
    exit(0);
}

static int fork_amid(void)
{
    const pthread_t thread = begin();
    int status = -1;
    void *right;
    const pid_t child = fork();
    if (child == 0)
        _exit(calls_are_right() ? 0 : 1);
    waitpid(child, &status, 0);
    stop = true;
    pthread_join(thread, &right);
    tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
           "calls in a child of a process in dsyevd are right");
    tap_ok(right != NULL, "the parent's are right");
    tap_ok(calls_are_right(), "and other calls after it");
    return tap_done();
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } ways[] = {{"jump", jump}, {"exit", leave_by_exit}, {"fork", fork_amid}};
    struct sigaction action = {.sa_handler = SIG_DFL};
    struct itimerval patience = {.it_value = {.tv_sec = 120}};
    sigaction(SIGVTALRM, &action, NULL);
    setitimer(ITIMER_VIRTUAL, &patience, NULL); /* SIGALRM is the test's own */
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (count > 1 && strcmp(words[1], ways[i].name) == 0)
            return ways[i].run();
    return 2;
}
