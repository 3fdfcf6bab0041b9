/* A program starts others by vfork, or by clone(CLONE_VM), whose children say prctl(PR_SET_NO_NEW_PRIVS) before
 * they exec: that is nothing to the program, whose memory they share. Right: its calls go on as before, all of them on
 * the device in always mode. */
#define _GNU_SOURCE
#include "case.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 300, STACK_BYTES = 256 << 10 };

static int announce(void *unused)
{
    (void)unused;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    execl("/bin/true", "true", (char *)NULL);
    _exit(1);
}

/* Apart, for nothing but what it waits for outlives a vfork. */
static __attribute__((noinline)) int status_by_vfork(void)
{
    int status = -1;
    const pid_t child = vfork();
    if (child == 0)
        announce(NULL);
    waitpid(child, &status, 0);
    return status;
}

int main(void)
{
    static double a[N * N];
    static char stack[STACK_BYTES] __attribute__((aligned(16)));
    int bad = 0, status = -1;
    for (int i = 0; i < N * N; i++)
        a[i] = 1;
    bad += verdict("before", first_row_sum(a, N, N, N), N);
    bad += verdict("child", status_by_vfork(), 0) + verdict("after vfork", first_row_sum(a, N, N, N), N);
    const pid_t child = clone(announce, stack + STACK_BYTES, CLONE_VM | SIGCHLD, NULL);
    waitpid(child, &status, 0);
    bad += verdict("child", status, 0) + verdict("after clone", first_row_sum(a, N, N, N), N);
    return bad + verdict("privileges", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 0) != 0;
}
